package render

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// HTMLOptions configure a report page.
type HTMLOptions struct {
	// MaxCells is the maximum number of cells for which the page contains all table rows. For a
	// larger table, a script draws the rows as they come into view, with one row per kernel
	// template. The default is 2,000.
	MaxCells int
}

const (
	defaultMaxCells = 2_000
	maxNames        = 128 << 10 // maximum bytes of kernel names in a page with all rows
	leastFamily     = 3         // minimum number of kernels of a template that share a row
)

// HTML writes a report as a page with a filterable table, reasons and devices. The page contains
// each kernel name once, so it is about as large as the report. The page is self-contained: it may
// not load or send anything, and runs only its own script.
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

//go:embed html/page.html
var pageTemplate string

//go:embed html/page.js
var pageScript string

var pages = template.Must(template.New("page.html").Parse(pageTemplate))

// A page is the input of the template.
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
	cells    []template.HTML // by outcome kind
	whys     map[pageWhy]int
	origins  map[string]int32
	lists    map[string]int // indexes of Data.Constants
	Data     pageData
}

// ImageOptions returns sentences about the options of images.
func (p *page) ImageOptions() []string { return optionSentences(p.Report, plain) }

// A pageCount is a cell state with the number of cells in it, for the legend.
type pageCount struct {
	Class, Symbol, Word, Meaning string
	N                            int
}

// Cell classes, which the style and the script use.
const (
	classNative  = "n"
	classJIT     = "j"
	classNo      = "x"
	classMaybe   = "m"
	classNothing = "a"
)

// pageStates are the cell states, with a symbol, a word and a color class each.
var pageStates = []pageCount{
	{Class: classNative, Symbol: "✓", Word: "native", Meaning: "Runs: compiled for the device."},
	{Class: classJIT, Symbol: "✓", Word: "JIT", Meaning: "Runs: compiled when the program runs."},
	{Class: classNo, Symbol: "✕", Word: "no", Meaning: "Does not run, for the reason in the cell."},
	{Class: classMaybe, Symbol: "?", Word: "maybe", Meaning: "Known only when the program runs."},
	{Class: classNothing, Symbol: "–", Word: "n/a", Meaning: "Not compared."},
}

// pageCell returns the class and the text of a cell.
func pageCell(c *report.Outcome) (class, words string) {
	switch c.Status {
	case compat.Compatible:
		class = classNative
		if words = codeWords(c.Code); words == "JIT" {
			class = classJIT
		}
		return class, "✓ " + words
	case compat.Incompatible:
		return classNo, "✕ no: " + briefReasons(c)
	case compat.Undetermined:
		return classMaybe, "? maybe: " + briefReasons(c)
	}
	return classNothing, "– n/a"
}

// pageData is the input of the script, except for the kernels. Many cells and rows are equal, so a
// cell is the number of a kind, and a row is the number of a pattern.
type pageData struct {
	Lazy     bool       `json:"lazy"`
	Devices  []string   `json:"devices"`
	Targets  []string   `json:"targets"`
	Files    []string   `json:"files,omitempty"`
	Kinds    []pageKind `json:"kinds"`
	Patterns [][]int32  `json:"patterns"`
	Whys     []pageWhy  `json:"whys,omitempty"`
	Origins  []string   `json:"origins,omitempty"`

	Constants [][]string `json:"constants,omitempty"` // one list per set of images
}

type pageKind struct {
	Class string   `json:"c"`
	Words string   `json:"t"`
	Rules []string `json:"r,omitempty"`
	Whys  []int    `json:"w,omitempty"`
}

// A pageWhy is the description of a reason on the page.
type pageWhy struct {
	Class  string `json:"c"`
	Word   string `json:"-"`
	Needs  string `json:"n"`
	Offers string `json:"o"`
	Text   string `json:"t"`
}

type pageKernel struct {
	Name    string   `json:"n,omitempty"` // only if lazy; otherwise, the table has the names
	Stem    int      `json:"b,omitempty"` // UTF-16 code units of the common name of kernels of a template
	Pattern int32    `json:"p"`
	Target  int32    `json:"g"`
	Symbol  string   `json:"s,omitempty"`
	Place   string   `json:"l,omitempty"`
	Origins []int32  `json:"u,omitempty"`
	Files   []int32  `json:"f,omitempty"`
	Forms   []string `json:"m,omitempty"`

	Constants int `json:"c,omitempty"` // list number, from 1
}

func newPage(r *report.Report, o HTMLOptions) *page {
	t := newTable(r)
	limit := o.MaxCells
	if limit <= 0 {
		limit = defaultMaxCells
	}
	p := &page{Report: r, table: t, Title: t.title(), Style: template.CSS(show.Style), Script: template.JS(pageScript),
		Lazy: len(r.Kernels)*len(r.Devices) > limit || namesLonger(r, maxNames), whys: map[pageWhy]int{}, origins: map[string]int32{}}
	p.Policy = "default-src 'none'; style-src " + show.PolicySource(show.Style) + "; script-src " + show.PolicySource(pageScript) + "; base-uri 'none'; form-action 'none'"
	p.Data = pageData{Lazy: p.Lazy, Devices: []string{}, Targets: []string{}, Kinds: []pageKind{}, Patterns: r.Rows}
	p.kinds()
	p.byDevice, p.Counts = p.countCells()
	for _, label := range r.Targets {
		p.Data.Targets = append(p.Data.Targets, safetext.Escape(label))
	}
	if len(r.Targets) == 1 { // the title shows the label
		p.Data.Targets[0] = ""
	}
	for _, f := range r.Files {
		p.Data.Files = append(p.Data.Files, safetext.Escape(f.Name))
	}
	p.lists = p.listConstants()
	p.listOrigins()
	p.reasons()
	for _, d := range r.Devices {
		p.Data.Devices = append(p.Data.Devices, safetext.Escape(d.Name))
	}
	return p
}

// namesLonger reports whether the kernel names have more than most bytes.
func namesLonger(r *report.Report, most int) bool {
	n := 0
	for i := range r.Kernels {
		n += len(r.Kernels[i].DisplayName)
	}
	return n > most
}

func (p *page) kinds() {
	for i := range p.table.kinds {
		c := p.table.kinds[i].Outcome
		class, words := pageCell(c)
		k := pageKind{Class: class, Words: words}
		for _, r := range p.table.kinds[i].counted() {
			if r.Rule != report.NotReported {
				k.Rules = append(k.Rules, safetext.Escape(string(r.Rule)))
			}
			k.Whys = append(k.Whys, p.why(r))
		}
		p.Data.Kinds = append(p.Data.Kinds, k)
		var b strings.Builder
		if err := pages.ExecuteTemplate(&b, "cell", k); err != nil {
			panic(err) // writes to a strings.Builder cannot fail
		}
		p.cells = append(p.cells, template.HTML(b.String()))
	}
}

// newWhy returns the description of a reason.
func newWhy(r report.Reason) pageWhy {
	w := pageWhy{Class: classNo, Word: "✕ no", Needs: need(r), Offers: available(r), Text: sentence(r)}
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

// countCells counts the cells by state, per device and in total.
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

// listConstants lists the specialization constants of kernels, and returns the list numbers, from
// 1, by the images of the kernels.
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

// listOrigins lists the distinct texts about the features that kernels use.
func (p *page) listOrigins() {
	for i := range p.Kernels {
		for _, text := range origins(&p.Kernels[i]) {
			if _, ok := p.origins[text]; !ok {
				p.origins[text] = int32(len(p.Data.Origins))
				p.Data.Origins = append(p.Data.Origins, text)
			}
		}
	}
}

// stems returns the length of each kernel's stem in UTF-16 code units, or 0 if no other kernel of
// the same target has the stem.
func (p *page) stems() []int {
	type family struct {
		target int32
		stem   string
	}
	count := map[family]int{}
	of := func(k *report.Kernel) family { return family{k.Target, stem(kernelName(k))} }
	for i := range p.Kernels {
		count[of(&p.Kernels[i])]++
	}
	lengths := make([]int, len(p.Kernels))
	for i := range p.Kernels {
		if f := of(&p.Kernels[i]); count[f] >= leastFamily {
			for _, c := range f.stem {
				lengths[i] += utf16.RuneLen(c)
			}
		}
	}
	return lengths
}

// writeData writes the input of the script. It writes the kernels one by one, because a report can
// have many.
func (p *page) writeData(w *bufio.Writer) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // these characters are frequent in names
	encode := func(v any) ([]byte, error) {
		b.Reset()
		if err := encoder.Encode(v); err != nil {
			return nil, err
		}
		return inScript(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
	}
	data, err := encode(&p.Data)
	if err != nil {
		return err
	}
	w.WriteString(`<script type="application/json" id="data">`)
	w.Write(data[:len(data)-1])
	w.WriteString(`,"kernels":[`)
	var stems []int
	if p.Lazy {
		stems = p.stems()
	}
	for k := range p.Kernels {
		kernel := &p.Kernels[k]
		out := pageKernel{Pattern: kernel.Row, Target: kernel.Target, Symbol: symbol(kernel), Place: show.Place(kernel.Location), Forms: forms(kernel),
			Constants: p.lists[p.table.kindsOf(kernel)], Files: p.filesOf(kernel)}
		if p.Lazy {
			out.Name, out.Stem = kernelName(kernel), stems[k]
		}
		for _, text := range origins(kernel) {
			out.Origins = append(out.Origins, p.origins[text])
		}
		if data, err = encode(&out); err != nil {
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

// inScript escapes JSON for a script element, where only the start of a comment or of a script tag
// is special.
func inScript(data []byte) []byte {
	var out []byte
	from := 0
	for i, c := range data {
		if c != '<' || !isMarkupInScript(data[i+1:]) {
			continue
		}
		out = append(append(out, data[from:i]...), `\u003c`...)
		from = i + 1
	}
	if from == 0 {
		return data
	}
	return append(out, data[from:]...)
}

func isMarkupInScript(after []byte) bool {
	const script = "script"
	return len(after) > 0 && (after[0] == '/' || after[0] == '!' || len(after) >= len(script) && strings.EqualFold(string(after[:len(script)]), script))
}

// filesOf returns the numbers of the files that contain images of a kernel.
func (p *page) filesOf(k *report.Kernel) (list []int32) {
	for _, n := range k.Images {
		list = append(list, p.ImageKinds[p.Images[n].Kind].Files...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// symbol returns the mangled name of a kernel if it differs from the displayed name.
func symbol(k *report.Kernel) string {
	if s := safetext.Escape(k.Name); s != kernelName(k) {
		return s
	}
	return ""
}

// forms returns the forms of a kernel, each with its purpose.
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

// A pageReason is the form of an entry on the page.
type pageReason struct {
	Class, Word, Brief, Text string
	Families                 []pageFamily
	OtherKernels             int // not in a shown family
	Filter                   string
	NumKernels               string
	Devices                  []string
	Origins                  []string
	OtherOrigins             int // not shown
	Note                     string
}

// A pageFamily holds kernels with the same name up to template arguments.
type pageFamily struct {
	Name    string
	Kernels int
}

func (p *page) reasons() {
	const (
		mostFamilies = 8
		mostOrigins  = 12
		mostName     = 120 // bytes; longer names are not repeated
	)
	for _, e := range p.table.reasons() {
		if e.Rule == report.NotReported {
			continue
		}
		w := newWhy(e.Reason)
		out := pageReason{Class: w.Class, Word: w.Word, Brief: e.brief, Text: e.text, NumKernels: safetext.Count(len(e.kernels), "kernel"),
			Devices: p.table.deviceNames(e.devices), OtherKernels: len(e.kernels), Filter: "#" + url.Values{"rule": {safetext.Escape(string(e.Rule))}, "status": {w.Class}}.Encode()}
		n := 0
		out.Origins, n, out.Note = e.origins(p.table, mostOrigins)
		out.OtherOrigins = n - len(out.Origins)
		for _, f := range p.table.families(e.kernels) {
			if name := safetext.Escape(stemPattern(f.stem)); len(name) <= mostName && len(out.Families) < mostFamilies {
				out.Families = append(out.Families, pageFamily{name, f.kernels})
				out.OtherKernels -= f.kernels
			}
		}
		p.Reasons = append(p.Reasons, out)
	}
}

// A pageShare is the percentage of the kernels that run on a device.
type pageShare struct{ Class, Percent, Device string }

// Shares returns the shares for each device, or nil if there are many devices.
func (p *page) Shares() []pageShare {
	const most = 6
	if len(p.Devices) > most || len(p.Kernels) == 0 {
		return nil
	}
	var list []pageShare
	for d := range p.Devices {
		runs, all := 0, 0
		for _, c := range p.byDevice[d] {
			switch c.Class {
			case classNative, classJIT:
				runs += c.N
			case classNothing:
				continue
			}
			all += c.N
		}
		if all == 0 {
			continue
		}
		s := pageShare{classMaybe, Percent(runs, all), safetext.Escape(p.Devices[d].Name)}
		switch runs {
		case all:
			s.Class = classNative
		case 0:
			s.Class = classNo
		}
		list = append(list, s)
	}
	return list
}

// Percent returns a share in percent with one decimal. It returns 100% only if part equals all,
// and 0% only if part is 0.
func Percent(part, all int) string {
	tenths := part * 1000 / all
	switch {
	case part > 0 && tenths == 0:
		return "< 0.1%"
	case tenths%10 == 0:
		return fmt.Sprintf("%d%%", tenths/10)
	}
	return fmt.Sprintf("%d.%d%%", tenths/10, tenths%10)
}

// A pageGroup holds the kernels of a target.
type pageGroup struct {
	Label string
	Rows  []pageRow
}

// A pageRow is a kernel with its cells.
type pageRow struct {
	Index int
	Name  string
	Cells []template.HTML
}

// Groups returns the rows of the kernel table, grouped by target.
func (p *page) Groups() []pageGroup {
	var list []pageGroup
	for k := range p.Kernels {
		kernel := &p.Kernels[k]
		label := safetext.Escape(p.Target(kernel))
		if k == 0 || list[len(list)-1].Label != label {
			list = append(list, pageGroup{Label: label})
		}
		row := pageRow{Index: k, Name: kernelName(kernel)}
		for _, n := range p.table.row(k) {
			row.Cells = append(row.Cells, p.cells[n])
		}
		list[len(list)-1].Rows = append(list[len(list)-1].Rows, row)
	}
	return list
}

// A pageDevice is a device with its cell counts.
type pageDevice struct {
	Name, Architecture, Backend string
	Aspects                     []string
	Other                       bool
	SubGroupSizes               []uint32
	MaxWorkGroupSize            uint64
	Counts                      []pageCount
}

// DeviceRows returns the rows of the device table.
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

// Rules returns the rules in the report, for a filter.
func (p *page) Rules() []string {
	var list []string
	for _, k := range p.Data.Kinds {
		list = append(list, k.Rules...)
	}
	return distinct(list)
}

// Columns returns the number of table columns.
func (p *page) Columns() int { return 1 + len(p.Devices) }

// Heads returns the device names, split at possible line breaks.
func (p *page) Heads() [][]string {
	var list [][]string
	for _, name := range p.Data.Devices {
		list = append(list, strings.SplitAfter(name, "_"))
	}
	return list
}

// GPUs returns the legend of the GPUs in the report.
func (p *page) GPUs() string { return p.table.gpus(plain) }

// Summary returns the result of the report in one line.
func (p *page) Summary() string {
	return largeNumber.ReplaceAllStringFunc(p.table.summary(plain), func(digits string) string {
		n, err := strconv.Atoi(digits)
		if err != nil {
			return digits
		}
		return p.Number(n)
	})
}

var largeNumber = regexp.MustCompile(`\b[0-9]{4,}\b`)

// Size returns the size of the table as text.
func (p *page) Size() string {
	kernels, devices := len(p.Kernels), len(p.Devices)
	return p.Number(kernels) + safetext.Plural(kernels, " kernel", " kernels") + " × " + p.Number(devices) + safetext.Plural(devices, " device", " devices")
}

// Number returns a number with commas between thousands.
func (p *page) Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// About returns the name of the program that generated the report.
func (p *page) About() string {
	return cmp.Or(strings.TrimSpace(safetext.Escape(p.Generator.Name)+" "+safetext.Escape(p.Generator.Version)), "an unnamed program")
}

// BuiltFrom returns a description of the sources that the files were built from.
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
