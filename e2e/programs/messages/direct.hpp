#pragma once
#include "messages/below.hpp"
constexpr int direct = below;
