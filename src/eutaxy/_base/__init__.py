"""Vocabulary: frozen values without behaviour beyond validation. Imports nothing of eutaxy but
errors."""
