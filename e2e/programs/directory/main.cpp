int add(int a, int b);
int subtract(int a, int b);

int main() { return add(40, 2) == 42 && subtract(40, 2) == 38 ? 0 : 1; }
