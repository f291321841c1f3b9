"""Searching with several processes: where partitions live, and what runs there."""
