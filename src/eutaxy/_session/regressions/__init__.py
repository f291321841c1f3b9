"""Regressions: schedules found earlier, kept as files, and tried again before the search.

A token is bound to the very code it was found in. A regression is anchored by what people call
things instead: an activation, a step, an effect and which occurrence of it. So it survives edits
nearby, and can say what is gone when it does not.
"""
