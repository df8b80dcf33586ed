// Comes in by -imacros: what is no macro is left out.
#define DEFINED 21
int doubled(int v) { return v; }
