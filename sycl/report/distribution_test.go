package report

import (
	"fmt"
	"testing"
)

func TestTitle(t *testing.T) {
	const v18, v20, win = "dpnp-0.18.1-0-cp311-cp311-manylinux_2_28_x86_64.whl", "dpnp-0.20.0-0-cp311-cp311-manylinux_2_28_x86_64.whl", "dpnp-0.20.0-0-cp311-cp311-win_amd64.whl"
	for _, test := range []struct {
		files []string
		want  string
	}{
		{[]string{"dist/" + v20 + "/dpnp/k.so", "dist/" + v20 + "/dpnp/l.so"}, "dpnp 0.20.0"},
		{[]string{`C:\dist\` + win + `\dpnp\k.pyd`, v20 + "/k.so"}, "dpnp 0.20.0"},
		{[]string{"out.zip/" + v20 + "/k.so"}, "dpnp 0.20.0"},
		{[]string{v20 + "/k.so", v18 + "/k.so", "a-1-py3-none-any.whl/k.so"}, "a 1, dpnp 0.18.1, dpnp 0.20.0"},
		{[]string{v20 + "/k.so", "build/k.so"}, ""},
		{[]string{"a-1-py3-none-any.whl/k", "b-1-py3-none-any.whl/k", "c-1-py3-none-any.whl/k", "d-1-py3-none-any.whl/k"}, ""},
		{[]string{"dist/no-wheel.whl/k.so"}, ""},
		{nil, ""},
	} {
		var r Report
		for _, name := range test.files {
			r.Files = append(r.Files, File{Name: name})
		}
		if got := r.Title(); got != test.want {
			t.Errorf("%q: %q, want %q", test.files, got, test.want)
		}
	}
	f := File{Name: "dist/" + v20 + "/dpnp/k.so"}
	if d, path, ok := f.Wheel(); fmt.Sprint(d, path, ok) != "dpnp 0.20.0dist/"+v20+"true" || d.Tags != "cp311-cp311-manylinux_2_28_x86_64" {
		t.Errorf("%v %q %t", d, path, ok)
	}
}
