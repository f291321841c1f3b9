"""A first scenario, guessed from a Worker's config and code: what `eutaxy init` writes."""
