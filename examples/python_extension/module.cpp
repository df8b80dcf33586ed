// The Python module. This source has no kernels and includes no SYCL header, so only the host
// compiler compiles it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "collatz.hpp"

PYBIND11_MODULE(collatz, m) {
  m.def("steps", &steps, "How many steps each number takes to 1.",
        pybind11::call_guard<pybind11::gil_scoped_release>());
  m.def("device", &device, "The name of the device that counts them.");
}
