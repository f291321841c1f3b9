"""Declared outside services and what they have applied."""
