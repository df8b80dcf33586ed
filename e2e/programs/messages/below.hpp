#pragma once
constexpr int below = 1;
