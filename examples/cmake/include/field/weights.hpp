#pragma once

namespace field {

// The part of the difference to the neighbors that flows in one step.
constexpr float kFlow = 0.2f;

}  // namespace field
