package render

import (
	"fmt"
	"io"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// repeated returns a report on many kernels, with the rows of a small report.
func repeated(b *testing.B, kernels int) *report.Report {
	r := reporttest.Build(b, reporttest.Large(500), "intel_gpu_dg2", "intel_gpu_pvc", "x86_64", "spir64")
	var list []report.Kernel
	for k := range kernels {
		kernel := r.Kernels[k%len(r.Kernels)]
		kernel.DisplayName = fmt.Sprintf("sim::detail::Kernel%d<sim::Mesh<double, 3>, sim::Boundaries<float>, %d>", k%997, k)
		kernel.Name = fmt.Sprintf("_ZTS%d", k)
		kernel.Location = srcloc.Location{Path: fmt.Sprintf("src/part%03d.cpp", k%500), Line: uint32(k)}
		list = append(list, kernel)
	}
	r.Kernels = list
	return r
}

// BenchmarkRenderings measures the time and the allocations of renderings per kernel, without
// building the report.
func BenchmarkRenderings(b *testing.B) {
	const kernels = 500_000
	r := repeated(b, kernels)
	for _, c := range []struct {
		name   string
		render func(io.Writer) error
	}{
		{"text", func(w io.Writer) error { return Text(w, r, TextOptions{}) }},
		{"text of all", func(w io.Writer) error { return Text(w, r, TextOptions{All: true}) }},
		{"text by name", func(w io.Writer) error { return Text(w, r, TextOptions{GroupBy: ByName}) }},
		{"text by source", func(w io.Writer) error { return Text(w, r, TextOptions{GroupBy: BySource}) }},
		{"Markdown", func(w io.Writer) error { return Markdown(w, r, MarkdownOptions{MaxBytes: 65_536}) }},
		{"Markdown of all", func(w io.Writer) error { return Markdown(w, r, MarkdownOptions{}) }},
		{"HTML", func(w io.Writer) error { return HTML(w, r, HTMLOptions{}) }},
		{"CSV", func(w io.Writer) error { return CSV(w, r) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				testkit.NoError(b, c.render(io.Discard))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/kernels, "ns/kernel")
		})
	}
}
