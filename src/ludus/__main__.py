"""`python -m ludus` is `ludus`."""

from ludus.commands import main

main()
