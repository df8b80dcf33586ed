// Images of every kind, read, written, asked for their size, or not touched.
//
// for DIM: 1d 1d_buffer 1d_array 2d 2d_array 3d 2d_depth
// for F: READ SAMPLE WRITE SIZE IGNORE
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#define READ 1
#define SAMPLE 2
#define WRITE 3
#define SIZE 4
#define IGNORE 5
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define IMAGE(dim) JOIN(JOIN(image, dim), _t)

#define at_1d 1
#define at_1d_buffer 1
#define at_1d_array (int2)(1, 2)
#define at_2d (int2)(1, 2)
#define at_2d_depth (int2)(1, 2)
#define at_2d_array (int4)(1, 2, 3, 0)
#define at_3d (int4)(1, 2, 3, 0)
#define AT JOIN(at_, DIM)

#define pixel_2d_depth float
#define pixel_1d float4
#define pixel_1d_buffer float4
#define pixel_1d_array float4
#define pixel_2d float4
#define pixel_2d_array float4
#define pixel_3d float4
#define PIXEL JOIN(pixel_, DIM)

#define no_sampler_1d_buffer 1

float __attribute__((overloadable)) first(float4 v) { return v.x; }
float __attribute__((overloadable)) first(float v) { return v; }

#if F == WRITE
kernel void k(write_only IMAGE(DIM) image, global float *out) {
  write_imagef(image, AT, (PIXEL)(1.0f));
}
#else
kernel void k(read_only IMAGE(DIM) image, global float *out) {
#if F == READ || F == SAMPLE && JOIN(no_sampler_, DIM)
  out[get_global_id(0)] = first(read_imagef(image, AT));
#elif F == SAMPLE
  const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
  out[get_global_id(0)] = first(read_imagef(image, nearest, AT));
#elif F == SIZE
  out[get_global_id(0)] = get_image_width(image);
#else
  out[get_global_id(0)] = 1;
#endif
}
#endif
