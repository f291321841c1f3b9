"""What makes a world a value: components, interning, remembered transitions, time.

Knows nothing of Cloudflare.
"""
