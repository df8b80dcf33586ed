// Kernels with execution modes and images for the tests of package spirv.
kernel __attribute__((reqd_work_group_size(8, 4, 2))) void box(global int *x) { x[get_global_id(0)]++; }
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void line(global int *x) { x[get_global_id(0)]++; }
kernel __attribute__((work_group_size_hint(32, 1, 1))) void hint(global int *x) { x[get_global_id(0)]++; }
kernel __attribute__((intel_reqd_sub_group_size(16))) void group(global int *x) { x[get_global_id(0)]++; }
kernel void unread(read_only image2d_t image, global int *x) { x[get_global_id(0)]++; }
kernel void readsImage(read_only image2d_t image, sampler_t s, global float4 *x) {
  x[get_global_id(0)] = read_imagef(image, s, (int2)(get_global_id(0), 0));
}
