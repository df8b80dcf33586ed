from pybind11.setup_helpers import Pybind11Extension
from setuptools import setup

extension = Pybind11Extension(
    "collatz",
    ["collatz.cpp", "module.cpp"],
    cxx_std=17,
    extra_compile_args=["-fsycl"],
    extra_link_args=["-fsycl"],
    # The path from site-packages to the environment's lib directory, where pip installs libsycl.
    runtime_library_dirs=["$ORIGIN/../.."],
)
setup(ext_modules=[extension])
