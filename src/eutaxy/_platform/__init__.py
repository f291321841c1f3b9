"""The model of Cloudflare: one folder for each piece, pure, no I/O. No piece imports another."""
