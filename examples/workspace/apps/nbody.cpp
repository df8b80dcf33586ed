// Moves stars that attract each other, in single precision and, if the device supports it, in
// double precision.
//
// Both kernels are instances of one template. A GPU without double, such as intel_gpu_acm_g10, gets
// only the kernel for float. The program queries the device before it uses the other one.
#include <sycl/sycl.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "apps/check.hpp"

namespace nbody {

template <class Real>
class Step;  // the kernels' names

constexpr std::size_t kStars = 256;
constexpr int kSteps = 50;

template <class Real>
struct Star {
  Real position[3], velocity[3], mass;
};

// Returns a star after a short time in which all others attract it. The kernel and the plain loop
// call this function.
template <class Real>
Star<Real> moved(const Star<Real> *stars, std::size_t count, std::size_t index) {
  constexpr Real kTime = Real(0.001), kSoft = Real(0.01);  // kSoft keeps stars apart
  Star<Real> star = stars[index];
  Real force[3] = {0, 0, 0};
  for (std::size_t other = 0; other < count; ++other) {
    Real way[3], square = kSoft;
    for (int k = 0; k < 3; ++k) {
      way[k] = stars[other].position[k] - star.position[k];
      square += way[k] * way[k];
    }
    const Real strength = stars[other].mass / (square * sycl::sqrt(square));
    for (int k = 0; k < 3; ++k) force[k] += strength * way[k];
  }
  for (int k = 0; k < 3; ++k) {
    star.velocity[k] += kTime * force[k];
    star.position[k] += kTime * star.velocity[k];
  }
  return star;
}

// Returns a ball of stars that rotates about its axis.
template <class Real>
std::vector<Star<Real>> begin() {
  std::vector<Star<Real>> stars(kStars);
  for (std::size_t i = 0; i < kStars; ++i) {
    const double height = 1 - 2 * (i + 0.5) / kStars, width = std::sqrt(1 - height * height);
    const double angle = 2.399963 * i, radius = 0.5 + 0.5 * (i % 7) / 7;
    const double x = radius * width * std::cos(angle), y = radius * width * std::sin(angle);
    stars[i] = {{Real(x), Real(y), Real(radius * height)},
                {Real(-0.6 * y), Real(0.6 * x), 0},
                Real(1.0 / kStars)};
  }
  return stars;
}

template <class Real>
std::vector<Star<Real>> run(sycl::queue &queue) {
  const std::vector<Star<Real>> start = begin<Real>();
  auto *now = sycl::malloc_shared<Star<Real>>(kStars, queue);
  auto *next = sycl::malloc_shared<Star<Real>>(kStars, queue);
  queue.copy(start.data(), now, kStars).wait();
  for (int step = 0; step < kSteps; ++step) {
    queue
        .parallel_for<Step<Real>>(sycl::range<1>(kStars),
                                  [=](sycl::id<1> i) { next[i] = moved(now, kStars, i); })
        .wait_and_throw();
    std::swap(now, next);
  }
  const std::vector<Star<Real>> stars(now, now + kStars);
  sycl::free(now, queue);
  sycl::free(next, queue);
  return stars;
}

// Computes the same positions with a plain loop, in double precision.
std::vector<Star<double>> expected() {
  std::vector<Star<double>> now = begin<double>(), next = now;
  for (int step = 0; step < kSteps; ++step) {
    for (std::size_t i = 0; i < kStars; ++i) next[i] = moved(now.data(), kStars, i);
    std::swap(now, next);
  }
  return now;
}

template <class Real>
std::vector<Real> positions(const std::vector<Star<Real>> &stars) {
  std::vector<Real> numbers;
  for (const Star<Real> &star : stars)
    numbers.insert(numbers.end(), star.position, star.position + 3);
  return numbers;
}

}  // namespace nbody

int main() try {
  sycl::queue queue;
  apps::print_device(queue);

  apps::Checks checks;
  const std::vector<double> want = nbody::positions(nbody::expected());
  checks.near("nbody::Step<float>", nbody::positions(nbody::run<float>(queue)), want, 1e-4);
  if (queue.get_device().has(sycl::aspect::fp64))
    checks.near("nbody::Step<double>", nbody::positions(nbody::run<double>(queue)), want, 1e-12);
  else
    std::printf("skipped nbody::Step<double>: the device has no fp64\n");
  return checks.exit_code();
} catch (const std::exception &e) {
  std::fprintf(stderr, "nbody: %s\n", e.what());
  return 1;
}
