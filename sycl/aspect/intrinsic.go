package aspect

import (
	"regexp"
	"strconv"
	"strings"
)

// An IntrinsicFamily is a set of explicit SIMD intrinsics that only some Intel GPUs have. No SYCL
// aspect covers them: a device with ext_intel_esimd can lack any of the families, and its compiler
// then rejects the whole module.
type IntrinsicFamily struct {
	Name string // in device configurations

	// Prefix is the beginning of the intrinsics' names, after "llvm.genx.", and Suffix is the end.
	Prefix, Suffix string

	What    string // describes the intrinsics
	Where   string // GPUs that have them
	Instead string // what a kernel for other GPUs can do
}

// IntrinsicFamilies lists all families. Intrinsics that are not in a family compile for every GPU.
// An intrinsic in several belongs to the first.
var IntrinsicFamilies = []IntrinsicFamily{
	{Name: "lsc-512", Prefix: "lsc.", Suffix: of512Bytes, What: "blocks of 512 bytes", Where: "Xe-HPC and Intel GPUs from Xe2 on",
		Instead: "two of 256 bytes are for all from Xe-HPG on"},
	{Name: "lsc", Prefix: "lsc.", What: "memory accesses by the load-store cache", Where: "Intel GPUs from Xe-HPG on",
		Instead: "block_load, gather and atomic_update without cache hints are for all"},
	{Name: "named-barriers", Prefix: "nbarrier", What: "named barriers", Where: "Xe-HPC and Intel GPUs from Xe2 on",
		Instead: "barrier is for all"},
	{Name: "dpas", Prefix: "dpas", What: "matrix products", Where: "Intel GPUs with matrix engines",
		Instead: "arithmetic on simd is for all"},
}

// FamilyOfIntrinsic returns the family of an intrinsic with a name from [Intrinsic].
func FamilyOfIntrinsic(intrinsic string) (IntrinsicFamily, bool) {
	rest, ok := strings.CutPrefix(intrinsic, genx)
	if !ok {
		return IntrinsicFamily{}, false
	}
	for _, f := range IntrinsicFamilies {
		if strings.HasPrefix(rest, f.Prefix) && strings.HasSuffix(rest, f.Suffix) {
			return f, true
		}
	}
	return IntrinsicFamily{}, false
}

// Intrinsic returns the family intrinsic that a function without a body represents, and whether
// there is one. The symbol is either LLVM's, which ends in the types of the operands, or the name
// of the function that DPC++'s headers declare and its compiler replaces: both
// llvm.genx.lsc.load.slm.v16f32.v1i1.v1i32 and __esimd_lsc_load_slm, with template arguments, are
// llvm.genx.lsc.load.slm. If it loads or stores a block of more than 256 bytes, the size is
// appended, as in llvm.genx.lsc.load.slm.512bytes, because a message may have 8 registers of either
// 32 or 64 bytes.
func Intrinsic(symbol string) (string, bool) {
	name := symbol
	if source, ok := strings.CutPrefix(sourceName(symbol), "__esimd_"); ok {
		name = genx + strings.ReplaceAll(source, "_", ".")
	}
	if at := operandTypes.FindStringIndex(name); at != nil {
		name = name[:at[0]]
	}
	if isWideBlock(symbol) {
		name += of512Bytes
	}
	_, ok := FamilyOfIntrinsic(name)
	return name, ok && name != numberOfBarriers
}

const (
	genx       = "llvm.genx."
	of512Bytes = ".512bytes"

	// numberOfBarriers is not reported, because it becomes an attribute of the kernel.
	numberOfBarriers = genx + "nbarrier.init"
)

// operandTypes matches the types at the end of a name. In a function's name, a number is the
// number of operands.
var operandTypes = regexp.MustCompile(`\.((v\d+)?(i|f|bf|p)\d+(\..*)?|\d+)$`)

// isWideBlock reports whether a symbol is an intrinsic or function that loads or stores more than
// 256 bytes at one address. Compilers split accesses with an address for each element.
func isWideBlock(symbol string) bool {
	if wideTemplate.MatchString(symbol) {
		return true
	}
	m := blockTypes.FindStringSubmatch(symbol)
	if m == nil {
		return false
	}
	elements, err := strconv.ParseUint(m[1]+m[3], 10, 16)
	bits, err2 := strconv.ParseUint(m[2]+m[4], 10, 16)
	return err == nil && err2 == nil && elements*bits > 256*8
}

var (
	// blockTypes matches intrinsics with one address: the type of the data comes first in the name of
	// a load, and last in the name of a store.
	blockTypes = regexp.MustCompile(`^llvm\.genx\.lsc\.(?:load\.(?:merge\.)?\w+\.v(\d+)(?:bf|f|i)(\d+)\.v1i1\.v1i\d+|store\.\w+\.v1i1\.v1i\d+\.v(\d+)(?:bf|f|i)(\d+))(?:\.|$)`)

	// wideTemplate matches functions of DPC++'s headers with the template arguments for the widest
	// block: 64 elements of 8 bytes, transposed, which means at one address.
	wideTemplate = regexp.MustCompile(`^_Z\d+__esimd_lsc_(?:load|store)_.*lsc_data_sizeE4E.*lsc_vector_sizeE8E.*lsc_data_orderE2E`)
)

// sourceName extracts the name of a namespace-scope function from its symbol.
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
