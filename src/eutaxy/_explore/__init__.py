"""Search over worlds. Sees only what `graph.Explorable` says; never the platform."""
