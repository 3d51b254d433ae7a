"""One job: a case on a device, from its inputs to its result, on any framework."""
