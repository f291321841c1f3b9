"""The evidence that a search leaves: the ledger of its worlds, and a checker that trusts no search.

Shares no code with the search or its counting; tests and the layers see to that.
"""
