package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
)

// A Report is the output of a benchmark.
type Report struct {
	Title   string   `json:"title,omitempty"` // what was measured, if the names of the results do not show it
	Machine Machine  `json:"machine"`
	Results []Result `json:"results"`
	Limits  []Limit  `json:"limits,omitempty"`
}

// A Machine describes where the benchmark ran.
type Machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Cores int    `json:"cores"`
}

func thisMachine() Machine { return Machine{runtime.GOOS, runtime.GOARCH, runtime.NumCPU()} }

// A Result is the best of the runs of one contender.
type Result struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`                 // elapsed time of the fastest run
	CPU     float64 `json:"cpu_seconds"`             // of all cores, in the run with the least; more meaningful than elapsed time on a busy machine
	Bytes   int64   `json:"bytes,omitempty"`         // bytes read or written in that time
	MaxRSS  int64   `json:"max_rss_bytes,omitempty"` // of the largest run; only for processes
}

// A Limit is a limit on a measured number.
type Limit struct {
	Name     string  `json:"name"`
	Measured float64 `json:"measured"`
	AtLeast  bool    `json:"at_least"` // otherwise at most
	Value    float64 `json:"limit"`
	Unit     string  `json:"unit"`
	Met      bool    `json:"met"`
}

// AtLeast adds a lower limit.
func (r *Report) AtLeast(name string, measured, limit float64, unit string) {
	r.Limits = append(r.Limits, Limit{name, measured, true, limit, unit, measured >= limit})
}

// AtMost adds an upper limit.
func (r *Report) AtMost(name string, measured, limit float64, unit string) {
	r.Limits = append(r.Limits, Limit{name, measured, false, limit, unit, measured <= limit})
}

// columns are the possible columns of the table. A report shows only columns with numbers.
var columns = []struct {
	title, format string
	value         func(*Result) float64 // 0 if there is none
}{
	{"ms", "%.1f", func(r *Result) float64 { return r.Seconds * 1000 }},
	{"CPU ms", "%.1f", func(r *Result) float64 { return r.CPU * 1000 }},
	{"MiB", "%.1f", func(r *Result) float64 { return float64(r.Bytes) / MiB }},
	{"MiB/s", "%.0f", func(r *Result) float64 { return float64(r.Bytes) / MiB / max(r.Seconds, 1e-6) }},
	{"max RSS, MiB", "%.1f", func(r *Result) float64 { return float64(r.MaxRSS) / MiB }},
}

func (r *Report) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	shown := slices.Clone(columns)
	for i := len(shown) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(r.Results, func(m Result) bool { return shown[i].value(&m) != 0 }) {
			shown = slices.Delete(shown, i, i+1)
		}
	}
	fmt.Fprint(t, cmp.Or(r.Title, "best of the runs"))
	for _, c := range shown {
		fmt.Fprint(t, "\t", c.title)
	}
	fmt.Fprintln(t, "\t")
	for _, m := range r.Results {
		fmt.Fprint(t, m.Name)
		for _, c := range shown {
			cell := ""
			if v := c.value(&m); v != 0 {
				cell = fmt.Sprintf(c.format, v)
			}
			fmt.Fprint(t, "\t", cell)
		}
		fmt.Fprintln(t, "\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(r.Limits) > 0 {
		fmt.Fprintln(t, "what\tmeasured\tlimit\t")
		for _, l := range r.Limits {
			fmt.Fprintln(t, l.row())
		}
		fmt.Fprintln(t)
	}
	fmt.Fprintf(t, "%s/%s, %d cores\n", r.Machine.OS, r.Machine.Arch, r.Machine.Cores)
	return t.Flush()
}

// row returns the cells of a limit.
func (l *Limit) row() string {
	sign, status := "<=", "MISSED"
	if l.AtLeast {
		sign = ">="
	}
	if l.Met {
		status = "met"
	}
	return fmt.Sprintf("%s\t%.2f %s\t%s %g %s\t%s", l.Name, l.Measured, l.Unit, sign, l.Value, l.Unit, status)
}
