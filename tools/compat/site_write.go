package main

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/outfile"
	gaterender "github.com/rules-sycl/rules_sycl/sycl/gate/render"
	"github.com/rules-sycl/rules_sycl/sycl/report/render"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

//go:embed site
var siteFiles embed.FS

var siteTemplates = template.Must(template.Must(template.New("").Parse(gaterender.ChangesTemplate)).ParseFS(siteFiles, "site/site.html"))

// A sitePage is the input to the page templates.
type sitePage struct {
	Root, Title, Lead string
	Libraries         []*siteLibrary // rows of the table
	Devices           []*siteDevice
	Problems          []*siteProblem
	Library           *siteLibrary
	Badge             string
	Shares            []*siteShare
	Found             []*siteOccurrence
}

// siteMark is the file by which Write recognizes an existing site.
const siteMark = "data.json"

// Write writes the site to a directory. It replaces an existing site completely.
func (s *site) Write(dir string) error {
	return outfile.ReplaceDirectory(dir, siteMark, s.write)
}

func (s *site) write(dir string) error {
	w := siteWriter{dir: dir}
	style, _ := siteFiles.ReadFile("site/site.css")
	script, _ := siteFiles.ReadFile("site/site.js")
	w.file("site.css", append([]byte(show.Style), style...))
	w.file("site.js", script)
	data, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	w.file(siteMark, append(data, '\n'))
	versions := 0
	for _, l := range s.Libraries {
		versions += len(l.Versions)
		w.library(l)
	}
	w.page("index.html", "index.html", &sitePage{Title: "Which SYCL libraries run where", Libraries: s.Libraries, Devices: s.Devices, Problems: s.Problems,
		Lead: fmt.Sprintf("Libraries: %d, versions: %d, devices: %d.", len(s.Libraries), versions, len(s.Devices))})
	for _, d := range s.Devices {
		shares := slices.Clone(d.Shares)
		slices.SortStableFunc(shares, func(a, b *siteShare) int { return cmp.Compare(min(b.Fails, 1), min(a.Fails, 1)) })
		w.page("device.html", "d/"+d.Slug+".html", &sitePage{Root: "../", Title: d.Name, Lead: "Libraries on this device, those with problems first.", Shares: shares})
	}
	for _, p := range s.Problems {
		w.page("problem.html", "p/"+p.Slug+".html", &sitePage{Root: "../", Title: p.Rule + ": " + p.Name, Lead: "Versions of libraries with this problem, and the devices.", Found: p.Found})
	}
	return w.err
}

// A siteWriter writes files into a directory. After the first error, it does nothing.
type siteWriter struct {
	dir string
	err error
}

func (w *siteWriter) create(name string, write func(io.Writer) error) {
	if w.err != nil {
		return
	}
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if w.err = os.MkdirAll(filepath.Dir(path), 0o777); w.err != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		w.err = err
		return
	}
	w.err = cmp.Or(write(f), f.Close())
}

func (w *siteWriter) file(name string, data []byte) {
	w.create(name, func(f io.Writer) error { _, err := f.Write(data); return err })
}

func (w *siteWriter) page(template, name string, p *sitePage) {
	var b bytes.Buffer
	if err := siteTemplates.ExecuteTemplate(&b, template, p); err != nil && w.err == nil {
		w.err = err
	}
	w.file(name, b.Bytes())
}

func (w *siteWriter) library(l *siteLibrary) {
	newest := l.Versions[0]
	var devices []*siteDevice
	for _, v := range l.Versions {
		for _, s := range v.Shares {
			if !slices.Contains(devices, s.Device) {
				devices = append(devices, s.Device)
			}
		}
		w.rows(v)
		w.create("reports/"+l.Slug+"/"+v.Slug+".json", v.report.Encode)
	}
	whole := 0
	slugs := newSlugs()
	for _, s := range newest.Shares {
		if s.All() > 0 && s.Runs == s.All() {
			whole++
		}
		w.badge("b/"+l.Slug+"/"+slugs.add("d", s.Name)+".svg", newest.Title()+" on "+s.Name, s.Percent(), s.Class())
	}
	right, class := newest.headline(whole)
	w.badge("b/"+l.Slug+".svg", newest.Title(), right, class)
	w.page("library.html", "l/"+l.Slug+".html", &sitePage{Root: "../", Title: l.Name, Lead: fmt.Sprintf("Newest version: %s.", cmp.Or(newest.Name, "without a number")),
		Library: l, Libraries: []*siteLibrary{l}, Devices: devices, Badge: newest.Title() + " " + right})
}

// headline summarizes where a version runs, and returns the CSS class of the summary. whole is the
// number of devices that run all kernels. If it is 0, the summary is about the best device.
func (v *siteVersion) headline(whole int) (words, class string) {
	if whole > 0 && whole == len(v.Shares) {
		return "runs on " + safetext.Plural(whole, "the device", fmt.Sprintf("all %d devices", whole)), "n"
	}
	if whole > 0 {
		return fmt.Sprintf("runs on %d of %d devices", whole, len(v.Shares)), "m"
	}
	var best *siteShare
	for _, s := range v.Shares {
		if s.All() > 0 && (best == nil || s.Runs*best.All() > best.Runs*s.All()) {
			best = s
		}
	}
	switch {
	case best == nil:
		return "not compared", "a"
	case best.Runs == 0 && best.Fails == 0:
		return "known only at run time", "m"
	case best.Runs == 0:
		return "runs on no device", "x"
	}
	return best.Percent() + " of kernels run on " + best.Name, "m"
}

// badgeColors maps CSS classes to colors, which have a contrast ratio of at least 4.5 to white.
var badgeColors = map[string]string{"n": "#0d6b2d", "m": "#7a5200", "x": "#a3231e", "a": "#5a6572"}

type badge struct{ Left, Right, Color string }

func textWidth(s string) int    { return 7 * len([]rune(s)) }
func (b badge) LeftWidth() int  { return textWidth(b.Left) }
func (b badge) RightWidth() int { return textWidth(b.Right) }
func (b badge) Split() int      { return b.LeftWidth() + 12 }
func (b badge) RightX() int     { return b.Split() + 6 }
func (b badge) Rest() int       { return b.RightWidth() + 12 }
func (b badge) Width() int      { return b.Split() + b.Rest() }

func (w *siteWriter) badge(name, left, right, class string) {
	const most = 80
	if r := []rune(left); len(r) > most {
		left = string(r[:most-1]) + "…"
	}
	var b bytes.Buffer
	if err := siteTemplates.ExecuteTemplate(&b, "badge.svg", badge{left, right, badgeColors[class]}); err != nil && w.err == nil {
		w.err = err
	}
	w.file(name, b.Bytes())
}

// maxPart is the approximate maximum size in bytes of a file with rows. Pages load them on demand.
const maxPart = 400_000

// A rowPart is a file with rows.
type rowPart struct {
	rows, patterns []string
	number         map[int32]int // pattern number of each row of the report
	size           int
}

// rows writes the kernels of a version to script files, those with problems first. In each file,
// equal cells and equal rows are stored once.
func (w *siteWriter) rows(v *siteVersion) {
	cells, cellNumber, cellOf := [][2]string{}, map[[2]string]int{}, []int{}
	for _, c := range render.Cells(v.report) {
		n, ok := cellNumber[c]
		if !ok {
			n = len(cells)
			cellNumber[c] = n
			cells = append(cells, c)
		}
		cellOf = append(cellOf, n)
	}
	var parts []*rowPart
	var part *rowPart
	for _, r := range render.Rows(v.report) {
		if part == nil || part.size > maxPart {
			part = &rowPart{number: map[int32]int{}}
			parts = append(parts, part)
		}
		n, ok := part.number[r.Row]
		if !ok {
			n = len(part.patterns)
			part.number[r.Row] = n
			var row []int
			for _, o := range v.report.Rows[r.Row] {
				row = append(row, cellOf[o])
			}
			data, _ := json.Marshal(row)
			part.patterns = append(part.patterns, string(data))
			part.size += len(data)
		}
		data, _ := json.Marshal([]any{r.Name, n}) // < and > are escaped
		part.rows = append(part.rows, string(data))
		part.size += len(data)
	}
	if parts == nil {
		parts = []*rowPart{{}}
	}
	key, _ := json.Marshal(v.Library.Slug + "/" + v.Slug)
	for n, part := range parts {
		head := "{"
		if n == 0 {
			var devices []string
			for i := range v.report.Devices {
				devices = append(devices, safetext.Escape(v.report.Devices[i].Name))
			}
			data, err := json.Marshal(struct {
				Cells   [][2]string `json:"cells"`
				Devices []string    `json:"devices"`
				Kernels int         `json:"kernels"`
				Parts   int         `json:"parts"`
			}{cells, devices, len(v.report.Kernels), len(parts)})
			if err != nil {
				w.err = cmp.Or(w.err, err)
				return
			}
			head = string(data[:len(data)-1]) + ","
		}
		w.file(fmt.Sprintf("rows/%s/%s-%d.js", v.Library.Slug, v.Slug, n), fmt.Appendf(nil, "siteRows(%s,%d,%s\"patterns\":[%s],\"rows\":[\n%s]});\n",
			key, n, head, strings.Join(part.patterns, ","), strings.Join(part.rows, ",\n")))
	}
}
