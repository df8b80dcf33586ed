#error "nothing compiles this"
