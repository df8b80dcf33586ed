package render

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// HTMLOptions says how a report is written as a page.
type HTMLOptions struct {
	// MaxCells is the number of cells up to which the page has all rows of the table.
	// A script draws the rows of a larger one as they come into view. 0 is 20,000.
	MaxCells int
}

const defaultMaxCells = 20_000

// HTML writes a report as a page with a table that can be filtered, reasons, kernels and
// devices. The page is complete: it may not load or send anything, and it runs only its
// own script.
func HTML(w io.Writer, r *report.Report, o HTMLOptions) error {
	b := bufio.NewWriterSize(w, 64<<10)
	p := newPage(r, o)
	if err := pages.ExecuteTemplate(b, "page.html", p); err != nil {
		return err
	}
	if err := p.writeData(b); err != nil {
		return err
	}
	if err := pages.ExecuteTemplate(b, "end", p); err != nil {
		return err
	}
	return b.Flush()
}

//go:embed html
var pageFiles embed.FS

var pages = template.Must(template.ParseFS(pageFiles, "html/page.html"))

func pageFile(name string) string {
	data, err := pageFiles.ReadFile("html/" + name)
	if err != nil {
		panic(err)
	}
	return string(data)
}

var (
	pageStyle  = pageFile("page.css")
	pageScript = pageFile("page.js")
)

// source returns the name of an inline style or script in a content security policy.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// page is the input of the template.
type page struct {
	*report.Report
	Title   string
	Policy  string
	Style   template.CSS
	Script  template.JS
	Lazy    bool
	Counts  []pageCount
	Reasons []pageReason

	byDevice [][]pageCount // Counts of each device
	table    *table
	cells    []template.HTML // by kind
	whys     map[pageWhy]int
	lists    map[string]int // numbers of Data.Constants
	Data     pageData
}

// ImageOptions says what the options of images are.
func (p *page) ImageOptions() []string { return optionSentences(p.Report, plain) }

// pageCount is a state of cells with the number of cells. The legend lists them.
type pageCount struct {
	Class, Symbol, Word, Meaning string
	N                            int
}

// Classes of cells. The style and the script know them.
const (
	classNative  = "n"
	classJIT     = "j"
	classNo      = "x"
	classMaybe   = "m"
	classNothing = "a"
)

// pageStates are the states: each has a symbol, a word and a class for its colour.
var pageStates = []pageCount{
	{Class: classNative, Symbol: "✓", Word: "native", Meaning: "Runs: compiled for the device."},
	{Class: classJIT, Symbol: "✓", Word: "JIT", Meaning: "Runs: compiled when the program runs."},
	{Class: classNo, Symbol: "✕", Word: "no", Meaning: "Does not run, for the reason in the cell."},
	{Class: classMaybe, Symbol: "?", Word: "maybe", Meaning: "Known only when the program runs."},
	{Class: classNothing, Symbol: "–", Word: "n/a", Meaning: "Not compared."},
}

// pageCell returns the class and the words of a cell.
func pageCell(c *report.Outcome) (class, words string) {
	switch c.Status {
	case compat.Compatible:
		class = classNative
		if words = codeWords(c.Code); words == "JIT" {
			class = classJIT
		}
		return class, "✓ " + words
	case compat.Incompatible:
		return classNo, "✕ no: " + briefly(c)
	case compat.Undetermined:
		return classMaybe, "? maybe: " + briefly(c)
	}
	return classNothing, "– n/a"
}

// pageData is the input of the script but for the kernels. Many cells are alike and so are
// many rows: a cell is the number of a kind, and a row is the number of a pattern.
type pageData struct {
	Lazy     bool       `json:"lazy"`
	Devices  []string   `json:"devices"`
	Targets  []string   `json:"targets"`
	Files    []string   `json:"files,omitempty"`
	Kinds    []pageKind `json:"kinds"`
	Patterns [][]int32  `json:"patterns"`
	Whys     []pageWhy  `json:"whys,omitempty"`

	Constants [][]string `json:"constants,omitempty"` // a list for each set of images that kernels have
}

type pageKind struct {
	Class string   `json:"c"`
	Words string   `json:"t"`
	Rules []string `json:"r,omitempty"`
	Whys  []int    `json:"w,omitempty"` // if lazy
}

// pageWhy is a reason in the words of the page.
type pageWhy struct {
	Class  string `json:"c"`
	Word   string `json:"-"`
	Needs  string `json:"n"`
	Offers string `json:"o"`
	Text   string `json:"t"`
}

type pageKernel struct {
	Name    string `json:"n"`
	Pattern int32  `json:"p"`
	Target  int32  `json:"g"`
	// The rest is for the script only if lazy.
	Symbol  string   `json:"s,omitempty"`
	Place   string   `json:"l,omitempty"`
	Origins []string `json:"u,omitempty"`
	Files   []int32  `json:"f,omitempty"`
	Forms   []string `json:"m,omitempty"`

	Constants int `json:"c,omitempty"` // number of a list, from 1
}

func newPage(r *report.Report, o HTMLOptions) *page {
	t := newTable(r)
	limit := o.MaxCells
	if limit <= 0 {
		limit = defaultMaxCells
	}
	p := &page{Report: r, table: t, Title: t.title(), Style: template.CSS(pageStyle), Script: template.JS(pageScript),
		Lazy: len(r.Kernels)*len(r.Devices) > limit, whys: map[pageWhy]int{}}
	p.Policy = "default-src 'none'; style-src " + source(pageStyle) + "; script-src " + source(pageScript) + "; base-uri 'none'; form-action 'none'"
	p.Data = pageData{Lazy: p.Lazy, Devices: []string{}, Targets: []string{}, Kinds: []pageKind{}, Patterns: r.Rows}
	p.kinds()
	p.byDevice, p.Counts = p.countCells()
	for _, label := range r.Targets {
		p.Data.Targets = append(p.Data.Targets, safetext.Escape(label))
	}
	if len(r.Targets) == 1 { // the title has it
		p.Data.Targets[0] = ""
	}
	if p.Lazy {
		for _, f := range r.Files {
			p.Data.Files = append(p.Data.Files, safetext.Escape(f.Name))
		}
		p.lists = p.listConstants()
	}
	p.reasons()
	for _, d := range r.Devices {
		p.Data.Devices = append(p.Data.Devices, safetext.Escape(d.Name))
	}
	return p
}

func (p *page) kinds() {
	for i := range p.table.kinds {
		c := p.table.kinds[i].Outcome
		class, words := pageCell(c)
		k := pageKind{Class: class, Words: words}
		for _, r := range p.table.kinds[i].counted() {
			if r.Rule != report.NotReported {
				k.Rules = append(k.Rules, safetext.Escape(r.Rule))
			}
			if p.Lazy {
				k.Whys = append(k.Whys, p.why(r))
			}
		}
		p.Data.Kinds = append(p.Data.Kinds, k)
		var b strings.Builder
		if err := pages.ExecuteTemplate(&b, "cell", k); err != nil {
			panic(err) // a strings.Builder takes everything
		}
		p.cells = append(p.cells, template.HTML(b.String()))
	}
}

// newWhy returns a reason in the words of the page.
func newWhy(r report.Reason) pageWhy {
	w := pageWhy{Class: classNo, Word: "✕ no", Needs: need(r), Offers: offer(r), Text: sentence(r)}
	switch r.Status {
	case compat.Undetermined:
		w.Class, w.Word = classMaybe, "? maybe"
	case compat.NotApplicable:
		w.Class, w.Word = classNothing, "– n/a"
	}
	return w
}

func (p *page) why(r report.Reason) int {
	w := newWhy(r)
	i, ok := p.whys[w]
	if !ok {
		i = len(p.Data.Whys)
		p.whys[w] = i
		p.Data.Whys = append(p.Data.Whys, w)
	}
	return i
}

// countCells counts the cells of devices, by number, and of all.
func (p *page) countCells() (byDevice [][]pageCount, all []pageCount) {
	all = slices.Clone(pageStates)
	for range p.Devices {
		byDevice = append(byDevice, slices.Clone(pageStates))
	}
	for k := range p.Kernels {
		for d, kind := range p.table.row(k) {
			i := slices.IndexFunc(pageStates, func(s pageCount) bool { return s.Class == p.Data.Kinds[kind].Class })
			byDevice[d][i].N++
			all[i].N++
		}
	}
	return byDevice, all
}

// listConstants lists the specialization constants of kernels, and returns the numbers of the
// lists, from 1, by the images of the kernels.
func (p *page) listConstants() map[string]int {
	numbers := map[string]int{}
	constants := p.table.constants()
	for i := range p.Kernels {
		k := &p.Kernels[i]
		list, images := constants(k), p.table.kindsOf(k)
		if _, ok := numbers[images]; !ok && len(list) > 0 {
			p.Data.Constants = append(p.Data.Constants, list)
			numbers[images] = len(p.Data.Constants)
		}
	}
	return numbers
}

// writeData writes the input of the script. There can be many kernels, so they are
// written one by one. JSON has no characters that HTML could take for markup.
func (p *page) writeData(w *bufio.Writer) error {
	data, err := json.Marshal(&p.Data)
	if err != nil {
		return err
	}
	w.WriteString(`<script type="application/json" id="data">`)
	w.Write(data[:len(data)-1])
	w.WriteString(`,"kernels":[`)
	for k := range p.Kernels {
		kernel := &p.Kernels[k]
		out := pageKernel{Name: kernelName(kernel), Pattern: kernel.Row, Target: kernel.Target}
		if p.Lazy {
			out.Symbol, out.Place, out.Origins, out.Forms = symbol(kernel), place(kernel.Location), origins(kernel), forms(kernel)
			out.Constants = p.lists[p.table.kindsOf(kernel)]
			out.Files = p.filesOf(kernel)
		}
		if data, err = json.Marshal(&out); err != nil {
			return err
		}
		if k > 0 {
			w.WriteByte(',')
		}
		w.Write(data)
	}
	_, err = w.WriteString("]}</script>")
	return err
}

// filesOf returns the numbers of the files that hold images of a kernel.
func (p *page) filesOf(k *report.Kernel) (list []int32) {
	for _, n := range k.Images {
		list = append(list, p.ImageKinds[p.Images[n].Kind].Files...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// symbol returns the mangled name of a kernel if it differs from the name that the page
// shows.
func symbol(k *report.Kernel) string {
	if s := safetext.Escape(k.Name); s != kernelName(k) {
		return s
	}
	return ""
}

// forms returns the forms of a kernel with what each is for.
func forms(k *report.Kernel) (list []string) {
	if k.Forms == nil {
		return nil
	}
	for _, name := range k.Forms.Reduction {
		list = append(list, string(kernelname.Reduction)+": "+safetext.Escape(name))
	}
	for _, name := range k.Forms.RoundedRange {
		list = append(list, string(kernelname.RoundedRange)+": "+safetext.Escape(name))
	}
	return list
}

func origins(k *report.Kernel) (list []string) {
	for _, o := range k.Origins {
		list = append(list, safetext.Escape(o.Aspect.Name)+": "+originText(k, o))
	}
	return list
}

// pageReason is an entry as the page shows it.
type pageReason struct {
	Class, Word, Brief, Text string
	Kernels, Others          []pageAbout // the page unfolds Others
	Uncounted                int         // kernels in neither
	NumKernels               string
	Devices                  []string
	Origins                  []string
	OtherOrigins             int // left out
	Note                     string
}

// pageAbout is a kernel that a reason is about.
type pageAbout struct {
	Index                      int
	Name, Target, Brief, Place string
}

func (p *page) reasons() {
	const shown, most = 12, 200
	for _, e := range p.table.reasons() {
		if e.Rule == report.NotReported {
			continue
		}
		w := newWhy(e.Reason)
		out := pageReason{Class: w.Class, Word: w.Word, Brief: e.brief, Text: e.text, NumKernels: count(len(e.kernels), "kernel"),
			Devices: p.table.deviceNames(e.devices), Uncounted: max(0, len(e.kernels)-most)}
		n := 0
		out.Origins, n, out.Note = e.origins(p.table, most)
		out.OtherOrigins = n - len(out.Origins)
		for _, n := range e.kernels[:min(len(e.kernels), most)] {
			k := p.table.kernel(n)
			out.Kernels = append(out.Kernels, pageAbout{Index: int(n), Name: kernelName(k), Target: safetext.Escape(p.Target(k)), Brief: e.briefs[p.Kernels[n].Row], Place: place(k.Location)})
		}
		out.Kernels, out.Others = out.Kernels[:min(len(out.Kernels), shown)], out.Kernels[min(len(out.Kernels), shown):]
		p.Reasons = append(p.Reasons, out)
	}
}

// pageGroup is the kernels of a target.
type pageGroup struct {
	Label string
	Rows  []pageRow
}

// pageRow is a kernel with its cells.
type pageRow struct {
	Index          int
	Name           string
	Cells          []template.HTML
	Symbol, Place  string
	Origins        []string
	Files, Forms   []string
	Constants      []string
	Problems, Open int // cells
	Whys           []pageRowWhy
}

// pageRowWhy is a reason of a kernel with the devices that it is about.
type pageRowWhy struct {
	pageWhy
	Devices []string
}

// Groups returns the rows of the table.
func (p *page) Groups() []pageGroup {
	var list []pageGroup
	files, constants := p.table.files(), p.table.constants()
	for k := range p.Kernels {
		kernel := &p.Kernels[k]
		label := safetext.Escape(p.Target(kernel))
		if k == 0 || list[len(list)-1].Label != label {
			list = append(list, pageGroup{Label: label})
		}
		row := pageRow{Index: k, Name: kernelName(kernel), Symbol: symbol(kernel), Place: place(kernel.Location), Origins: origins(kernel), Forms: forms(kernel), Constants: constants(kernel)}
		for _, name := range files(kernel) {
			row.Files = append(row.Files, safetext.Escape(name))
		}
		index := map[pageWhy]int{}
		for d, n := range p.table.row(k) {
			row.Cells = append(row.Cells, p.cells[n])
			switch p.Data.Kinds[n].Class {
			case classNo:
				row.Problems++
			case classMaybe:
				row.Open++
			}
			for _, r := range p.table.kinds[n].counted() {
				w := newWhy(r)
				i, ok := index[w]
				if !ok {
					i = len(row.Whys)
					index[w] = i
					row.Whys = append(row.Whys, pageRowWhy{pageWhy: w})
				}
				row.Whys[i].Devices = append(row.Whys[i].Devices, safetext.Escape(p.Devices[d].Name))
			}
		}
		list[len(list)-1].Rows = append(list[len(list)-1].Rows, row)
	}
	return list
}

// pageDevice is a device with the numbers of its cells.
type pageDevice struct {
	Name, Architecture, Backend string
	Aspects                     []string
	Other                       bool
	SubGroupSizes               []uint32
	MaxWorkGroupSize            uint64
	Counts                      []pageCount
}

// DeviceRows returns the rows of the table of devices.
func (p *page) DeviceRows() []pageDevice {
	var list []pageDevice
	for d, device := range p.Devices {
		row := pageDevice{Name: safetext.Escape(device.Name), Architecture: safetext.Escape(device.Architecture), Backend: safetext.Escape(device.Backend),
			Other: device.OpenWorld, SubGroupSizes: device.SubGroupSizes, MaxWorkGroupSize: device.MaxWorkGroupSize, Counts: p.byDevice[d]}
		for _, a := range device.Aspects {
			row.Aspects = append(row.Aspects, safetext.Escape(a.Name))
		}
		list = append(list, row)
	}
	return list
}

// Rules returns the rules that cells of the report have, for a filter.
func (p *page) Rules() []string {
	var list []string
	for _, k := range p.Data.Kinds {
		list = append(list, k.Rules...)
	}
	return distinct(list)
}

// Columns returns how many columns the table has.
func (p *page) Columns() int { return 1 + len(p.Devices) }

// Heads returns the names of devices in pieces: a head may break after each.
func (p *page) Heads() [][]string {
	var list [][]string
	for _, name := range p.Data.Devices {
		list = append(list, strings.SplitAfter(name, "_"))
	}
	return list
}

// Summary says the result of the report in one line.
func (p *page) Summary() string { return p.table.summary(plain) }

// Size says how large the table is.
func (p *page) Size() string {
	kernels, devices := len(p.Kernels), len(p.Devices)
	return p.Number(kernels) + safetext.Plural(kernels, " kernel", " kernels") + " × " + p.Number(devices) + safetext.Plural(devices, " device", " devices")
}

// Number writes a number with a comma after thousands.
func (p *page) Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// About names the program that made the report.
func (p *page) About() string {
	return cmp.Or(strings.TrimSpace(safetext.Escape(p.Generator.Name)+" "+safetext.Escape(p.Generator.Version)), "an unnamed program")
}

// BuiltFrom names the sources that the files were built from.
func (p *page) BuiltFrom() string {
	var list []string
	if p.Source.Commit != "" {
		list = append(list, "commit "+safetext.Escape(p.Source.Commit))
	}
	if p.Source.Date != "" {
		list = append(list, "sources of "+safetext.Escape(p.Source.Date))
	}
	return strings.Join(list, ", ")
}
