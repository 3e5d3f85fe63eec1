"""Linear systems: state space, responses over time and frequency, feedback."""
