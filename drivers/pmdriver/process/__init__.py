"""The driver and its children: processes, frames, and preparations before a fork."""
