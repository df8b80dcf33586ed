#include "in_c.h"

extern const int in_assembler;

int in_c(int class) { return class + in_assembler; }
