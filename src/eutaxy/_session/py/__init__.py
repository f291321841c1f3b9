"""What runs in the child process that evaluates a Python scenario."""
