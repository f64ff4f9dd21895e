"""A kind of gateway in a package of its own: the entry point is how tsvc finds it."""

from setuptools import setup

setup(
    name="tsvc-dummy",
    version="1",
    packages=["tsvc_dummy"],
    install_requires=["tsvc"],
    entry_points={"tsvc.kinds": ["dummy = tsvc_dummy:KIND"]},
)
