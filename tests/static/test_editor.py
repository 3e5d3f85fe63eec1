"""What an editor shows when the pointer rests on a public name, and how much of the package has
types, as pyright's language server and checker say.
"""

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = Path(sys.executable).parent
# SciPy's own functions, which have its pages and no types.
UNKNOWN = {"eye_array", "random_array"}
COMPLETENESS = 0.95
NAMES = {
    "linalg": "solve inv det eigh svd lstsq expm schur cholesky norm",
    "fft": "fft ifft rfft irfft fft2 fftn dct dst fht nufft1",
    "special": "jv gamma erf betainc hyp2f1 expit zeta airy logsumexp softmax stdtr",
    "signal": "butter lfilter sosfiltfilt firwin stft welch convolve resample czt chirp",
    "sparse": "csr_array coo_array block_array diags_array kron eye_array vstack random_array find",
    "sparse.linalg": "spsolve cg gmres eigsh svds splu lsqr expm_multiply norm aslinearoperator",
}


class Server:
    """pyright's language server, which is asked as an editor asks it."""

    def __init__(self, folder: Path) -> None:
        command = [PROGRAMS / "pyright-langserver", "--stdio"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.to, self.back = self.process.stdin, self.process.stdout
        self.asked = 0
        hover = {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}
        folders = [{"uri": folder.as_uri(), "name": "folder"}]
        self.ask(
            "initialize",
            processId=None,
            rootUri=folder.as_uri(),
            capabilities=hover,
            workspaceFolders=folders,
        )
        self.tell("initialized")

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.to.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.to.flush()

    def tell(self, method: str, **params: Any) -> None:
        self.send(method=method, params=params)

    def receive(self) -> Any:
        length = 0
        while line := self.back.readline().strip():
            name, _, value = line.partition(b": ")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self.back.read(length))

    def ask(self, method: str, **params: Any) -> Any:
        self.asked += 1
        self.send(id=self.asked, method=method, params=params)
        while True:
            message = self.receive()
            if "method" in message and "id" in message:  # a question of the server's
                items = message.get("params", {}).get("items", [])
                self.send(id=message["id"], result=[{} for _ in items])
            elif message.get("id") == self.asked:
                return message["result"]

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[tuple[str, str], str]]:
    """The text that an editor shows for each name."""
    folder = tmp_path_factory.mktemp("program")
    settings = {"extraPaths": [str(ROOT)], "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    wanted = [(room, name) for room, names in NAMES.items() for name in names.split()]
    lines = [f"import scigrad.{room}" for room in NAMES]
    lines += [f"scigrad.{room}.{name}" for room, name in wanted]
    path = folder / "program.py"
    path.write_text("\n".join(lines))
    server = Server(folder)
    document = {"uri": path.as_uri(), "languageId": "python", "version": 1}
    server.tell("textDocument/didOpen", textDocument=document | {"text": path.read_text()})
    texts = {}
    for row, (room, name) in enumerate(wanted, len(NAMES)):
        place = {"line": row, "character": len(lines[row]) - 1}
        found = server.ask(
            "textDocument/hover", textDocument={"uri": path.as_uri()}, position=place
        )
        texts[room, name] = found["contents"]["value"] if found else ""
    yield texts
    server.close()


@pytest.mark.parametrize(
    ("room", "name"),
    [
        (room, name)
        for room, names in NAMES.items()
        for name in names.split()
        if name not in UNKNOWN
    ],
)
def test_an_editor_shows_our_page_and_our_types(shown, room, name):
    text = shown[room, name]
    function = getattr(importlib.import_module(f"scigrad.{room}"), name)
    signature, _, page = text.partition("\n\n")
    assert function.__doc__.strip().split("\n")[0] in page
    plain = signature.replace("(...) -> Any", "function")
    bare = re.search(r"(: |-> |\| )Any\b(?! \|)(?!\])|\bAny \|", plain)
    assert bare is None, signature
    assert re.search("Array|Sparse|_array|Operator", signature)


# The checker goes through the package for 15 seconds, as `make types` has just done.
@pytest.mark.slow
def test_public_names_have_types():
    command = [PROGRAMS / "pyright", "--verifytypes", "scigrad", "--ignoreexternal", "--outputjson"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}  # pyright sees no editable installation
    run = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    score = json.loads(run.stdout)["typeCompleteness"]["completenessScore"]
    print(f"{score:.1%} of the public names have types")
    assert score >= COMPLETENESS
