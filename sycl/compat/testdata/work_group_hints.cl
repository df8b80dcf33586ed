// A hint is no requirement.
//
// for X: 64 2048
__attribute__((work_group_size_hint(X, 1, 1))) kernel void k(global int *x) {
  x[get_global_id(0)] += 1;
}
