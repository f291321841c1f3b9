"""What runs inside the CPython child: real Python Worker code over stand-ins for the platform.

Nothing here is imported by eutaxy itself. The child is started on `entry.py` with the interpreter
of the checked project, which need not have eutaxy installed; so these modules use the standard
library only (3.11 and later) and import nothing of eutaxy outside this folder.
"""
