package compat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// A matrixList is one of the two lists of matrix records.
type matrixList struct {
	property, list string
	what           string // what a record describes
	// parse returns the runtime's description of a record, and a function that reports whether a
	// combination fits it. If the record has an unknown form, ok is false.
	parse func(fields []string) (words string, has func(deviceconfig.MatrixCombination) bool, ok bool)
}

func checkMatrices(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	for _, l := range []matrixList{
		{"joint_matrix", q.JointMatrix, "joint_matrix", parseMatrix},
		{"joint_matrix_mad", q.JointMatrixMad, "joint_matrix_mad function", parseMad},
	} {
		l.check(r, d)
	}
	checkMatrixSubGroups(r, q, d)
}

// checkMatrixSubGroups adds a reason if a kernel with matrices requires a sub-group size that the
// compiler for GPUs with matrices of 8 columns rejects. The compiler needs sub-groups of 8
// work-items.
func checkMatrixSubGroups(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	const columns = 8
	if q.JointMatrix == "" && q.JointMatrixMad == "" || !strings.HasPrefix(d.Name, "intel_gpu_") ||
		!slices.ContainsFunc(d.Matrices, func(c deviceconfig.MatrixCombination) bool { return c.N.Fixed == columns }) {
		return
	}
	for _, size := range q.SubGroupSizes {
		if size != columns && d.HasSubGroupSize(size) {
			r.Add(Reason{Rule: UnsupportedJointMatrix, Status: Incompatible, Required: fmt.Sprint(size), Available: fmt.Sprint(columns), Property: "reqd_sub_group_size",
				Text: fmt.Sprintf("joint_matrix with sub-group size %d is not supported on this device, which needs size %d; use [[sycl::reqd_sub_group_size(%[2]d)]]", size, columns)})
		}
	}
}

func (l matrixList) check(r *Result, d *deviceconfig.Device) {
	add := func(status Status, record, format string, args ...any) {
		r.Add(Reason{Rule: UnsupportedJointMatrix, Status: status, Required: record, Property: l.property, Text: fmt.Sprintf(format, args...)})
	}
	seen := map[string]bool{"": true}
	for record := range strings.SplitSeq(l.list, ";") {
		if seen[record] {
			continue
		}
		seen[record] = true
		words, has, ok := l.parse(strings.Split(record, ","))
		switch {
		case !ok:
			add(Undetermined, record, "Cannot determine whether the device supports %s with parameters %s, because their form is unknown", l.what, record)
		case onCUDAOrHIP(d):
			add(Undetermined, record, "Whether %s with parameters %s is supported on the device is not checked for NVIDIA and AMD GPUs", l.what, words)
		case d.Matrices == nil:
			add(Undetermined, record, "Whether %s with parameters %s is supported on the device is known only when the program runs", l.what, words)
		case len(d.Matrices) == 0:
			// The runtime does not read the records of such a device.
			add(Incompatible, l.list, "no matrix hardware on the target device, %s is not supported", l.property)
			return
		case !slices.ContainsFunc(d.Matrices, has):
			add(Incompatible, record, "%s with parameters %s is not supported on this device", l.what, words)
		}
	}
}

func onCUDAOrHIP(d *deviceconfig.Device) bool {
	triple, _ := deviceconfig.Triple(d.Name)
	return strings.HasPrefix(triple, "nvptx64-") || strings.HasPrefix(triple, "amdgcn-")
}

// parseMatrix reads the type, use, rows and columns of a matrix. An accumulator is the
// matrix C or D of a combination.
func parseMatrix(fields []string) (words string, has func(deviceconfig.MatrixCombination) bool, ok bool) {
	if len(fields) != 4 {
		return "", nil, false
	}
	typ, ok := matrixType(fields[0])
	size, fits := matrixSizes(fields[2:])
	if !ok || !fits {
		return "", nil, false
	}
	rows, columns := size[0], size[1]
	words = fmt.Sprintf("%s, %s, Rows=%d, Cols=%d", fields[0], fields[1], rows, columns)
	switch fields[1] {
	case "use::a":
		has = func(c deviceconfig.MatrixCombination) bool { return c.A == typ && c.M.Has(rows) && c.K.Has(columns) }
	case "use::b":
		has = func(c deviceconfig.MatrixCombination) bool { return c.B == typ && c.K.Has(rows) && c.N.Has(columns) }
	case "use::accumulator":
		has = func(c deviceconfig.MatrixCombination) bool {
			return (c.C == typ || c.D == typ) && c.M.Has(rows) && c.N.Has(columns)
		}
	default:
		return "", nil, false
	}
	return words, has, true
}

// parseMad reads the types of A, B, C and D, and M, K and N of a multiplication.
func parseMad(fields []string) (words string, has func(deviceconfig.MatrixCombination) bool, ok bool) {
	if len(fields) != 7 {
		return "", nil, false
	}
	var types [4]string
	for i := range types {
		if types[i], ok = matrixType(fields[i]); !ok {
			return "", nil, false
		}
	}
	size, ok := matrixSizes(fields[4:])
	if !ok {
		return "", nil, false
	}
	m, k, n := size[0], size[1], size[2]
	words = fmt.Sprintf("atype=%s, btype=%s, ctype=%s, dtype=%s, M=%d, K=%d, N=%d", fields[0], fields[1], fields[2], fields[3], m, k, n)
	return words, func(c deviceconfig.MatrixCombination) bool {
		return [4]string{c.A, c.B, c.C, c.D} == types && c.M.Has(m) && c.K.Has(k) && c.N.Has(n)
	}, true
}

// matrixType returns the name in enum class matrix_type.
func matrixType(field string) (typ string, ok bool) {
	typ, ok = strings.CutPrefix(field, "matrix_type::")
	return typ, ok && slices.Contains(deviceconfig.MatrixTypes, typ)
}

func matrixSizes(fields []string) (sizes []uint64, ok bool) {
	for _, f := range fields {
		n, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			return nil, false
		}
		sizes = append(sizes, n)
	}
	return sizes, true
}
