package render

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// csvHeader is the first row of a report as CSV.
var csvHeader = []string{"target", "kernel", "symbol", "device", "status", "holds", "rules", "reasons", "path", "line"}

// CSV writes a report as comma-separated values (RFC 4180): a header and a row for each
// kernel and device, in the order of the report. The path and the line are those of the
// kernel in the source, if they are known. "; " separates rules and reasons.
//
// Spreadsheets take text that begins with =, +, - or @ for a formula. CSV writes an
// apostrophe before it. Characters that cannot be seen are written as in the other
// renderings, see [safetext.Escape].
func CSV(w io.Writer, r *report.Report) error {
	b := bufio.NewWriterSize(w, 64<<10)
	t := newTable(r)
	b.Write(appendRow(nil, csvHeader...))
	// The fields that cells of a kind share are written once and copied.
	kinds := make([][]byte, len(t.kinds))
	for i := range t.kinds {
		c := t.kinds[i].Outcome
		var rules, reasons []string
		for _, reason := range c.Reasons {
			rules = append(rules, reason.Rule)
			reasons = append(reasons, sentence(reason))
		}
		kinds[i] = appendRow(nil, c.Status.String(), string(c.Code), strings.Join(rules, "; "), strings.Join(reasons, "; "))
		kinds[i] = kinds[i][:len(kinds[i])-2]
	}
	devices := make([][]byte, len(t.Devices))
	for d := range t.Devices {
		devices[d] = appendField(nil, t.Devices[d].Name)
	}
	for k := range t.Kernels {
		kernel := &t.Kernels[k]
		start := appendRow(nil, t.Targets[kernel.Target], kernelName(kernel), kernel.Name)
		start = append(start[:len(start)-2], ',')
		path, line := "", ""
		if l := kernel.Location; !l.IsZero() {
			path, line = l.Path, strconv.FormatUint(uint64(l.Line), 10)
		}
		end := append([]byte{','}, appendRow(nil, path, line)...)
		for d, n := range t.row(k) {
			b.Write(start)
			b.Write(devices[d])
			b.WriteByte(',')
			b.Write(kinds[n])
			b.Write(end)
		}
	}
	return b.Flush()
}

func appendRow(dst []byte, fields ...string) []byte {
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendField(dst, f)
	}
	return append(dst, "\r\n"...)
}

// appendField appends a field that means the same to every reader. It is quoted unless it
// is plain, because some readers take other characters than commas for separators. It is
// never a formula.
func appendField(dst []byte, s string) []byte {
	s = safetext.Escape(s)
	if start := strings.TrimLeft(s, ` '"`); start != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(start)[0]) {
		s = "'" + s
	}
	plain := true
	for i := range len(s) {
		c := s[i]
		plain = plain && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.:/", c) >= 0)
	}
	if plain {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(s, `"`, `""`)...)
	return append(dst, '"')
}
