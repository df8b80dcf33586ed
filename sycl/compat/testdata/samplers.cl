// Samplers that are arguments, used and not.
//
// for F: USE IGNORE
#define USE 1
#if F == USE
kernel void k(read_only image2d_t image, sampler_t how, global float *out) {
  out[get_global_id(0)] = read_imagef(image, how, (float2)(0.5f, 0.5f)).x;
}
#else
kernel void k(sampler_t how, global float *out) { out[get_global_id(0)] = 1; }
#endif
