"""Design of finite and recursive filters."""
