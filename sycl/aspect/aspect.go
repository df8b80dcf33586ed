// Package aspect names the aspects of SYCL devices: the features that a kernel may need and a
// device may lack.
//
// Device images and compiler metadata store aspects as the numbers of enum class sycl::aspect,
// which DPC++ renumbered in 2026. Inside this project an [Aspect] has the number of DPC++ 2026.2,
// which includes all numbers of 2026.0, regardless of the release that a file is for: package
// release converts the numbers when files are read and written.
//
// An unknown number is kept as a number because newer compilers have more aspects. Architectures
// are not aspects.
//
// [Features] lists the code features that need an aspect. The package also lists capabilities
// without an aspect that some devices lack: explicit SIMD intrinsics, inline assembly instructions,
// and SPIR-V extensions that device compilers no longer accept.
package aspect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// An Aspect is a value of enum class sycl::aspect of DPC++ 2026.2. Aspects that only older releases
// have are numbered from [Retired].
type Aspect uint32

// Retired is added to numbers that only releases before 2026 have.
const Retired Aspect = 1 << 16

// String returns the current name of the value, or "aspect 12345" if it has none.
func (a Aspect) String() string {
	if e, ok := byValue[a]; ok {
		return e.name
	}
	if a >= Retired && a < 2*Retired {
		return "aspect " + strconv.FormatUint(uint64(a-Retired), 10) + " of releases before 2026"
	}
	return "aspect " + strconv.FormatUint(uint64(a), 10)
}

// A Named is an aspect with its name, for JSON files. Readers use the name, because the numbers of
// DPC++ differ between releases.
type Named struct {
	Name  string `json:"name"`
	Value uint32 `json:"value"`
}

// Named returns the aspect with its name.
func (a Aspect) Named() Named { return Named{a.String(), uint32(a)} }

// IsKnown reports whether the value has a name.
func (a Aspect) IsKnown() bool {
	_, ok := byValue[a]
	return ok
}

// Parse returns the aspect for a name or a decimal number. It accepts deprecated and retired
// names, the prefixes "aspect::" and "sycl::aspect::", and any 32-bit number.
func Parse(nameOrNumber string) (Aspect, error) {
	s := strings.TrimPrefix(strings.TrimPrefix(nameOrNumber, "sycl::"), "aspect::")
	if a, ok := byName[s]; ok {
		return a, nil
	}
	if s != "" && strings.Trim(s, "0123456789") == "" {
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil {
			return 0, fmt.Errorf("aspect number %s does not fit in 32 bits", nameOrNumber)
		}
		return Aspect(n), nil
	}
	if near := safetext.Nearest(strings.ToLower(s), inUse, 1); near != nil {
		return 0, fmt.Errorf("unknown aspect %q; did you mean %s?", nameOrNumber, near[0])
	}
	return 0, fmt.Errorf("unknown aspect %q; expected a name of enum class aspect or a number", nameOrNumber)
}

// An entry maps a value to its name.
type entry struct {
	value  Aspect
	name   string
	status status
}

type status uint8

const (
	current    status = iota
	deprecated        // known to the runtime, not for new code
	retired           // known to older releases only
)

var (
	byName  = make(map[string]Aspect, len(names))
	byValue = make(map[Aspect]entry, len(names))
)

func init() {
	for _, e := range names {
		byName[e.name] = e.value
		if _, ok := byValue[e.value]; !ok {
			byValue[e.value] = e
		}
	}
}

// inUse yields the names of values that are not deprecated.
func inUse(yield func(string) bool) {
	for _, e := range names {
		if e.status == current && !yield(e.name) {
			return
		}
	}
}
