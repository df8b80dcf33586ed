package compat_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/hostbin"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

var (
	wheels = flag.String("wheels", "", "compile the modules of the wheels in this directory with ocloc, and rewrite libraries.tsv")
	pairs  = flag.String("pairs", "testdata/libraries.tsv", "file of pairs to compare, or to write")
	each   = flag.Int("each", 1, "of the modules of a library that need the same, how many to compile, the smallest first; 0 for all")
	most   = flag.Int("most", 100_000, "bytes of the largest module to compile; 0 for any")
	using  = flag.String("ocloc", "", "the compiler, when it is not that of PATH")
)

// libraryTargets are the devices that modules of libraries are compiled for.
var libraryTargets = []string{
	"intel_gpu_tgllp", "intel_gpu_acm_g10", "intel_gpu_mtl_u", "intel_gpu_pvc", "intel_gpu_bmg_g21", "intel_gpu_lnl_m", "intel_gpu_ptl_h",
}

// A libraryLine is the file's line for a module.
type libraryLine struct {
	library string // distribution and version
	digest  string // the first 32 digits of the SHA-256 sum of the SPIR-V
	bytes   int
	needs   *requirement.Requirements
	ocloc   []outcome // of libraryTargets
}

// libraryOutcome holds the counts of TestLibraries; docs/project/evidence.md has the numbers too.
const libraryOutcome = "994 pairs: 755 that both take, 216 that both refuse, 19 undetermined here, 4 known disagreements"

// knownPairs are the known disagreements.
var knownPairs = []struct {
	module, device, why string
}{
	{"91d8d47d7ae4c7972a12585f21e724eb", "intel_gpu_acm_g10",
		"the library says that the kernel needs fp64, so that DPC++'s runtime refuses it; the code has the type but no instruction for it"},
	{"8a79224c08809a8f3a074eb4c3e48589", "intel_gpu_acm_g10",
		"vectors of double: ocloc compiles their arithmetic for GPUs without double precision, though not that of scalars"},
	{"7e65000ef64ae6601c718454be2c94b9", "intel_gpu_acm_g10", crashWhy},
	{"7e65000ef64ae6601c718454be2c94b9", "intel_gpu_mtl_u", crashWhy},
}

const crashWhy = "ocloc ends with an internal compiler error; it takes other modules with the same inline assembly for this GPU"

func pairsHead() string {
	return "library\tmodule\tbytes\tneeds\t" + strings.Join(libraryTargets, "\t") + "\n"
}

// TestLibraries compares statuses with ocloc's results for modules of published libraries. It
// needs neither ocloc nor the libraries: testdata/libraries.tsv has the requirements and ocloc's
// result for each module. With -wheels it generates that file, as .ci/compare-with-ocloc does.
func TestLibraries(t *testing.T) {
	config := deviceconfig.Default()
	if *wheels != "" {
		makePairs(t, config)
	}
	checker := compat.New(config)
	var all, take, refuse, undetermined, known int
	for _, m := range readPairs(t) {
		for i, device := range libraryTargets {
			d, ok := config.Lookup(device)
			if !ok {
				t.Fatalf("%s is not among the default devices", device)
			}
			ocloc, result := m.ocloc[i], checker.Check(m.needs, d)
			all++
			isKnown := slices.ContainsFunc(knownPairs, func(k struct{ module, device, why string }) bool {
				return k.module == m.digest && k.device == device
			})
			switch {
			case result.Status == compat.Undetermined:
				undetermined++
			case result.Status == compat.Compatible && ocloc.accepted:
				take++
			case result.Status != compat.Compatible && !ocloc.accepted:
				refuse++
			case isKnown:
				known++
			default:
				t.Errorf("%s %s on %s: ocloc %s; here it is %s%s: mend package compat or built-in devices, or give the reason in knownPairs of libraries_test.go",
					m.library, m.digest, device, ocloc, result.Status, because(result.Reasons))
			}
		}
	}
	outcome := fmt.Sprintf("%d pairs: %d that both take, %d that both refuse, %d undetermined here, %d known disagreements", all, take, refuse, undetermined, known)
	t.Log(outcome)
	if *wheels == "" {
		if known != len(knownPairs) {
			t.Errorf("%d of %d known disagreements are left: remove the others from knownPairs of libraries_test.go", known, len(knownPairs))
		}
		if outcome != libraryOutcome {
			t.Errorf("%s; libraryOutcome of libraries_test.go, and docs/project/evidence.md, have %s", outcome, libraryOutcome)
		}
	}
}

func readPairs(t *testing.T) []*libraryLine {
	data, err := os.ReadFile(*pairs)
	if err != nil {
		t.Fatal(err)
	}
	text, ok := strings.CutPrefix(string(data), pairsHead())
	if !ok {
		t.Fatalf("%s does not begin with %q", *pairs, pairsHead())
	}
	var list []*libraryLine
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4+len(libraryTargets) {
			t.Fatalf("%s: %d columns: %q", *pairs, len(f), line)
		}
		m := &libraryLine{library: f[0], digest: f[1], needs: new(requirement.Requirements)}
		m.bytes, err = strconv.Atoi(f[2])
		if err := errors.Join(err, json.Unmarshal([]byte(f[3]), m.needs)); err != nil {
			t.Fatalf("%s: %v: %q", *pairs, err, line)
		}
		for _, answer := range f[4:] {
			message, refused := strings.CutPrefix(answer, "refuses: ")
			if !refused && answer != "takes" {
				t.Fatalf("%s: %s: ocloc %q", *pairs, m.digest, answer)
			}
			m.ocloc = append(m.ocloc, outcome{!refused, message})
		}
		list = append(list, m)
	}
	return list
}

// String returns the line of the file.
func (m *libraryLine) String() string {
	needs := map[string]any{}
	for v, i := reflect.ValueOf(*m.needs), 0; i < v.NumField(); i++ {
		if f := v.Field(i); !f.IsZero() && (f.Kind() != reflect.Slice || f.Len() > 0) {
			needs[v.Type().Field(i).Name] = v.Field(i).Interface()
		}
	}
	text, err := json.Marshal(needs)
	if err != nil {
		panic(err)
	}
	line := fmt.Sprintf("%s\t%s\t%d\t%s", m.library, m.digest, m.bytes, text)
	for _, o := range m.ocloc {
		if o.accepted {
			line += "\ttakes"
		} else {
			line += "\trefuses: " + o.message
		}
	}
	return line + "\n"
}

// makePairs compiles modules of the wheels, and rewrites the file after each of them.
func makePairs(t *testing.T, config *deviceconfig.Config) {
	compiler := ocloc{*using, t.TempDir()}
	if compiler.path == "" {
		compiler = findOcloc(t)
	}
	names, err := filepath.Glob(filepath.Join(*wheels, "*.whl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no wheels in %s (%v)", *wheels, err)
	}
	var out strings.Builder
	out.WriteString(pairsHead())
	for _, name := range names {
		wheel, ok := report.ParseWheel(filepath.Base(name))
		if !ok {
			t.Fatalf("%s is no name of a wheel", name)
		}
		chosen, all := chooseModules(t, name)
		for _, m := range chosen {
			file := filepath.Join(compiler.dir, "module.spv")
			if err := os.WriteFile(file, m.code, 0o644); err != nil {
				t.Fatal(err)
			}
			line := libraryLine{wheel.String(), fmt.Sprintf("%.16x", m.digest), len(m.code), m.needs, nil}
			for _, device := range libraryTargets {
				d, _ := config.Lookup(device)
				o, err := compiler.one(t.Context(), request{file, d.OclocDevice})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				line.ocloc = append(line.ocloc, o)
			}
			out.WriteString(line.String())
		}
		if err := os.WriteFile(*pairs, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: compiled %d of %d modules", wheel, len(chosen), all)
	}
}

// one compiles in a separate process: if IGC crashes, "ocloc multi" can hang.
func (o ocloc) one(ctx context.Context, r request) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.path, "-spirv_input", "-file", r.file, "-device", r.device, "-output_no_suffix", "-output", "image")
	cmd.Dir = o.dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return outcome{accepted: true}, nil
	case ctx.Err() != nil:
		return outcome{message: "no end within three minutes"}, nil
	case !errors.As(err, &exit):
		return outcome{}, err
	}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); strings.Contains(line, "rror") || strings.HasPrefix(line, "InvalidModule: ") {
			return outcome{message: shortMessage(line)}, nil
		}
	}
	return outcome{}, fmt.Errorf("ocloc with %s for %s: %v: %q", r.file, r.device, err, out)
}

// shortMessage is an error without the names of kernels, which can be very long.
func shortMessage(message string) string {
	if _, rest, ok := strings.Cut(message, "error: in kernel '"); ok {
		if i := strings.LastIndex(rest, "': "); i >= 0 {
			message = rest[i+3:]
		}
	}
	message = strings.Join(strings.Fields(message), " ")
	return strings.TrimRight(message[:min(len(message), 100)], " ")
}

type libraryModule struct {
	digest [sha256.Size]byte
	code   []byte
	needs  *requirement.Requirements
}

// chooseModules returns the smallest of the modules of a wheel with equal requirements, and the
// number of distinct ones.
func chooseModules(t *testing.T, name string) (chosen []*libraryModule, all int) {
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	groups := map[string][]*libraryModule{}
	seen := map[[sha256.Size]byte]bool{}
	smaller := func(a, b *libraryModule) int {
		return cmp.Or(cmp.Compare(len(a.code), len(b.code)), bytes.Compare(a.digest[:], b.digest[:]))
	}
	for _, f := range z.File {
		for _, image := range imagesOf(t, f) {
			if offload.Detect(image, image.Size()) != offload.SPIRV {
				continue
			}
			code, err := image.Data()
			if err != nil {
				t.Fatal(err)
			}
			digest := sha256.Sum256(code)
			if seen[digest] {
				continue
			}
			seen[digest] = true
			m, err := report.FromRow(image, image.Properties, nil)
			if err != nil {
				t.Fatalf("%s: %s: %v", name, f.Name, err)
			}
			if len(m.Kernels) == 0 {
				continue
			}
			all++
			key := m.Needs.Key()
			group := append(groups[key], &libraryModule{digest, code, m.Needs})
			slices.SortFunc(group, smaller)
			if *each > 0 {
				group = group[:min(len(group), *each)]
			}
			groups[key] = group
		}
	}
	for _, group := range groups {
		for _, m := range group {
			if *most == 0 || len(m.code) <= *most {
				chosen = append(chosen, m)
			}
		}
	}
	slices.SortFunc(chosen, smaller)
	return chosen, all
}

// imagesOf returns the device images in a file of a wheel.
func imagesOf(t *testing.T, f *zip.File) []*hostbin.Image {
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	start := make([]byte, 4)
	if _, err := io.ReadFull(r, start); err != nil || string(start) != "\x7fELF" {
		return nil
	}
	rest, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	data := append(start, rest...)
	host, err := hostbin.NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return host.Images
}
