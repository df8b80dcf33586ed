package aspect

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// An IntrinsicFamily is a set of explicit SIMD intrinsics that only some Intel GPUs have. No SYCL
// aspect covers them: a device with ext_intel_esimd can lack any of the families, and its compiler
// then rejects the whole module.
type IntrinsicFamily struct {
	Name string // in device configurations

	// pattern matches the intrinsics' names after "llvm.genx.".
	pattern *regexp.Regexp

	What    string // describes the intrinsics
	Where   string // GPUs that have them
	Instead string // what a kernel for other GPUs can do
}

// IntrinsicFamilies lists all families. Intrinsics that are not in a family compile for every GPU.
// An intrinsic in several belongs to the first.
var IntrinsicFamilies = []IntrinsicFamily{
	{Name: "xe-hpc", pattern: regexp.MustCompile(`^(tf32\.cvt|srnd|ieee\.(div|sqrt)\.32bits|ro[lr]\.64bits|lsc\.xatomic\.slm\.64bits)$`),
		What:  "conversions to tf32, stochastic rounding, IEEE division and square root of float, rotations of 64 bits, and atomics of 64 bits in local memory",
		Where: "Xe-HPC and Intel GPUs from Xe2 on", Instead: "sqrt, inv, shifts and atomics in global memory are for all"},
	{Name: "fp8", pattern: regexp.MustCompile(`^(hf8\.cvt|qf\.cvt|srnd\.8bits)$`), What: "conversions to and from floats of 8 bits", Where: "Intel GPUs from Xe3 on",
		Instead: "conversions of half and bfloat16 are for all"},
	{Name: "biased-rounding", pattern: regexp.MustCompile(`^biased\.rounding`), What: "biased rounding to floats of 8 bits", Where: "intel_gpu_nvl_p and intel_gpu_cri",
		Instead: "conversions of half and bfloat16 are for all"},
	{Name: "4bit", pattern: regexp.MustCompile(`^(packed\.)?4bit\.`), What: "conversions to and from 4 bits", Where: "GPUs after those that ocloc 26.27 compiles for",
		Instead: "shifts and masks are for all"},
	{Name: "lsc-512", pattern: regexp.MustCompile(`^lsc\..*\.512bytes$`), What: "blocks of 512 bytes", Where: "Xe-HPC and Intel GPUs from Xe2 on",
		Instead: "two of 256 bytes are for all from Xe-HPG on"},
	{Name: "lsc", pattern: regexp.MustCompile(`^lsc\.`), What: "memory accesses by the load-store cache", Where: "Intel GPUs from Xe-HPG on",
		Instead: "block_load, gather and atomic_update without cache hints are for all"},
	{Name: "named-barriers", pattern: regexp.MustCompile(`^nbarrier`), What: "named barriers", Where: "Xe-HPC and Intel GPUs from Xe2 on",
		Instead: "barrier is for all"},
	{Name: "dpasw", pattern: regexp.MustCompile(`^dpasw`), What: "matrix products of two threads", Where: "Xe-HPG with matrix engines",
		Instead: "xmx::dpas is for all GPUs with matrix engines"},
	{Name: "dpas-16", pattern: regexp.MustCompile(`^dpas.*\.16bits$`), What: "matrix products with results of 16 bits", Where: "Xe-HPC and Intel GPUs from Xe2 on, with matrix engines",
		Instead: "results of 32 bits are for all GPUs with matrix engines"},
	{Name: "dpas", pattern: regexp.MustCompile(`^dpas`), What: "matrix products", Where: "Intel GPUs with matrix engines",
		Instead: "arithmetic on simd is for all"},
}

// FamilyOfIntrinsic returns the family of an intrinsic with a name from [Intrinsic].
func FamilyOfIntrinsic(intrinsic string) (IntrinsicFamily, bool) {
	rest, ok := strings.CutPrefix(intrinsic, genx)
	if !ok {
		return IntrinsicFamily{}, false
	}
	for _, f := range IntrinsicFamilies {
		if f.pattern.MatchString(rest) {
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
// 32 or 64 bytes. If only some devices have a width of the result's elements, the width is appended,
// as in llvm.genx.ror.64bits.
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
	if m := resultWidth.FindStringSubmatch(symbol); m != nil {
		name += "." + cmp.Or(m[1:]...) + "bits"
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

// resultWidth matches intrinsics with a result whose width only some devices have.
var resultWidth = regexp.MustCompile(`^llvm\.genx\.(?:ro[lr]\.v\d+i(64)\.|lsc\.xatomic\.slm\.v\d+[if](64)\.|srnd\.v\d+i(8)\.|dpas(?:2|\.nosrc0)\.v\d+b?[if](16)\.|ieee\.(?:div|sqrt)\.v\d+f(32)(?:\.|$))`)

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
