#pragma once

namespace field {

// How much of the difference to the neighbors flows in a step.
constexpr float kFlow = 0.2f;

}  // namespace field
