package postlink

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// removeTranslatorArtifacts removes the parts that the translator from SPIR-V adds and that the
// translation back would duplicate. It moves the permission to contract floating-point operations
// from kernels to the operations, because other modules may be linked with this module.
func removeTranslatorArtifacts(m *llvmir.Module) {
	contract := m.NamedMetadata("opencl.enable.FP_CONTRACT") != nil
	for _, name := range []string{
		"spirv.MemoryModel", "spirv.Generator",
		"opencl.spir.version", "opencl.used.extensions", "opencl.used.optional.core.features", "opencl.enable.FP_CONTRACT",
	} {
		m.SetNamed(name)
	}
	d := decorations{m, map[int]int{}}
	for _, g := range m.Globals() {
		if id, ok := g.Metadata(decorationsMD); ok {
			switch pruned := d.list(id); pruned {
			case id:
			case -1:
				g.RemoveMetadata(decorationsMD)
			default:
				g.SetMetadata(decorationsMD, pruned)
			}
		}
	}
	for _, f := range m.Functions() {
		for in := range f.Body() {
			before := in.Text()
			text := before
			if list := in.Attachments(); len(list) > 0 {
				text = d.prune(text, list)
			}
			if contract {
				text = allowContraction(text)
			}
			if text != before {
				f.Replace(in, text)
			}
		}
	}
}

// decorationsMD lists the SPIR-V decorations of an instruction or a variable.
const decorationsMD = "spirv.Decorations"

// redundantDecorations are the decorations that the IR also expresses: flags of an instruction, and
// properties of a variable.
var redundantDecorations = []int64{
	22,         // Constant
	40,         // FPFastMathMode
	41,         // LinkageAttributes
	44,         // Alignment
	4469, 4470, // NoSignedWrap, NoUnsignedWrap
}

// decorations holds lists of SPIR-V decorations.
type decorations struct {
	module *llvmir.Module
	pruned map[int]int // lists without redundantDecorations by original list; -1 if none is left
}

// prune removes the decorations that an instruction itself expresses.
func (d *decorations) prune(text string, list []llvmir.Attachment) string {
	i := slices.IndexFunc(list, func(a llvmir.Attachment) bool { return a.Kind == decorationsMD })
	if i < 0 || list[i].ID < 0 {
		return text
	}
	attachment := ", !" + decorationsMD + " " + list[i].Text
	switch pruned := d.list(list[i].ID); pruned {
	case list[i].ID:
		return text
	case -1:
		return strings.Replace(text, attachment, "", 1)
	default:
		return strings.Replace(text, attachment, ", !"+decorationsMD+" !"+strconv.Itoa(pruned), 1)
	}
}

func (d *decorations) list(id int) int {
	if pruned, ok := d.pruned[id]; ok {
		return pruned
	}
	d.pruned[id] = id
	n := d.module.Node(id)
	if n == nil {
		return id
	}
	var kept []string
	operands := n.Operands()
	for _, o := range operands {
		if one, ok := devicecode.OperandNode(d.module, o); ok {
			if what := one.Ints(); len(what) > 0 && slices.Contains(redundantDecorations, what[0]) {
				continue
			}
		}
		kept = append(kept, o.Text)
	}
	switch len(kept) {
	case len(operands):
	case 0:
		d.pruned[id] = -1
	default:
		d.pruned[id] = d.module.AddNode(strings.Join(kept, ", "))
	}
	return d.pruned[id]
}

// arithmetic matches the start of an operation that may be contracted: its result, name and flags.
var arithmetic = regexp.MustCompile(`^((?:%(?:"[^"]*"|[^\s="]+)\s*=\s*)?f(?:add|sub|mul|div|rem))((?:\s+(?:nnan|ninf|nsz|arcp|contract|afn|reassoc|fast))*)\s`)

// allowContraction adds the contract flag to a floating-point operation.
func allowContraction(text string) string {
	at := arithmetic.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	for flag := range strings.FieldsSeq(text[at[4]:at[5]]) {
		if flag == "fast" || flag == "contract" {
			return text
		}
	}
	return text[:at[3]] + " contract" + text[at[3]:]
}
