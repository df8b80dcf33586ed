#pragma once
#ifdef __cplusplus
extern "C"
#endif
int in_c(int v);
