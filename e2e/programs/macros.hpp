// Included with -imacros, which only keeps macros.
#define DEFINED 21
int doubled(int v) { return v; }
