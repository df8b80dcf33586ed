// Checks the effects of properties of kernels and device globals, and of work-group memory, in the
// runtime and on the device.
#include <cstdio>

#include <sycl/sycl.hpp>

namespace oneapi = sycl::ext::oneapi::experimental;

oneapi::device_global<int> plain;
oneapi::device_global<int[2], decltype(oneapi::properties{oneapi::device_image_scope})> scoped;
oneapi::device_global<int, decltype(oneapi::properties{oneapi::host_access_read_write})> shared;

int wrong = 0;

void expect(const char *what, long got, long want) {
  if (got == want) return;
  std::printf("%s: %ld, not %ld\n", what, got, want);
  wrong++;
}

// Kernels with properties write the size of their sub-groups.
struct Four {
  int *out;
  auto get(oneapi::properties_tag) const {
    return oneapi::properties{oneapi::work_group_size<2, 8>, oneapi::sub_group_size<4>};
  }
  void operator()(sycl::nd_item<2> item) const {
    out[item.get_global_linear_id()] = item.get_sub_group().get_max_local_range()[0];
  }
};

struct Sixteen {
  int *out;
  auto get(oneapi::properties_tag) const {
    return oneapi::properties{oneapi::sub_group_size<16>, oneapi::work_group_size_hint<16, 1>};
  }
  void operator()(sycl::nd_item<2> item) const {
    out[item.get_global_linear_id()] = item.get_sub_group().get_max_local_range()[0];
  }
};

// Kernels that reverse each work-group's part of the numbers in work-group memory.
constexpr int group = 8;
oneapi::work_group_static<int[group]> parts;

template <class Memory>
void turn(int *numbers, Memory &&memory, const sycl::nd_item<1> &item) {
  const size_t i = item.get_local_linear_id();
  memory[i] = numbers[item.get_global_linear_id()];
  sycl::group_barrier(item.get_group());
  numbers[item.get_global_linear_id()] = memory[group - 1 - i];
}

struct Static {
  int *numbers;
  void operator()(sycl::nd_item<1> item) const { turn(numbers, parts, item); }
};

struct Scratch {
  int *numbers;
  auto get(oneapi::properties_tag) const {
    return oneapi::properties{oneapi::work_group_scratch_size(group * sizeof(int))};
  }
  void operator()(sycl::nd_item<1> item) const {
    turn(numbers, static_cast<int *>(oneapi::get_work_group_scratch_memory()), item);
  }
};

// Declares such memory, but does not use it.
struct NoScratch {
  int *numbers;
  auto get(oneapi::properties_tag) const {
    return oneapi::properties{oneapi::work_group_scratch_size(group * sizeof(int))};
  }
  void operator()(sycl::nd_item<1> item) const { numbers[item.get_global_linear_id()] *= 3; }
};

// run returns whether the kernel ran, and fails the test if sub-groups have a different size.
template <class K>
bool run(sycl::queue &queue, int size, sycl::range<2> global, sycl::range<2> local) {
  int *out = sycl::malloc_shared<int>(global.size(), queue);
  bool ran = false;
  try {
    queue.parallel_for(sycl::nd_range<2>(global, local), K{out}).wait_and_throw();
    for (size_t i = 0; i < global.size(); i++) expect("sub-group size", out[i], size);
    ran = true;
  } catch (const sycl::exception &e) {
    if (e.code() != sycl::errc::nd_range) throw;
    std::printf("refused: %s\n", e.what());
  }
  sycl::free(out, queue);
  return ran;
}

int main() {
  sycl::queue queue;
  expect("runs in the required size", run<Four>(queue, 4, {4, 16}, {2, 8}), true);
  expect("runs in a different size", run<Four>(queue, 4, {4, 16}, {4, 4}), false);
  expect("runs in the reversed size", run<Four>(queue, 4, {16, 16}, {8, 2}), false);
  expect("runs in any size", run<Sixteen>(queue, 16, {4, 32}, {2, 32}), true);

  int value = 5;
  queue.copy(&value, plain).wait();
  queue.copy(&value, shared).wait();
  int *out = sycl::malloc_shared<int>(4, queue);
  queue
      .single_task<class Writes>([=] {
        scoped[0] = 3;
        scoped[1] = 4;
        out[0] = plain.get();
        out[1] = shared.get();
        shared = out[1] + 1;
      })
      .wait();
  queue
      .single_task<class Reads>([=] {
        out[2] = scoped[0];
        out[3] = scoped[1];
      })
      .wait();
  queue.copy(shared, &value).wait();
  expect("plain", out[0], 5);
  expect("shared", out[1], 5);
  expect("the first of scoped", out[2], 3);
  expect("the second of scoped", out[3], 4);
  expect("shared on the host", value, 6);
  sycl::free(out, queue);

  const sycl::nd_range<1> range(4 * group, group);
  int *numbers = sycl::malloc_shared<int>(4 * group, queue);
  for (int i = 0; i < 4 * group; i++) numbers[i] = i;
  queue.parallel_for(range, Static{numbers}).wait();
  expect("the first number of a work-group with static memory", numbers[group], 2 * group - 1);
  queue.parallel_for(range, NoScratch{numbers}).wait();
  queue.parallel_for(range, Scratch{numbers}).wait();
  for (int i = 0; i < 4 * group; i++) expect("a number that was reversed twice", numbers[i], 3 * i);
  sycl::free(numbers, queue);
  std::printf("%d numbers wrong\n", wrong);
  return wrong != 0;
}
