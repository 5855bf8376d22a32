"""Go through deploy/Containerfile without a container builder, and use what comes out.

    python scripts/image_steps.py [--wheels checkout|dist]

What its stages copy and run happens below one temporary folder, with this Python in place of the
image's. Then the command of the image is started with the environment of the image alone: its
health routes must answer, a key must add and find, nothing may be written beside /data and /tmp,
and SIGTERM must end it. The users and rights of the last stage are left to a builder.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[1]
PLACES = re.compile(r"(?<![\w.])/(?=(opt/simonides|wheels|build|data|tmp)\b)")
START_MAX_S = 60.0

Lines = list[tuple[str, str]]


def main(argv: list[str] | None = None) -> None:
    """Do the steps and say which were done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--wheels", choices=("checkout", "dist"), default="checkout")
    wheels = parser.parse_args(argv).wheels
    stages = read((ROOT / "deploy" / "Containerfile").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for place in ("build", "wheels", "data", "tmp"):
            (root / place).mkdir()
        for name in ("pinned", wheels, "installed"):
            do(name, stages[name], root)
        for wheel in sorted((root / "wheels").iterdir()):
            print(f"{hashlib.sha256(wheel.read_bytes()).hexdigest()}  {wheel.name}")
        use(dict(stages[""]), root)


def read(text: str) -> Mapping[str, Lines]:
    """Return the instructions of each stage by its name; that of the last is empty."""
    stages: dict[str, Lines] = {}
    name = "before"
    for line in re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*\n", "", text)).splitlines():
        word, _, said = line.partition(" ")
        if word == "FROM":
            name = said.partition(" AS ")[2]
        elif word:
            stages.setdefault(name, []).append((word, said.strip()))
    return stages


def do(name: str, lines: Lines, root: Path) -> None:
    """Copy and run what a stage says."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment.pop("PYTHONPATH", None)
    for word, said in lines:
        if word == "ARG":
            key, _, value = said.partition("=")
            environment.setdefault(key, value)
        elif word == "COPY" and not said.startswith("--from"):
            copy(said.split(), root)
        elif word == "RUN":
            command = PLACES.sub(f"{root}/", said)
            subprocess.run(["sh", "-c", command], cwd=root / "build", env=environment, check=True)
    print(f"stage {name}: done")


def copy(words: list[str], root: Path) -> None:
    """Copy files of the checkout to where the builder would."""
    *sources, place = words
    target = root / place.lstrip("/") if place.startswith("/") else root / "build" / place
    for source in (one for given in sources for one in sorted(ROOT.glob(given))):
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "make")
            shutil.copytree(source, target, ignore=ignored)
        else:
            to = target / source.name if place.endswith("/") else target
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, to)


def use(last: Mapping[str, str], root: Path) -> None:
    """Start the image's command and use it."""
    said = dict(one.split("=", 1) for one in shlex.split(last["ENV"]))
    environment = {key: PLACES.sub(f"{root}/", value) for key, value in said.items()}
    environment["TMPDIR"] = str(root / "tmp")
    before = installed(root)
    program = [str(root / "opt/simonides/bin" / one) for one in json.loads(last["ENTRYPOINT"])]
    make = [*program, "keys", "create", "--space", "alice", "--name", "laptop", "--json"]
    made = subprocess.run(make, env=environment, check=True, capture_output=True, text=True)
    with started([*program, *json.loads(last["CMD"])], root, environment) as address:
        for path in ("/health/live", "/health/ready"):
            print(f"{path}: {asked(address + path)}")
        token = json.loads(made.stdout)["key"]
        item = {"content": "The Alpha deadline moved to Friday.", "source": "gmail"}
        asked(f"{address}/v1/items", item, token)
        found = asked(f"{address}/v1/search", {"query": "When is Alpha due?"}, token)
        check("Friday" in json.dumps(found), f"not found: {found}")
        print("added and found with a key")
    check(installed(root) == before, "the server wrote to its own packages")
    print("SIGTERM: ended with 0; nothing was written beside /data and /tmp")


def installed(root: Path) -> Mapping[Path, int]:
    """Return every file that was installed, with the time of its last change."""
    files = (root / "opt").rglob("*")
    return {one: one.lstat().st_mtime_ns for one in files if not one.is_dir()}


@contextmanager
def started(command: list[str], root: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Run the server on a free port; end it by SIGTERM as a container's runtime does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [*command, "--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(command, env=environment, cwd=root / "data")
    try:
        wait_for(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        status = server.wait(START_MAX_S)
    check(status == 0, f"the server ended with {status}")


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Return once the server takes connections."""
    until = time.monotonic() + START_MAX_S
    while time.monotonic() < until and server.poll() is None:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit(f"the server does not answer (exit status {server.poll()})")


def asked(url: str, body: Mapping[str, str] | None = None, key: str = "") -> Any:
    """Return the answer of a route."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    data = json.dumps(body).encode() if body else None
    request = Request(url, data=data, headers=headers if key else {})  # noqa: S310  ours
    with urlopen(request, timeout=30) as answer:  # noqa: S310  as above
        return json.load(answer)


def check(is_so: bool, problem: str) -> None:  # noqa: FBT001  as in assert
    """End with the problem unless it is so."""
    if not is_so:
        sys.exit(problem)


if __name__ == "__main__":
    main()
