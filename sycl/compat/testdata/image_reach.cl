// Images that a kernel passes on, and images in functions that no kernel calls.
//
// for F: CALLEE UNREACHED SECOND READWRITE
#define CALLEE 1
#define UNREACHED 2
#define SECOND 3
#define READWRITE 4
__attribute__((noinline)) float first(read_only image2d_t image) { return read_imagef(image, (int2)(0, 0)).x; }
#if F == CALLEE
kernel void k(read_only image2d_t image, global float *out) { out[get_global_id(0)] = first(image); }
#elif F == UNREACHED
kernel void k(global float *out) { out[get_global_id(0)] = 1; }
#elif F == SECOND
kernel void plain(global float *out) { out[get_global_id(0)] = 1; }
kernel void k(read_only image2d_t image, global float *out) { out[get_global_id(0)] = first(image); }
#else
kernel void k(read_write image2d_t image) {
  float4 held = read_imagef(image, (int2)(0, 0));
  write_imagef(image, (int2)(1, 1), held);
}
#endif
