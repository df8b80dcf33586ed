package render

import (
	"bufio"
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// ChangesTemplate defines the template "changes", which renders sections on pages with the style of
// reports.
//
//go:embed html/changes.html
var ChangesTemplate string

var changesPage = template.Must(template.New("").Parse(ChangesTemplate))

// ChangesHTML writes a difference as a self-contained page without scripts.
func ChangesHTML(w io.Writer, d *gate.Difference, o ChangeOptions) error {
	b := bufio.NewWriter(w)
	title := safetext.Escape(o.Old) + " → " + safetext.Escape(o.New)
	err := changesPage.ExecuteTemplate(b, "page", map[string]any{
		"Title": title, "Lead": strings.TrimPrefix(changeTitle(d, o), title+": "), "Devices": deviceRows(d), "Sections": o.sections(d),
		"Style": template.CSS(show.Style), "Policy": show.PolicySource(show.Style),
	})
	if err != nil {
		return err
	}
	return b.Flush()
}

// ChangesCSV writes one row per change and device. No cell is interpreted as a formula.
func ChangesCSV(w io.Writer, d *gate.Difference, _ ChangeOptions) error {
	b := bufio.NewWriter(w)
	row := func(fields ...string) { b.Write(show.AppendRow(nil, fields...)) }
	row("change", "target", "kernel", "symbol", "device", "old", "new", "old reasons", "new reasons", "old target", "old kernel", "old symbol")
	for i := range d.Changes {
		c := &d.Changes[i]
		one := func(device, was, is string) {
			row(c.Kind, c.Target, c.Kernel, c.Name, device, was, is, reasonsText(c.OldReasons), reasonsText(c.NewReasons), c.OldTarget, c.OldKernel, c.OldName)
		}
		switch {
		case c.Kernel != "" && c.Device != "":
			one(c.Device, statusName(c.Old), statusName(c.New))
		case len(c.Statuses) == 0:
			one(c.Device, "", "")
		}
		for _, s := range c.Statuses {
			if c.Kind == "removed" {
				one(s.Device, statusName(s.Status), "")
			} else {
				one(s.Device, "", statusName(s.Status))
			}
		}
	}
	return b.Flush()
}
