// Included with -include.
#define WITH_KERNEL
inline int doubled(int v) { return 2 * v; }
