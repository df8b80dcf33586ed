package render

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// csvHeader is the header of CSV reports.
var csvHeader = []string{"target", "kernel", "symbol", "device", "status", "holds", "rules", "reasons", "path", "line"}

// CSV writes a report as comma-separated values (RFC 4180): a header and one row per kernel and
// device, in report order. The path and the line are the kernel's source location, if known. "; "
// separates rules and reasons.
//
// Spreadsheets interpret text that begins with =, +, - or @ as a formula, so CSV adds an apostrophe
// before it. Invisible characters are written as in the other formats, see [safetext.Escape].
func CSV(w io.Writer, r *report.Report) error {
	b := bufio.NewWriterSize(w, 64<<10)
	t := newTable(r)
	b.Write(appendRow(nil, csvHeader...))
	// Encode the fields shared by cells of a kind once, and copy them.
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

// appendField appends a field that every reader interprets in the same way. It is quoted unless it
// is plain, because some readers use separators other than commas. It is never a formula.
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
