"""Record which public functions of a framework a program calls, and with what kind of arguments."""
