"""The guard in `tests/conftest.py`: a test that reaches out fails, whatever the machine allows."""

import os
import socket
from pathlib import Path

import pytest


def test_a_connection_to_another_machine_is_refused() -> None:
    with socket.socket() as far, pytest.raises(AssertionError, match=r"192\.0\.2\.1"):
        far.connect(("192.0.2.1", 80))


def test_a_datagram_to_another_machine_is_refused() -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as far,
        pytest.raises(AssertionError, match=r"192\.0\.2\.1"),
    ):
        far.sendto(b"hello", ("192.0.2.1", 53))


def test_a_name_of_another_machine_is_not_looked_up() -> None:
    with pytest.raises(AssertionError, match=r"example\.com"):
        socket.getaddrinfo("example.com", 80)


def test_this_machine_may_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()

        with socket.create_connection((host, port), timeout=5) as near:
            assert near.getpeername() == (host, port)


def test_the_home_of_whoever_runs_the_tests_is_out_of_reach() -> None:
    home = Path(os.environ["SIMONIDES_HOME"])

    assert home.is_dir()
    assert Path.home() not in [home, home.parent]
