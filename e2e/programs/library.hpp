#pragma once
struct Run;
void of_library(Run &r, int v);

// The library and its users submit kernels of this class.
struct Shared {
  int *out;
  int v;
  void operator()() const { *out = v; }
};
void shared_in_library(Run &r, int v);
