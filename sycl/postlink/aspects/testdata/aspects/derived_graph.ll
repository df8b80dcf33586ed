; Without metadata the call graph goes through pointers in variables and through aliases.
; want kernel: fp64
; want aliased: fp16
; want in_table: fp64
; want target: fp16
; want host: fp64
@table = internal constant [1 x ptr] [ptr @in_table]
@name = alias void (), ptr @target
define spir_kernel void @kernel() {
  %f = load ptr, ptr @table
  ret void
}
define spir_kernel void @aliased() {
  call void @name()
  ret void
}
define void @in_table(ptr %p) {
  store double 1.0, ptr %p
  ret void
}
define void @target() {
  %x = load half, ptr null
  ret void
}
define void @host() {
  %x = load double, ptr null
  ret void
}
define void @caller_of_host() {
  call void @host()
  ret void
}
