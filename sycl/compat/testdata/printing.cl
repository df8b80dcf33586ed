// printf takes a float as a double.
//
// for F: INT FLOAT STRING
#define INT 1
#define FLOAT 2
#define STRING 3
kernel void k(global float *x) {
#if F == INT
  printf("%d\n", (int)x[0]);
#elif F == FLOAT
  printf("%f\n", x[0]);
#else
  printf("here\n");
#endif
}
