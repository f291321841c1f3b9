"""Why a violation happens: its cause, the nearest schedule that passes, what it rests on."""
