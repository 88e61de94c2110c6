"""What the tests share: the program, the sources, and the package that was built beside it."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def program() -> str:
    return os.environ["BPO_BINARY"]


@pytest.fixture(scope="session")
def source() -> Path:
    return Path(os.environ["BPO_SOURCE"])
