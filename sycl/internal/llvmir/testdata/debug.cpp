// Debug information that belongs to one kernel or the other, or to none.
namespace far_away {
struct Unused { int a, b; };
inline int twice(int x) { return 2 * x; }
enum class Colour { red, green };
} // namespace far_away
using namespace far_away;
using far_away::Unused;

enum Shape { round_one, square_one };
constexpr int folded = 7;
static const int table_of_first[4] = {1, 2, 3, 4};
static const int table_of_second[4] = {5, 6, 7, 8};
static const float host_table[4] = {1, 2, 3, 4};

template <typename Name, typename F> [[clang::sycl_kernel_entry_point(Name)]] void launch(F f) { f(); }

struct First;
struct Second;
struct Third;

float on_host(int i) { return host_table[i]; }

void submit(int *out, int i) {
  launch<First>([=] { out[i] = table_of_first[i & 3] + static_cast<int>(static_cast<Colour>(i)); });
  launch<Second>([=] {
    static const int counter[2] = {3, 4};
    using far_away::twice;
    out[i] = table_of_second[i & 3] + counter[i & 1] + twice(folded);
  });
  launch<Third>([=] {
    Shape s = i ? round_one : square_one;
    out[i] = s;
  });
}
