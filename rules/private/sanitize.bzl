"""How tests build C and C++ of this project."""

# The first access out of bounds, and the first undefined behavior, end the program. There is no
# ThreadSanitizer, as none of it starts a thread or has data that changes after its first use.
SANITIZE = [
    "-fno-sanitize-recover=all",
    "-fsanitize=address,undefined",
]
