package aot

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// entry returns an entry of a note.
func entry(name string, typ uint32, value ...byte) []byte {
	var b bytes.Buffer
	for _, n := range []uint32{uint32(len(name)) + 1, uint32(len(value)), typ} {
		binary.Write(&b, binary.LittleEndian, n)
	}
	b.WriteString(name + "\x00")
	b.Write(make([]byte, -b.Len()&3))
	b.Write(value)
	b.Write(make([]byte, -b.Len()&3))
	return b.Bytes()
}

// imageWith returns an ELF file with a section .note.intelgt.compat for each note.
func imageWith(notes ...[]byte) []byte {
	const names = "\x00.note.intelgt.compat\x00.names\x00"
	var body, headers bytes.Buffer
	body.Write(make([]byte, 64))
	section := func(name uint32, typ uint32, data []byte) {
		h := make([]byte, 64)
		binary.LittleEndian.PutUint32(h, name)
		binary.LittleEndian.PutUint32(h[4:], typ)
		binary.LittleEndian.PutUint64(h[24:], uint64(body.Len()))
		binary.LittleEndian.PutUint64(h[32:], uint64(len(data)))
		body.Write(data)
		headers.Write(h)
	}
	headers.Write(make([]byte, 64))
	for _, note := range notes {
		section(1, 7, note)
	}
	section(22, 3, []byte(names))
	file := body.Bytes()
	copy(file, "\x7fELF\x02\x01\x01")
	binary.LittleEndian.PutUint16(file[16:], 1)
	binary.LittleEndian.PutUint16(file[18:], 205)
	binary.LittleEndian.PutUint32(file[20:], 1)
	binary.LittleEndian.PutUint64(file[40:], uint64(len(file)))
	binary.LittleEndian.PutUint16(file[52:], 64)
	binary.LittleEndian.PutUint16(file[58:], 64)
	binary.LittleEndian.PutUint16(file[60:], uint16(headers.Len()/64))
	binary.LittleEndian.PutUint16(file[62:], uint16(headers.Len()/64-1))
	return append(file, headers.Bytes()...)
}

// noteOf returns a note with the values of a device.
func noteOf(device string) []byte {
	var note []byte
	for i, typ := range noteTypes {
		note = append(note, entry("IntelGT", typ, binary.LittleEndian.AppendUint32(nil, measured.members[device].note[i])...)...)
		if typ == 3 {
			note = append(note, entry("IntelGT", 4, []byte("1.73\x00")...)...)
		}
	}
	return note
}

func TestForMember(t *testing.T) {
	got, err := measured.forMember(imageWith(noteOf("acm-g10")), "acm-g10", "acm-g11")
	testkit.NoError(t, err)
	if want := imageWith(noteOf("acm-g11")); !bytes.Equal(got, want) {
		t.Errorf("got\n%x\nwant\n%x", got, want)
	}
	// An image with explicit SIMD has no product family.
	simd := func(device string) []byte {
		return imageWith(append(entry("IntelGT", productFamily, 0, 0, 0, 0), noteOf(device)[24:]...))
	}
	got, err = measured.forMember(simd("tgllp"), "tgllp", "adl-s")
	testkit.NoError(t, err)
	if want := simd("adl-s"); !bytes.Equal(got, want) {
		t.Errorf("explicit SIMD: got\n%x\nwant\n%x", got, want)
	}
	whole := noteOf("acm-g10")
	zero := bytes.Clone(whole) // the value of the second entry; an entry has 24 bytes: header, name and value
	binary.LittleEndian.PutUint32(zero[24+20:], 0)
	for _, test := range []struct {
		name  string
		image []byte
		want  string
	}{
		{"empty file", nil, "EOF"},
		{"not an ELF file", []byte("BC\xc0\xde, which is not an ELF file, whatever follows it in the file"), "bad magic number"},
		{"no note", imageWith(), "no compatibility note"},
		{"two notes", imageWith(whole, whole), "duplicate compatibility note"},
		{"empty note", imageWith(nil), "no entry of type 1"},
		{"truncated header", imageWith(whole[:8]), "truncated"},
		{"truncated value", imageWith(whole[:len(whole)-2]), "truncated"},
		{"name longer than the note", imageWith(append([]byte("\xff\xff\xff\xff\x04\x00\x00\x00\x01\x00\x00\x00"), whole...)), "truncated"},
		{"value longer than the note", imageWith(append([]byte("\x08\x00\x00\x00\xfe\xff\xff\xff\x01\x00\x00\x00"), whole...)), "truncated"},
		{"entry of another size", imageWith(append(entry("IntelGT", 6, 1, 2, 3, 4, 5, 6, 7, 8), whole[:len(whole)-24]...)), "no entry of type 6"},
		{"duplicate entry", imageWith(append(entry("IntelGT", 6, 1, 2, 3, 4), whole...)), "duplicate entry of type 6"},
		{"note of another device", imageWith(noteOf("acm-g12")), "entry 3 of the compatibility note"},
		{"zero in an entry other than the product family", imageWith(zero), fmt.Sprintf("entry %d of the compatibility note is 0x0", noteTypes[1])},
		{"note of another vendor", imageWith(bytes.ReplaceAll(whole, []byte("IntelGT"), []byte("OtherGT"))), "no entry of type 1"},
	} {
		if _, err := measured.forMember(test.image, "acm-g10", "acm-g11"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.want)
		}
	}
}

func FuzzNoteEntries(f *testing.F) {
	f.Add(imageWith(noteOf("acm-g10")))
	f.Add(imageWith(entry("IntelGT", 6, 1, 2, 3, 4)))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := noteEntries(data)
		if err != nil {
			return
		}
		for typ, at := range entries {
			if at > uint64(len(data))-4 {
				t.Errorf("entry %d is at %d, after the end", typ, at)
			}
		}
	})
}

func TestParseFamilies(t *testing.T) {
	const head = "# ocloc 1\n# igc 2\n"
	for _, test := range []struct{ text, want string }{
		{"a\tb\t1\t2\t3\t4\n", "a release is missing"},
		{head + "a\tb\t1\t2\t3\n", "line 3: expected 6 fields, got 5"},
		{head + "a\tb\t1\t2\t3\tx\n", "line 3: "},
		{head + "a\tb\t1\t2\t3\t100000000\n", "line 3: "},
		{head + "a\tb\t1\t2\t3\t4\na\tb\t1\t2\t3\t4\n", `line 4: duplicate device "b"`},
	} {
		if _, err := parseFamilies(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got error %v, want %q", test.text, err, test.want)
		}
	}
}

// fakeFamilyOcloc writes a script that reports the versions of the measured ocloc, and copies
// DEVICE.elf to the output.
func fakeFamilyOcloc(t *testing.T, release string) string {
	return testkit.Script(t, "ocloc", `case $1 in
--version) echo "`+release+`" ;;
ids) echo "Matched ids:"; echo "$2" ;;
*) while [ "$1" != -device ]; do shift; done; device=$2; for last; do :; done; cp "$device.elf" "$last" ;;
esac`)
}

// TestShareFamilies tests which devices are compiled, and what is written for each.
func TestShareFamilies(t *testing.T) {
	for _, test := range []struct {
		name           string
		release, igc   string
		share          Sharing
		options        []string
		module         string
		broken         bool // the image of acm-g10 has no note
		calls          int  // compilations for three devices, two of which are in one family
		message, error string
	}{
		{name: "families", calls: 2},
		{name: "a measured option", options: []string{"-ze-opt-large-register-file"}, calls: 2},
		{name: "an option that was not measured", options: []string{"-cl-opt-disable"}, calls: 3, message: "not measured with the option -cl-opt-disable"},
		{name: "off", share: ShareNothing, calls: 3},
		{name: "verify", share: VerifyFamilies, calls: 3},
		{name: "another ocloc", release: "27.1.2", calls: 3, message: `this is "27.1.2"`},
		{name: "another IGC", igc: "libigc.so.2.41.1", calls: 3, message: "measured with IGC " + measured.igc + ", but this is"},
		{name: "another IGC, verify", igc: "libigc.so.2.41.1", share: VerifyFamilies, error: "cannot verify the families"},
		{name: "debug information", module: "SPIRV.debug", calls: 3},
		{name: "no note", broken: true, calls: 3, message: "no compatibility note"},
		{name: "no note, verify", broken: true, share: VerifyFamilies, calls: 3, message: "no compatibility note"},
		{name: "unknown value", share: "some", error: `unknown value "some"; expected families, off or verify`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			noteOnce = sync.Once{}
			release, igc := test.release, test.igc
			if release == "" {
				release = measured.ocloc
			}
			if igc == "" {
				igc = "libigc.so." + measured.igc
			}
			ocloc := fakeFamilyOcloc(t, release)
			testkit.WriteFile(t, filepath.Join(filepath.Dir(ocloc), igc), "")
			t.Setenv("LD_LIBRARY_PATH", "")
			testkit.WriteFile(t, "k.spv", "spirv "+test.module)
			o := Options{Ocloc: ocloc, CodeDir: "bin", Share: test.share, Options: test.options}
			for _, device := range []string{"acm-g10", "acm-g11", "pvc"} {
				image := imageWith(noteOf(device))
				if device == "pvc" {
					image = []byte("pvc")
				}
				if device == "acm-g10" && test.broken {
					image = imageWith()
				}
				testkit.WriteFile(t, device+".elf", image)
				testkit.WriteFile(t, device+".table", "[Code]\nk.spv\n")
				o.Targets = append(o.Targets, Target{Device: device, Table: device + ".table", Output: device + ".out"})
			}
			var log bytes.Buffer
			err := Run(context.Background(), &log, o)
			if test.error != "" {
				if err == nil || !strings.Contains(err.Error(), test.error) {
					t.Errorf("got error %v, want %q", err, test.error)
				}
				return
			}
			testkit.NoError(t, err)
			if got := strings.Count(testkit.ReadFile(t, "ocloc.calls"), "compile "); got != test.calls {
				t.Errorf("%d compilations, want %d", got, test.calls)
			}
			if test.message == "" && log.Len() > 0 || !strings.Contains(log.String(), test.message) {
				t.Errorf("got log %q, want %q", log.String(), test.message)
			}
			for _, device := range []string{"acm-g11", "pvc"} {
				_, file, _ := strings.Cut(strings.TrimSpace(testkit.ReadFile(t, device+".out")), "\n")
				if got, want := testkit.ReadFile(t, file), testkit.ReadFile(t, device+".elf"); got != want {
					t.Errorf("the image for %s is\n%x\nwant\n%x", device, got, want)
				}
			}
		})
	}
}

// TestVerifyFamiliesDiffer tests that verification fails if a copy differs from ocloc's image.
func TestVerifyFamiliesDiffer(t *testing.T) {
	t.Chdir(t.TempDir())
	ocloc := fakeFamilyOcloc(t, measured.ocloc)
	testkit.WriteFile(t, filepath.Join(filepath.Dir(ocloc), "libigc.so."+measured.igc), "")
	t.Setenv("LD_LIBRARY_PATH", "")
	testkit.WriteFile(t, "k.spv", "spirv")
	testkit.WriteFile(t, "k.table", "[Code]\nk.spv\n")
	testkit.WriteFile(t, "ptl-h.elf", imageWith(noteOf("ptl-h")))
	testkit.WriteFile(t, "wcl.elf", append(imageWith(noteOf("wcl")), 0))
	err := Run(context.Background(), &bytes.Buffer{}, Options{Ocloc: ocloc, CodeDir: "bin", Share: VerifyFamilies, Targets: []Target{
		{Device: "ptl-h", Table: "k.table", Output: "a.table"}, {Device: "wcl", Table: "k.table", Output: "b.table"},
	}})
	if err == nil || !strings.Contains(err.Error(), "the image for wcl differs from the image for ptl-h") {
		t.Errorf("got error %v", err)
	}
	if got, want := strings.Count(testkit.ReadFile(t, "ocloc.calls"), "compile "), 1+attempts; got != want {
		t.Errorf("%d compilations, want %d", got, want)
	}
}

// TestMeasuredFamilies compiles a module for each member of each family, and compares the images
// with the copies. It fails if ocloc is not the measured release; if so, run .ci/measure-families.
func TestMeasuredFamilies(t *testing.T) {
	ocloc := testkit.Program(t, "ocloc")
	spirv, err := filepath.Abs("../../../sycl/spirv/testdata/sizes.spv")
	testkit.NoError(t, err)
	module, err := os.ReadFile(spirv)
	testkit.NoError(t, err)
	version, err := exec.Command(ocloc, "--version").Output()
	testkit.NoError(t, err)
	if got := strings.TrimSpace(string(version)); got != measured.ocloc {
		t.Fatalf("families.tsv was measured with ocloc %s, and this is %s; run .ci/measure-families", measured.ocloc, got)
	}
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "k.spv", module)
	testkit.WriteFile(t, "k.table", "[Code]\nk.spv\n")
	o := Options{Ocloc: ocloc, CodeDir: "bin", Share: VerifyFamilies}
	var devices []string
	for device := range measured.members {
		devices = append(devices, device)
	}
	slices.Sort(devices)
	for _, device := range devices {
		o.Targets = append(o.Targets, Target{Device: device, Table: "k.table", Output: device + ".table"})
	}
	var log bytes.Buffer
	testkit.NoError(t, Run(context.Background(), &log, o))
	if strings.Contains(log.String(), "warning") {
		t.Error(fmt.Sprint(log.String()))
	}
}
