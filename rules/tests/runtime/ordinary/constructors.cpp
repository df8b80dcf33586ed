#include "constructors.hpp"

Interval::Interval(int begin, int end) : begin(begin), end(end) {}
Interval::~Interval() { begin = end = 0; }
