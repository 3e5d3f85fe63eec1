"""Matrix equations by the implicit function theorem: Sylvester, Lyapunov, Riccati."""
