"""eutaxy: check a Cloudflare Worker against every misfortune the platform allows."""

__version__ = "0.1.0"
