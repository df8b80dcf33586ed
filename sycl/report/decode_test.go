package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// slowMembers is checkMembers in the simplest way: with a set for each object of
// the tokens that encoding/json finds. It reports whether it has an objection.
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

// Reports that are read quickly are those that are read slowly.
func FuzzDecodeFast(f *testing.F) {
	full := encode(f, reporttest.Build(f, reporttest.Program(), "intel_gpu_dg2", "intel_gpu_pvc", "x86_64"))
	f.Add([]byte(full))
	var compact bytes.Buffer
	json.Compact(&compact, []byte(full))
	f.Add(compact.Bytes())
	for _, change := range [][2]string{
		{`"status"`, `"ſtatus"`}, {`"kernel"`, `"kernel": "x", "kernel"`}, {`"cells"`, `"devices"`}, {`_ZTS8Fp64Axpy`, `\u005fZTS8Fp64Axpy`},
		{`"required": "fp64"`, `"required": ""`}, {`"rule"`, `"rule": "a", "rule"`}, {`"intel_gpu_dg2"`, `"intel_gpu_dg2\\"`}, {`"scope"`, `"Scope"`},
		{`"cells": [`, `"cells": [null,`}, {`"extensions"`, `"x"`}, {`"reasons"`, `"reasons": [], "reasons"`},
	} {
		f.Add([]byte(strings.Replace(full, change[0], change[1], 1)))
	}
	f.Add([]byte(`{"extensions": {"A": {"a": 1, "\u0041": 2}}, "cells": []} x`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !utf8.Valid(data) {
			return // Decode does not get as far
		}
		if _, err := report.CheckMembers(data); json.Valid(data) && (err != nil) != slowMembers(data) {
			t.Errorf("checkMembers: %v, but slowly %v", err, slowMembers(data))
		}
		fast, ok := report.DecodeFast(data)
		if !ok {
			return
		}
		slow, fault := report.DecodeSlowly(data)
		if fault != nil {
			t.Fatalf("fast only: %v", fault.Msg)
		}
		if !reflect.DeepEqual(fast, slow) {
			t.Errorf("fast %+v\nslow %+v", fast, slow)
		}
	})
}

func TestDecodeFastIsUsed(t *testing.T) {
	r := reporttest.Build(t, reporttest.Program(), "intel_gpu_dg2", "intel_gpu_pvc", "x86_64")
	full := encode(t, r)
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(full)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{full, compact.String(), strings.ReplaceAll(full, "_ZTS8Fp64Axpy", `\u005fZTS8Fp64Axpy`)} {
		got, ok := report.DecodeFast([]byte(text))
		if !ok {
			t.Errorf("not read quickly: %s", text)
		} else if !reflect.DeepEqual(got.Cells, r.Cells) {
			t.Errorf("got %v, want %v", got.Cells, r.Cells)
		}
	}
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
	text := `{"extensions":{` + strings.Join(names, ",") + `}}`
	if offset, err := report.CheckMembers([]byte(text)); err != nil {
		t.Errorf("offset %d: %v", offset, err)
	}
	names = slices.Insert(names, 150_000, names[0])
	if _, err := report.CheckMembers([]byte(`{"extensions":{` + strings.Join(names, ",") + `}}`)); err == nil {
		t.Error("a name that occurs twice among many is not found")
	}
}

func itoa(i int) string { data, _ := json.Marshal(i); return string(data) }
