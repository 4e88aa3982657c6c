"""The one exception that users meet: a line that names what is wrong and what is allowed."""


class LudusError(Exception):
    """Bad input; its text is one line for the user, never a traceback."""
