package render

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/show"
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
	b.Write(show.AppendRow(nil, csvHeader...))
	// Encode the fields shared by cells of a kind once, and copy them.
	kinds := make([][]byte, len(t.kinds))
	for i := range t.kinds {
		c := t.kinds[i].Outcome
		var rules, reasons []string
		for _, reason := range c.Reasons {
			rules = append(rules, string(reason.Rule))
			reasons = append(reasons, sentence(reason))
		}
		kinds[i] = show.AppendRow(nil, c.Status.String(), string(c.Code), strings.Join(rules, "; "), strings.Join(reasons, "; "))
		kinds[i] = kinds[i][:len(kinds[i])-2]
	}
	devices := make([][]byte, len(t.Devices))
	for d := range t.Devices {
		devices[d] = show.AppendField(nil, t.Devices[d].Name)
	}
	for k := range t.Kernels {
		kernel := &t.Kernels[k]
		start := show.AppendRow(nil, t.Targets[kernel.Target], kernelName(kernel), kernel.Name)
		start = append(start[:len(start)-2], ',')
		path, line := "", ""
		if l := kernel.Location; !l.IsZero() {
			path, line = l.Path, strconv.FormatUint(uint64(l.Line), 10)
		}
		end := append([]byte{','}, show.AppendRow(nil, path, line)...)
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
