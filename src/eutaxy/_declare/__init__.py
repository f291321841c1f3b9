"""The functions and types of `eutaxy.cloudflare`, by what they are about."""
