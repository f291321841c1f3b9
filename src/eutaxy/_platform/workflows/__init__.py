"""Cloudflare Workflows: instances, steps, retries, waits, events."""
