package spirv

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A matrix is a cooperative matrix type, or an older joint matrix type, in terms of joint_matrix.
type matrix struct {
	component     string // name in enum class matrix_type
	use           string // name in enum class use
	rows, columns uint32
}

// record returns the matrix in the format of the joint_matrix property.
func (m matrix) record() string {
	return fmt.Sprintf("matrix_type::%s,use::%s,%d,%d", m.component, m.use, m.rows, m.columns)
}

var matrixUses = []string{"a", "b", "accumulator"} // by their numbers in SPIR-V

// Bits of the operands of a multiplication, for properties that the types do not express.
const (
	matrixASigned  = 0x1
	matrixBSigned  = 0x2
	matrixTF32     = 0x20
	matrixBFloat16 = 0x40
)

// matrixType returns the matrix that a type instruction defines. It returns false if a size or the
// use is not a plain constant, or if SYCL's matrices do not support the component type.
func (p *parser) matrixType(i inst) (matrix, bool) {
	sizes, use := 3, 5
	if i.op == opTypeJointMatrix {
		sizes, use = 2, 6
	}
	if len(i.words) <= use {
		return matrix{}, false
	}
	rows, ok1 := p.constant(i.words[sizes])
	columns, ok2 := p.constant(i.words[sizes+1])
	number, ok3 := p.constant(i.words[use])
	if !ok1 || !ok2 || !ok3 || int64(number) >= int64(len(matrixUses)) {
		return matrix{}, false
	}
	m := matrix{p.component(i.words[1], matrixUses[number]), matrixUses[number], rows, columns}
	return m, m.component != ""
}

// component returns the name of a component type, or "". SPIR-V for kernels does not distinguish
// signed from unsigned integers, and compilers write bfloat16 as an integer and tf32 as a float.
func (p *parser) component(typ uint32, use string) string {
	d := p.defs.find(typ)
	if len(d.lits) == 0 {
		return ""
	}
	if d.op == opTypeInt {
		return map[uint32]string{8: "sint8", 16: "bf16", 32: "sint32"}[d.lits[0]]
	}
	switch {
	case d.lits[0] == 16 && d.uses&useFP16 == 0:
		return "bf16"
	case d.lits[0] == 32 && use != "accumulator":
		return "tf32"
	}
	return map[uint32]string{16: "fp16", 32: "fp32", 64: "fp64"}[d.lits[0]]
}

// Layouts of matrices in memory.
const (
	layoutRows    = 0
	layoutColumns = 1
	layoutPacked  = 2
)

// Features of loads and stores of matrices, in the table of package deviceconfig. Compilers for Intel
// GPUs have a function for each supported combination of use, type, size and layout, and reject a
// module that needs another.
const (
	matrixLayout  = "joint_matrix_layout"      // for combinations that no GPU supports
	matrixColumns = "joint_matrix_a_col_major" // for matrices A of 8 rows by columns
	matrixChecked = "joint_matrix_checked"     // for joint_matrix_load_checked, joint_matrix_store_checked and joint_matrix_prefetch
)

// layoutFeature returns the feature of loading or storing a matrix with a layout, or "".
func (m matrix) layoutFeature(layout uint32) string {
	if layout > layoutPacked {
		return ""
	}
	byRows := layout == layoutRows
	ok := byRows
	switch {
	case m.component == "tf32":
		ok = byRows && (m.use == "b" || m.rows == 8)
	case m.use == "a":
		if layout == layoutColumns && m.rows == 8 {
			return matrixColumns
		}
	case m.use == "b":
		ok = layout != layoutColumns || m.columns <= 16
	case m.component == "fp16" || m.component == "bf16":
		ok = byRows && (m.columns != 16 || m.rows == 1 || m.rows >= 8)
	default:
		ok = byRows || layout == layoutColumns && m.rows <= 8 && m.columns <= 16
	}
	if ok {
		return ""
	}
	return matrixLayout
}

// needLayout records that the function being read loads or stores a matrix of a type with a layout.
func (p *parser) needLayout(typ, layout uint32) {
	m, ok := p.matrices[typ]
	number, known := p.constant(layout)
	if !ok || !known {
		return
	}
	if feature := m.layoutFeature(number); feature != "" {
		p.needMatrixFeature(feature)
	}
}

// needMatrixFeature records that the function being read needs a feature for matrices.
func (p *parser) needMatrixFeature(feature string) {
	node, ok := p.matrixFeatures[feature]
	if !ok {
		node = p.graph.add()
		p.graph.nodes[node].feature, p.graph.forCompilers = feature, true
		p.matrixFeatures[feature] = node
	}
	n := &p.graph.nodes[p.fn.node]
	n.callees = append(n.callees, node)
}

// constant returns the value of a constant of at most 32 bits.
func (p *parser) constant(id uint32) (uint32, bool) {
	d := p.defs.find(id)
	if d.op != opConstant || len(d.lits) != 1 {
		return 0, false
	}
	return d.lits[0], true
}

// multiply records the multiplication of two matrices.
func (p *parser) multiply(i inst) {
	if len(i.words) < 5 {
		return
	}
	d, ok := p.matrices[i.words[0]]
	var operands [3]matrix
	for n := range operands {
		m, known := p.matrices[p.fn.types[i.words[2+n]]]
		operands[n], ok = m, ok && known
	}
	if !ok {
		return
	}
	a, b, c := operands[0], operands[1], operands[2]
	var bits uint32
	if len(i.words) > 5 {
		bits = i.words[5]
		if i.op == opJointMatrixMad { // an id
			bits, _ = p.constant(bits)
		}
	}
	switch {
	case bits&matrixTF32 != 0:
		a.component, b.component = "tf32", "tf32"
	case bits&matrixBFloat16 != 0:
		a.component, b.component = "bf16", "bf16"
	}
	if a.component == "sint8" && bits&matrixASigned == 0 {
		a.component = "uint8"
	}
	if b.component == "sint8" && bits&matrixBSigned == 0 {
		b.component = "uint8"
	}
	var types []string
	for _, m := range []matrix{a, b, c, d} {
		types = append(types, "matrix_type::"+m.component)
	}
	p.graph.nodes[p.fn.node].matrices.mads.add(fmt.Sprintf("%s,%d,%d,%d", strings.Join(types, ","), a.rows, a.columns, b.columns))
}

// matrixRecords holds the records of a function for the matrix properties.
type matrixRecords struct {
	types, mads records
}

type records map[string]bool

func (r *records) add(record string) {
	if *r == nil {
		*r = records{}
	}
	(*r)[record] = true
}

func (r records) String() string { return strings.Join(slices.Sorted(maps.Keys(r)), ";") }

// matrices returns the values of the properties joint_matrix and joint_matrix_mad
// for the functions that roots reach.
func (g *graph) matrices(roots []int) (types, mads string) {
	all := matrixRecords{records{}, records{}}
	for n := range g.reach(roots) {
		maps.Copy(all.types, g.nodes[n].matrices.types)
		maps.Copy(all.mads, g.nodes[n].matrices.mads)
	}
	return all.types.String(), all.mads.String()
}
