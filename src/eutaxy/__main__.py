"""`python -m eutaxy` is `eutaxy`."""

from eutaxy._cli.main import main

if __name__ == "__main__":
    main()
