"""Records which public functions of a framework a program calls, and the kinds of arguments."""
