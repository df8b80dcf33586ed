// The clocks of a device, by the scope that reads the same.
//
// for SCOPE: 1 2 3
// spirv: --spirv-ext=+SPV_KHR_shader_clock
ulong __attribute__((overloadable)) __spirv_ReadClockKHR(int);
kernel void k(global ulong *out) { out[get_global_id(0)] = __spirv_ReadClockKHR(SCOPE); }
