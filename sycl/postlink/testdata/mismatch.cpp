// Functions that declare what they use, and what of it counts.
#define EXTERNAL [[clang::annotate("sycl-external")]]
#define DEVICE_HAS(aspects) [[clang::annotate("sycl-device-has:" aspects)]]

template <class Name, class F>
[[clang::sycl_kernel_entry_point(Name)]] void launch(F f) { f(); }

float sink;

inline void uses_double(float x) {
  double d = x;
  sink = static_cast<float>(d * 2.0);
}
inline void uses_both(float x) {
  _Float16 h = static_cast<_Float16>(x);
  double d = x;
  sink = static_cast<float>(d) + static_cast<float>(h + h);
}

struct Constructed {
  Constructed(float x) { uses_double(x); }
};
struct Derived : Constructed {
  Derived() : Constructed(1.0f) {}
  void method() const {}
};

// Both aspects are missing: a warning for each.
EXTERNAL DEVICE_HAS("gpu") void both(float x) { uses_both(x); }

// One is declared.
EXTERNAL DEVICE_HAS("fp16") void one(float x) { uses_both(x); }

// Calls that are discarded do not count.
EXTERNAL DEVICE_HAS("") void discarded(float x) {
  if constexpr (false)
    uses_both(x);
}
template <bool Doubles> void chosen(float x) {
  if constexpr (Doubles)
    uses_double(x);
  else
    sink = x;
}
EXTERNAL DEVICE_HAS("") void chosen_not(float x) { chosen<false>(x); }
EXTERNAL DEVICE_HAS("") void chosen_to(float x) { chosen<true>(x); }

// Constructors call, too.
EXTERNAL DEVICE_HAS("") void constructs() {
  Derived d;
  d.method();
}

struct Kernel;
void submit(float x) {
  launch<Kernel>([=] { discarded(x); });
}
