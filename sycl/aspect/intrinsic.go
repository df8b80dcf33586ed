package aspect

import (
	"regexp"
	"strconv"
	"strings"
)

// An IntrinsicFamily is intrinsics of explicit SIMD that only some Intel GPUs have. No aspect of
// SYCL stands for them: a device with ext_intel_esimd can lack any of the families, and
// its compiler then refuses the whole module.
type IntrinsicFamily struct {
	Name string // in device configurations

	// Prefix is how the names of the intrinsics begin, after "llvm.genx.".
	Prefix string

	What    string // the intrinsics are
	Where   string // GPUs that have them
	Instead string // what a kernel for other GPUs can do
}

// IntrinsicFamilies lists all families. Intrinsics that are in none are compiled for every GPU.
var IntrinsicFamilies = []IntrinsicFamily{
	{Name: "lsc", Prefix: "lsc.", What: "memory accesses by the load-store cache", Where: "Intel GPUs from Xe-HPG on",
		Instead: "block_load, gather and atomic_update without cache hints are for all"},
	{Name: "named-barriers", Prefix: "nbarrier", What: "named barriers", Where: "Xe-HPC and Intel GPUs from Xe2 on",
		Instead: "barrier is for all"},
	{Name: "dpas", Prefix: "dpas", What: "matrix products", Where: "Intel GPUs with matrix engines",
		Instead: "arithmetic on simd is for all"},
}

// FamilyOfIntrinsic returns the family that an intrinsic is of, by its name from [Intrinsic].
func FamilyOfIntrinsic(intrinsic string) (IntrinsicFamily, bool) {
	rest, ok := strings.CutPrefix(intrinsic, genx)
	if !ok {
		return IntrinsicFamily{}, false
	}
	for _, f := range IntrinsicFamilies {
		if strings.HasPrefix(rest, f.Prefix) {
			return f, true
		}
	}
	return IntrinsicFamily{}, false
}

// Intrinsic returns the intrinsic of a family that a function without a body is, and
// whether it is one. The symbol is that of LLVM, which ends in the types of the operands,
// or that of the function which DPC++'s headers declare and its compiler replaces:
// llvm.genx.lsc.load.slm.v16f32.v1i1.v1i32 and __esimd_lsc_load_slm, with any arguments
// of its template, are llvm.genx.lsc.load.slm.
func Intrinsic(symbol string) (string, bool) {
	name := symbol
	if source, ok := strings.CutPrefix(sourceName(symbol), "__esimd_"); ok {
		name = genx + strings.ReplaceAll(source, "_", ".")
	}
	if at := operandTypes.FindStringIndex(name); at != nil {
		name = name[:at[0]]
	}
	_, ok := FamilyOfIntrinsic(name)
	return name, ok && name != numberOfBarriers
}

const (
	genx = "llvm.genx."

	// numberOfBarriers becomes an attribute of the kernel.
	numberOfBarriers = genx + "nbarrier.init"
)

// operandTypes matches the types at the end of a name. In a function's name, a number
// says how many operands there are.
var operandTypes = regexp.MustCompile(`\.((v\d+)?(i|f|bf|p)\d+(\..*)?|\d+)$`)

// sourceName returns the name of a function of namespace scope by its symbol.
func sourceName(symbol string) string {
	rest, ok := strings.CutPrefix(symbol, "_Z")
	if !ok {
		return symbol
	}
	name := strings.TrimLeft(rest, "0123456789")
	n, err := strconv.Atoi(rest[:len(rest)-len(name)])
	if err != nil || n > len(name) {
		return symbol
	}
	return name[:n]
}
