"""Foretells what fails on devices that are not here, from the registries of the frameworks."""
