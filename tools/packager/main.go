// Command packager makes SYCLBIN files and shows, checks and changes them.
package main

import "github.com/rules-sycl/rules_sycl/tools/internal/packager"

func main() { packager.Tool().Main() }
