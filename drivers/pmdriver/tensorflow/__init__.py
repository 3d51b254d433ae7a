"""TensorFlow: its public names. It cannot be measured yet, so there is no ``framework.py``."""
