package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// fill sets every text of a value, so that a member cannot be forgotten.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Uint8: // a verdict
		v.SetUint(uint64(compat.Undetermined))
	case reflect.String:
		v.SetString(text + "<&>\u2028\xff")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), fmt.Sprint(text, i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text+v.Type().Field(i).Name)
		}
	default:
		panic("a kind of member that the test does not know: " + v.Kind().String())
	}
}

// TestEncodeIsJSON: the own encoder of cells writes what encoding/json does.
func TestEncodeIsJSON(t *testing.T) {
	full := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc")
	filled := full.Cells.At(0)
	fill(reflect.ValueOf(&filled).Elem(), "x")
	filled.Kernel, filled.Device = full.Cells.At(0).Kernel, full.Cells.At(0).Device
	full.Cells.Set(0, &filled)
	none := reporttest.Build(t, nil)
	for name, r := range map[string]*report.Report{"every member": full, "hostile names": reporttest.Build(t, []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("<b>&\u2028\"\\", "\x1b\xff"), Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_pvc"), "no cell": none, "two": reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2")} {
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetIndent("", "  ")
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
		if got := encode(t, r); got != want.String() {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want.String())
		}
	}
}
