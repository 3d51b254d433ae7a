"""The driver and its children: processes, the frames they send, and what a fork costs."""
