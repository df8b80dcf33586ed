; The chain names constructors, and a call that is not in the code counts for nothing.
; want kernel: fp64
; want _Z5makesv: fp64
; want _ZN4PairC1Ei: fp64
; want _ZN4PairC2Ei: fp64
; want _ZN4PairD2Ev: fp64
; want _Z7unmakesv: fp64
; want _Z7doublesv: fp64
; says: warning: function 'makes' uses aspect 'fp64' not listed in 'sycl::device_has'
; says: use is from this call chain:
; says:   makes()
; says:   Pair::Pair(int)
; says:   Pair::Pair(int)
; says:   doubles()
; says: compile with '-g' to get source location
; says: warning: function 'unmakes' uses aspect 'fp64' not listed in 'sycl::device_has'
; says: use is from this call chain:
; says:   unmakes()
; says:   Pair::~Pair()
; says:   doubles()
; says: compile with '-g' to get source location
define spir_kernel void @kernel() {
  call void @_Z5makesv()
  call void @_Z7unmakesv()
  call void @_Z9discardedv()
  ret void
}
define void @_Z5makesv() !sycl_declared_aspects !0 {
  %p = alloca i32
  call void @_ZN4PairC1Ei(ptr %p, i32 1)
  ret void
}
define void @_Z7unmakesv() !sycl_declared_aspects !0 {
  %p = alloca i32
  call void @_ZN4PairD2Ev(ptr %p)
  ret void
}
define void @_Z9discardedv() !sycl_declared_aspects !0 {
  ret void
}
define linkonce_odr void @_ZN4PairC1Ei(ptr %this, i32 %x) unnamed_addr {
  call void @_ZN4PairC2Ei(ptr %this, i32 %x)
  ret void
}
define linkonce_odr void @_ZN4PairC2Ei(ptr %this, i32 %x) unnamed_addr {
  call void @_Z7doublesv()
  ret void
}
define linkonce_odr void @_ZN4PairD2Ev(ptr %this) unnamed_addr {
  call void @_Z7doublesv()
  ret void
}
define linkonce_odr void @_Z7doublesv() {
  %x = alloca double
  ret void
}
!0 = !{}
!sycl_aspects = !{!1}
!1 = !{!"fp64", i32 6}
