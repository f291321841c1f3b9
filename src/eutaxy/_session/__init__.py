"""Loads a scenario and a Worker, wires the parts, carries questions to hosts, spends the budget."""
