#ifndef MIDDLE_HPP
#define MIDDLE_HPP

// Host code between a program and a library of SYCL code.
inline int size() { return 16; }

#endif
