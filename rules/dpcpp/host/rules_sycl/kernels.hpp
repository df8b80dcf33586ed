// Creates a table of the kernels that an integration header describes by name only. It is
// included after that header, and includes no header of the C++ library: macros that the source
// defines before its own #includes still count.

#pragma once
#pragma GCC system_header

#include <sycl/detail/kernel_desc.hpp>

// 'devicec host' writes it.
extern "C" __attribute__((visibility("hidden"))) const rules_sycl::Layout RULES_SYCL_LAYOUTS[];

#if defined(__clang__)

rules_sycl::Kernels rules_sycl::kernels() {
  return {nullptr, nullptr, RULES_SYCL_LAYOUTS, RULES_SYCL_SOURCE};
}

#else

namespace sycl {
inline namespace _V1 {

// For a source without kernels, whose integration header is empty.
static constexpr const char *kernel_names[] = {""};

// Here, kernel_names refers to the integration header's.
namespace detail {
namespace rules_sycl_table {
namespace {

template <unsigned long...>
struct Numbers {};

template <unsigned long Count>
using AllNumbers = Numbers<__integer_pack(Count)...>;

template <unsigned long Kernel, unsigned long... At>
KernelInfoData<kernel_names[Kernel][At]...> data(Numbers<At...>);

template <unsigned long Kernel>
using Data = decltype(data<Kernel>(AllNumbers<__builtin_strlen(kernel_names[Kernel])>()));

template <class Data, class Numbers>
struct Parameters;

template <class Data, unsigned long... At>
struct Parameters<Data, Numbers<At...>> {
  static constexpr kernel_param_desc_t list[] = {Data::getParamDesc(At)..., {}};
};

template <class Data>
constexpr ::rules_sycl::Kernel row() {
  if constexpr (*Data::getName() == '\0')
    return {};  // KernelInfo describes it
  else
    return {Data::getName(),
            Data::getName() + 4,  // _ZTS
            Data::getNumParams(),  Data::isESIMD(),
            Data::getFileName(),   Data::getFunctionName(),
            Data::getLineNumber(), Data::getColumnNumber(),
            Data::getKernelSize(), Parameters<Data, AllNumbers<Data::getNumParams()>>::list};
}

template <class Numbers>
struct Table;

template <unsigned long... Number>
struct Table<Numbers<Number...>> {
  static constexpr ::rules_sycl::Kernel rows[] = {row<Data<Number>>()...};
};

constexpr unsigned long kKernels = sizeof kernel_names / sizeof *kernel_names;
using All = Table<AllNumbers<kKernels>>;

}  // namespace
}  // namespace rules_sycl_table
}  // namespace detail
}  // namespace _V1
}  // namespace sycl

rules_sycl::Kernels rules_sycl::kernels() {
  namespace table = sycl::detail::rules_sycl_table;
  return {table::All::rows, table::All::rows + table::kKernels, RULES_SYCL_LAYOUTS,
          RULES_SYCL_SOURCE};
}

#endif
