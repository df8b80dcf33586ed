package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// slowMembers looks in the simplest way for members that two readers could understand
// differently: with a set for each object of the tokens that encoding/json finds. It
// reports whether it found one, deep nesting or anything after the end.
func slowMembers(data []byte) bool {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	type level struct {
		seen map[string]bool // nil in an array
		key  bool
		free bool
	}
	stack := []level{}
	free := false
	for {
		tok, err := d.Token()
		if err != nil {
			return false // not JSON
		}
		if n := len(stack); n > 0 && stack[n-1].key && tok != json.Delim('}') {
			top, key := &stack[n-1], tok.(string)
			folded := strings.ToLower(key)
			isASCII := !strings.ContainsFunc(key, func(r rune) bool { return r > 127 })
			if top.seen[folded] || !top.free && (folded != key || !isASCII) {
				return true
			}
			top.seen[folded], top.key = true, false
			free = top.free || n == 1 && key == "extensions"
			continue
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			if len(stack) == report.MaxDepth {
				return true
			}
			l := level{free: free && len(stack) > 0}
			if tok == json.Delim('{') {
				l.seen, l.key = map[string]bool{}, true
			}
			stack = append(stack, l)
			continue
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			rest, _ := io.ReadAll(io.MultiReader(d.Buffered(), strings.NewReader("")))
			return len(bytes.Trim(rest, " \t\r\n")) > 0 || tok != json.Delim('}')
		}
		if top := &stack[len(stack)-1]; top.seen != nil {
			top.key, free = true, top.free
		}
	}
}

// FuzzDecodeSame holds the reader against encoding/json.
func FuzzDecodeSame(f *testing.F) {
	full := encode(f, reporttest.Build(f, reporttest.Program(), "intel_gpu_dg2", "intel_gpu_pvc", "x86_64"))
	f.Add([]byte(full))
	var compact bytes.Buffer
	json.Compact(&compact, []byte(full))
	f.Add(compact.Bytes())
	for _, change := range [][2]string{
		{`"status"`, `"ſtatus"`}, {`"kernel"`, `"kernel": "x", "kernel"`}, {`"cells"`, `"devices"`}, {`_ZTS8Fp64Axpy`, `\u005fZTS8Fp64Axpy`},
		{`"required": "fp64"`, `"required": ""`}, {`"rule"`, `"rule": "a", "rule"`}, {`"intel_gpu_dg2"`, `"intel_gpu_dg2\\"`}, {`"scope"`, `"Scope"`},
		{`"cells": [`, `"cells": [null,`}, {`"generator"`, `"extensions": {"a": [1, {"B": "\ud800"}]}, "generator"`}, {`"reasons"`, `"reasons": [], "reasons"`},
		{`"status"`, `"\u0073tatus"`}, {`"esimd": false`, `"esimd": true`}, {`"size": 100`, `"size": 0100`}, {`"generator"`, `"later": [1e5, -0.5, true, null], "generator"`},
		{`"1.0"`, `"1.7"`}, {`"esimd": false`, `"esimd": false, "files": ["a", "b"]`}, {`"images": [`, `"forms": [{"kind": "reduction", "name": "f"}], "images": [`}, {`"triple"`, `"later": {"a": []}, "triple"`},
	} {
		f.Add([]byte(strings.Replace(full, change[0], change[1], 1)))
		f.Add([]byte(strings.Replace(strings.Replace(full, `"1.0"`, `"1.7"`, 1), change[0], change[1], 1)))
	}
	// Cells that differ from the last ones in nothing but the device, or nearly so.
	for _, cells := range []string{
		`{"device":"a","kernel":"k"},{"device":"b","kernel":"k"},{"device":"a","kernel":"l"},{"device":"b","kernel":"l"},{"device":"a","kernel":"l"}`,
		`{"kernel":"k","device":"a"},{"kernel":"k","device":"b"},{"kernel":"l","device":"a"},{"kernel":"l","device":"b"}`,
		`{"kernel":"k","device":"a"},{"kernel":"k","device":"a"},{"device":"a","kernel":"k"},{"device":"a"}`,
		`{"device":"a","kernel":"k"},{"device":"a","kernel":"k","device":"a"}`,
		`{"device":"a","kernel":"k"},{"device":"a","kernel":"k","kernel":"k"}`,
		`{"device":"a","kernel":"k"},{"device":"a","kernel":"k"}}`,
		`{"device":"a","kernel":"k"},{"device":"a","kernel":"k"`,
		`{"device":"a","kernel":"k"},{"device":"a","kernel":"k"}{"device":"a","kernel":"k"}`,
		`{"device":"a\\b","kernel":"k"},{"device":"a\b","kernel":"k"},{"device":"a\\b","kernel":"k"}`,
		`{"device":"a","kernel":"k"},{"device":"\u0061","kernel":"k"},{"device":"a","kernel":"k"}`,
		`{"device":"","kernel":"k"},{"device":"","kernel":"k"}`,
		`{"later":[{"device":"b"}],"device":"a","kernel":"k"},{"later":[{"device":"a"}],"device":"a","kernel":"k"}`,
		`{"device":"a","kernel":"k","later":1},{"device":"a","kernel":"k","later":01}`,
	} {
		for _, version := range []string{"1.0", "1.7"} {
			cells := strings.ReplaceAll(cells, "}", `,"holds":"ir","scope":"kernel","status":"compatible"}`)
			f.Add([]byte(`{"cells":[` + cells + `],` + rest + `,"schema-version":"` + version + `"}`))
		}
	}
	f.Add([]byte(`{"extensions": {"A": {"a": 1, "\u0041": 2}}, "cells": []} x`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !utf8.Valid(data) {
			return // Decode does not get as far
		}
		got, err := report.DecodeUnchecked(data)
		if small, smallErr := report.DecodeInPieces(data); fmt.Sprint(smallErr) != fmt.Sprint(err) || err == nil && comparable(small) != comparable(got) {
			t.Fatalf("in pieces: got %v, want %v", smallErr, err)
		}
		want := &report.Report{Devices: []report.Device{}}
		d := json.NewDecoder(bytes.NewReader(data))
		known := func(version string) bool { return version == "1.0" || version == report.SchemaVersion }
		if got == nil || known(got.SchemaVersion) {
			d.DisallowUnknownFields()
		}
		wantErr := d.Decode(want)
		switch {
		case err == nil && (wantErr != nil || slowMembers(data)):
			t.Fatalf("accepted: %v", wantErr)
		case err == nil:
			if got, want := comparable(got), comparable(want); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		case wantErr == nil && !slowMembers(data) && want.Schema == report.Schema && known(want.SchemaVersion) &&
			!ofSchema.MatchString(err.Error()) && !bytes.Contains(data, []byte("null")) && !bytes.Contains(data, []byte("-")) && len(data) < report.MaxText:
			t.Errorf("not accepted: %v", err)
		}
	})
}

// ofSchema are faults that encoding/json does not look for.
var ofSchema = regexp.MustCompile(` is missing$| must not be empty$| must not be 0$| must be one of | must have 3 sizes$| must be 64 hexadecimal digits$`)

// rest is what a report has beside its cells.
const rest = `"devices":[],"generator":{"name":"g","version":"1"},"images":[],"kernels":[],"schema":"` + report.Schema +
	`","statistics":{"cells":0,"compatible":0,"devices":0,"incompatible":0,"kernels":0,"not-applicable":0,"undetermined":0},"target":{"label":""}`

// comparable writes a report with lists that are missing as empty ones.
func comparable(r *report.Report) string {
	for i := range r.Devices {
		d := &r.Devices[i]
		d.Aspects, d.SubGroupSizes = append([]aspect.Named{}, d.Aspects...), append([]uint32{}, d.SubGroupSizes...)
	}
	rest := *r
	rest.Cells, rest.Images, rest.Kernels = report.Cells{}, report.Images{}, report.Kernels{}
	text := fmt.Sprintf("%+v", &rest)
	for _, i := range r.Images.All() {
		i.Requirements.Aspects = append([]aspect.Named{}, i.Requirements.Aspects...)
		text += fmt.Sprintf("%+v", *i)
	}
	for _, k := range r.Kernels.All() {
		text += fmt.Sprintf("%+v", *k)
	}
	for _, c := range r.Cells.All() {
		text += fmt.Sprintf("%+v", *c)
	}
	for name, value := range r.Extensions {
		text += name + string(value)
	}
	return text
}

// Letters beyond ASCII that fold to ones in it could name a member a second time.
func TestFoldedMembers(t *testing.T) {
	full := encode(t, reporttest.Build(t, reporttest.Program(), "intel_gpu_dg2"))
	for _, text := range []string{
		strings.Replace(full, `"status": "incompatible"`, `"status": "incompatible", "ſtatus": "compatible"`, 1),
		strings.Replace(full, `"status": "incompatible"`, `"status": "incompatible", "\u017ftatus": "compatible"`, 1),
		strings.Replace(full, `"kernels"`, "\"\u212aernels\"", 1),
	} {
		if text == full {
			t.Fatal("nothing was replaced")
		}
		_, err := report.Decode("r.json", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), "ASCII") && !strings.Contains(err.Error(), "capital") {
			t.Errorf("got %v", err)
		}
	}
}

// Objects with many members take no longer than their size says.
func TestManyMembers(t *testing.T) {
	var names []string
	for i := range 200_000 {
		names = append(names, `"`+strings.Repeat("x", 1+i%5)+string(rune('a'+i%26))+json.Number(itoa(i)).String()+`":0`)
	}
	read := func() error {
		text := `{"extensions":{` + strings.Join(names, ",") + `},"cells":[],` + rest + `,"schema-version":"1.0"}`
		_, err := report.DecodeUnchecked([]byte(text))
		return err
	}
	if err := read(); err != nil {
		t.Error(err)
	}
	names = slices.Insert(names, 150_000, names[0])
	if err := read(); err == nil || !strings.Contains(err.Error(), "occurs twice") {
		t.Errorf("a name that occurs twice among many: %v", err)
	}
}

func itoa(i int) string { data, _ := json.Marshal(i); return string(data) }

// A report of several windows is read like one of one window, and errors have the offset in the file.
func TestDecodeStreams(t *testing.T) {
	var names []string
	for i := range 20_000 {
		names = append(names, "_ZTS9Kernel"+strings.Repeat("x", 100)+itoa(i))
	}
	text := encode(t, reporttest.Build(t, []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels(names...), Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_pvc", "intel_gpu_dg2"))
	if r, err := report.Decode("r.json", strings.NewReader(text)); err != nil || encode(t, r) != text {
		t.Errorf("got %v", err)
	}
	for _, at := range []int{len(text) / 2, len(text) - 10} {
		broken := text[:at] + "\xff" + text[at+1:]
		if _, err := report.Decode("r.json", strings.NewReader(broken)); err == nil || err.Error() != fmt.Sprintf("r.json: offset %d: not valid UTF-8", at) {
			t.Errorf("got %v", err)
		}
		if _, err := report.Decode("r.json", strings.NewReader(text[:at])); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("offset %d: the file ends", at)) {
			t.Errorf("got %v", err)
		}
	}
	// What cannot be read twice is the same.
	if r, err := report.Decode("r.json", io.MultiReader(strings.NewReader(text))); err != nil || encode(t, r) != text {
		t.Errorf("got %v", err)
	}
}
