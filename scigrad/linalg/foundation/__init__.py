"""What every family of this room stands on: storage, LAPACK, factorisations kept for rules, and what happens when one fails."""
