#pragma once
struct Run;
void of_library(Run &r, int v);
