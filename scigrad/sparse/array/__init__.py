"""The traced sparse array: its pattern, its values, and its arithmetic."""
