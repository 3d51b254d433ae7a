"""Predicts failures on devices that this machine lacks, from the frameworks' registries."""
