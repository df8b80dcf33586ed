package release

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// TestNumbers compares the numbers with the runtimes' own headers.
func TestNumbers(t *testing.T) {
	data, err := os.ReadFile("testdata/aspects.txt")
	if err != nil {
		t.Fatal(err)
	}
	// These aspects have a different name in 2026.0.
	renamed := " ext_oneapi_fragment ext_oneapi_chunk ext_oneapi_tangle ext_oneapi_ballot_group ext_oneapi_fixed_size_group ext_oneapi_tangle_group "
	named := map[string]bool{"host": true, "int64_base_atomics": true, "int64_extended_atomics": true, "usm_restricted_shared_allocations": true} // deprecated: in another header
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		named[fields[0]] = true
		if len(fields) != 1+len(All()) {
			t.Fatalf("testdata/aspects.txt: %s has %d numbers; add a column for each release in release.go", fields[0], len(fields)-1)
		}
		a, err := aspect.Parse(fields[0])
		if err != nil {
			t.Errorf("sycl/release/testdata/aspects.txt: %v: add it to sycl/aspect/names.go", err)
			continue
		}
		for i, r := range All() {
			got, ok := r.Number(a)
			if fields[1+i] == "-" {
				if ok && !strings.Contains(renamed, " "+fields[0]+" ") {
					t.Errorf("%v has %s, as %d", r, fields[0], got)
				}
				continue
			}
			want, err := strconv.ParseUint(fields[1+i], 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			if !ok || got != uint32(want) {
				t.Errorf("%v: number of %s: %d, %v, want %d", r, fields[0], got, ok, want)
			}
			if back := r.Aspect(uint32(want)); back != a {
				t.Errorf("%v: %d is %v, want %v", r, want, back, a)
			}
		}
	}
	last := aspect.Aspect(Newest().last)
	for a := range aspect.Retired {
		switch {
		case a.IsKnown() && a > last:
			t.Errorf("sycl/aspect/names.go has %v as %d, and in sycl/release/release.go the last aspect of %v is %d: correct one of them", a, a, Newest(), last)
		case a.IsKnown() && !named[a.String()]:
			t.Errorf("sycl/release/testdata/aspects.txt lacks %v: add its numbers in the headers of each release", a)
		case !a.IsKnown() && a <= last:
			t.Errorf("in sycl/release/release.go the last aspect of %v is %d, and sycl/aspect/names.go has none for %d", Newest(), last, a)
		}
	}
}

// TestEveryNumberComesBack checks that every number is written as it was read.
func TestEveryNumberComesBack(t *testing.T) {
	for _, r := range All() {
		for _, n := range []uint32{0, 1, 24, 25, 27, 28, 35, 71, 89, 107, 255, 12345, 1<<16 - 1, 1 << 17, 1<<32 - 1} {
			if got, ok := r.Number(r.Aspect(n)); !ok || got != n {
				t.Errorf("%v: %d is %v, which is %d, %v", r, n, r.Aspect(n), got, ok)
			}
		}
	}
}

func TestWriteAndRead(t *testing.T) {
	q := requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64, aspect.Atomic64, aspect.ExtIntelESIMD}}
	r := new(propset.Registry)
	q.Put(r)
	for name, want := range map[string][]uint32{"2025.3": {6, 28, 53}, "2026.0": {6, 27, 49}, "2026.2": {6, 27, 49}} {
		rel, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		written, err := rel.Write(r)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := written.Set(propset.DeviceRequirements).Get("aspects")
		if !v.Equal(propset.Uint32s(want...)) {
			t.Errorf("%s: %v, want %v", name, v, want)
		}
		if !rel.Read(written).Equal(r) {
			t.Errorf("%s: reading the output returned different metadata", name)
		}
	}
	if written, err := Default().Write(r); err != nil || written != r {
		t.Errorf("property sets were copied without need: %v", err)
	}
	for release, a := range map[string]aspect.Aspect{
		"2025.3": aspect.ExtOneAPIClockDevice, "2026.0": aspect.ExtOneAPIIPCEvent, "2026.2": aspect.ExtIntelMemChannel,
	} {
		rel, _ := Parse(release)
		r := new(propset.Registry)
		(&requirement.Requirements{Aspects: []aspect.Aspect{a}}).Put(r)
		if _, err := rel.Write(r); err == nil || !strings.Contains(err.Error(), "does not support aspect "+a.String()) {
			t.Errorf("%s: %v: %v", release, a, err)
		}
	}
	// Values other than lists of aspects, such as the names of fixed targets, are unchanged.
	odd := new(propset.Registry)
	odd.Add(propset.DeviceRequirements).Put("aspects", propset.Uint(28))
	odd.Add(propset.DeviceRequirements).Put("fixed_target", propset.String("pvc1"))
	if Before2026().Read(odd) != odd {
		t.Error("a value other than a list of aspects was changed")
	}
}

func TestParse(t *testing.T) {
	for name, want := range map[string]string{"2025.3": "2025.3", "2025.3.1": "2025.3", "2026.0.0": "2026.0", "2026.1": "2026.0", "2026.1.2": "2026.0", "2026.2.0": "2026.2"} {
		if r, err := Parse(name); err != nil || r.Name != want {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	for _, name := range []string{"", "2026", "2024.2", "2026.20", "2027.0"} {
		if r, err := Parse(name); err == nil || !strings.Contains(err.Error(), "expected one of 2025.3, 2026.0, 2026.2") {
			t.Errorf("%q: %v, %v", name, r, err)
		}
	}
}

// TestRejectReason compares the reasons with the messages of the runtimes.
func TestRejectReason(t *testing.T) {
	const container, image, size, magic, inner = "Unsupported Offload Binary version number.", "Unexpected image type.", "Unexpected file contents size.", "Incorrect Offload Binary magic number.", "Incorrect SYCLBIN magic number."
	for _, tt := range []struct {
		version   int
		container uint32
		kind      offload.ImageKind
		first     int64
		want      [3]string // for 2025.3, 2026.0 and 2026.2
	}{
		{1, 2, offload.KindSYCLBIN, 200, [3]string{container, container, ""}},
		{1, 1, offload.KindSYCLBIN, 200, [3]string{image, "", ""}},
		{1, 1, offload.KindSPIRV, 200, [3]string{"", image, image}},
		{1, 0, offload.KindNone, 200, [3]string{magic, magic, magic}},
		{2, 2, offload.KindSYCLBIN, 36, [3]string{container, container, size}},
		{2, 2, offload.KindSYCLBIN, 55, [3]string{container, container, size}},
		{2, 2, offload.KindSYCLBIN, 56, [3]string{container, container, inner}},
		{2, 2, offload.KindSYCLBIN, 87, [3]string{container, container, inner}},
	} {
		if len(All()) != len(tt.want) {
			t.Fatalf("TestRejectReason has no messages for %v; add those of its libsycl", Newest())
		}
		for i, r := range All() {
			if got := r.RejectReason(tt.version, tt.container, tt.kind, tt.first); got != tt.want[i] {
				t.Errorf("%v: version %d, container %d, kind %d: %q, want %q", r, tt.version, tt.container, tt.kind, got, tt.want[i])
			}
		}
	}
}

func TestRecord(t *testing.T) {
	r := new(propset.Registry)
	if got, err := Recorded(r); got != nil || err != nil {
		t.Errorf("no recorded release: %v, %v", got, err)
	}
	Before2026().Record(r)
	if got, err := Recorded(r); got != Before2026() || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	r.Add(Set).Put("release", propset.String("9"))
	if _, err := Recorded(r); err == nil || !strings.HasPrefix(err.Error(), "[rules_sycl/runtime] release: unknown runtime release") {
		t.Error(err)
	}
	r.Add(Set).Put("release", propset.Uint(9))
	if _, err := Recorded(r); err == nil {
		t.Error("a number was accepted as a release")
	}
}
