package postlink

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// The metadata about the source language: a list of SPIR-V source languages and their versions, of
// which translators use the first, and the metadata that OpenCL C front ends write.
const (
	sourceLanguageMD = "spirv.Source"
	openCLVersionMD  = "opencl.ocl.version"
)

// A sourceLanguage is a SPIR-V source language with its version.
type sourceLanguage [2]int64

var (
	unknownLanguage = sourceLanguage{0, 0}
	openCLCPP       = sourceLanguage{4, 100000} // OpenCL C++ 1.0, which DPC++ writes
)

// setSourceLanguage sets the source language of a SPIR-V module to OpenCL C++ 1.0, unless it
// specifies a different language. Intel's CPU device compiles atomics on generic pointers for that
// language, but not for an unknown one.
//
// If linked modules have several languages, it keeps one: OpenCL C++ 1.0 if present, else the
// first.
func setSourceLanguage(m *llvmir.Module) {
	if !strings.HasPrefix(m.Triple(), "spir") {
		return
	}
	chosen, language := -1, unknownLanguage
	named := m.NamedMetadata(sourceLanguageMD)
	if named != nil {
		for _, id := range named.Nodes() {
			if l, ok := languageOf(m, id); ok && (chosen < 0 || l == openCLCPP && language != openCLCPP) {
				chosen, language = id, l
			}
		}
	}
	switch {
	case chosen >= 0:
		if nodes := named.Nodes(); !slices.Equal(nodes, []int{chosen}) {
			m.SetNamed(sourceLanguageMD, chosen)
		}
	case m.NamedMetadata(openCLVersionMD) != nil:
		m.SetNamed(sourceLanguageMD)
	default:
		m.SetNamed(sourceLanguageMD, m.AddNode(fmt.Sprintf("i32 %d, i32 %d", openCLCPP[0], openCLCPP[1])))
	}
}

// languageOf returns the language in a node. If it is unknown, ok is false and the node has no
// effect.
func languageOf(m *llvmir.Module, id int) (sourceLanguage, bool) {
	n := m.Node(id)
	if n == nil {
		return unknownLanguage, false
	}
	words := n.Ints()
	if len(words) < 2 {
		return unknownLanguage, false
	}
	l := sourceLanguage{words[0], words[1]}
	return l, l[0] != unknownLanguage[0]
}
