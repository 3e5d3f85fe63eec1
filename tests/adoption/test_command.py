"""The command that runs a script with adopted packages."""

import subprocess
import sys

import scigrad


def test_run(write):
    folder = write(
        lib="import numpy as np\n\ndef f(x):\n    return np.array([x, x]).prod()\n",
        beside="VALUE = 3.0\n",
        script="""
            import sys
            import beside
            import lib
            from scigrad import grad

            assert __name__ == "__main__"
            print(sys.argv[1:], grad(lib.f)(beside.VALUE))
            """,
    )
    command = [sys.executable, "-m", "scigrad", "run", "--adopt", "lib", "script.py", "-n", "2"]
    environment = {"PYTHONPATH": f"{scigrad.__path__[0]}/.."}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout == "['-n', '2'] 6.0\n"
    command[5] = "lob"
    failed = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert "there is no package 'lob'" in failed.stderr
