"""Options with which tests build this project's C and C++ code."""

# The first access out of bounds, and the first undefined behavior, terminate the program.
# ThreadSanitizer is not used, because the code starts no threads, and its data does not change after its first use.
SANITIZE = [
    "-fno-sanitize-recover=all",
    "-fsanitize=address,undefined",
]
