"""Pure functions from verdicts, traces and errors to text."""
