"""Packaging of tsvc: name, version, packages, entry points; the examples come along."""

import re
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")  # those that the tests ran with
VERSION = re.search(r'__version__ = "([^"]+)"', (ROOT / "tsvc/__init__.py").read_text())[1]


class BuildPy(build_py):
    """Puts the samples of etc/examples into the package as well: `tsvc init` copies some."""

    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            return  # they are found where they are
        source, target = ROOT / "etc/examples", Path(self.build_lib) / "tsvc/examples"
        for path in sorted(source.rglob("*.json")):
            name = path.relative_to(source)
            if name.parts[0] != "kinds":  # packages of their own
                self.mkpath(str((target / name).parent))
                self.copy_file(str(path), str(target / name))


setup(
    name="tsvc",
    version=VERSION,
    description="Intelligent Network test service: Test Runs over JSON-RPC, with an embedded SCP",
    long_description=(ROOT / "README.md").read_text(),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.11",
    classifiers=[f"Programming Language :: Python :: {version}" for version in PYTHONS],
    cmdclass={"build_py": BuildPy},
    packages=find_packages(include=["tsvc", "tsvc.*"]),
    package_data={
        "tsvc": ["py.typed"],
        "tsvc.definition": ["*.pyi"],
        "tsvc.gui": ["static/*"],
        "tsvc.results.html": ["*.css"],
        "tsvc.protocols.diameter": ["dictionaries/*"],
    },
    install_requires=[
        "gevent>=24.2.1",
        "greenlet>=3",
        "httptools>=0.6.2",
        "lxml>=5",
        "marshmallow>=4.3,<5",
        "ujson>=6.1",
        "click>=8.1",
        "rich>=13",
        "google-re2>=1.1",
        "SQLAlchemy>=2.0",
    ],
    extras_require={
        "cluster": ["locust>=2.47,<2.48", "msgpack>=1", "pyzmq>=26"],
        "gui": ["bottle>=0.13,<0.14"],
        "otel": ["opentelemetry-proto>=1.27"],
        "http2": ["h2>=4.1"],
        "wsdl": ["zeep>=4.3"],
        "yaml": ["PyYAML>=6"],
        "postgresql": ["psycopg[binary]>=3.1.14"],
        "mysql": ["PyMySQL>=1.1"],
        "oracle": ["oracledb>=2"],
    },
    entry_points={
        "console_scripts": [
            "tsvc = tsvc.cli.main:main",
            "tsvcd = tsvc.cli.tsvcd:main",
            "run_test = tsvc.cli.run_definition:main",
        ],
        "pytest11": ["tsvc = tsvc.pytest_plugin"],
    },
)
