#pragma once

#include <cstdint>
#include <string>
#include <vector>

// steps returns the number of Collatz steps that each number needs to reach 1.
std::vector<std::int64_t> steps(const std::vector<std::int64_t> &numbers);

// device returns the name of the device that counts the steps.
std::string device();
