package compat_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
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
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

var (
	wheels   = flag.String("wheels", "", "compile modules of the wheels in this directory with ocloc, and write the file of pairs")
	features = flag.Bool("features", false, "compile the smallest module with each SPIR-V extension and capability for all GPUs, and write features.tsv")
	pairs    = flag.String("pairs", "", "file of pairs to compare or to write (default testdata/libraries.tsv, or features.tsv with -features)")
	each     = flag.Int("each", 1, "number of modules per library with the same requirements, the smallest first; 0 for all")
	most     = flag.Int("most", 100_000, "size of the largest module to compile, in bytes; 0 for no limit")
	using    = flag.String("ocloc", "", "path of ocloc (default: search PATH)")
)

// A pairsFile is a file with ocloc's results for modules of published libraries.
type pairsFile struct {
	name    string
	targets []string // the targets that the modules were compiled for
	outcome string   // the counts of TestLibraries; docs/project/evidence.md has the numbers too
}

// libraryPairs has the smallest module of each library with each set of requirements, for a GPU of each
// generation.
var libraryPairs = &pairsFile{
	name: "testdata/libraries.tsv",
	targets: []string{
		"intel_gpu_tgllp", "intel_gpu_acm_g10", "intel_gpu_mtl_u", "intel_gpu_pvc", "intel_gpu_bmg_g21", "intel_gpu_lnl_m", "intel_gpu_ptl_h",
	},
	outcome: "994 pairs: 755 that both accept, 216 that both reject, 19 undetermined here, 4 known disagreements",
}

// featurePairs has the smallest module of all libraries with each SPIR-V extension and capability, for all
// GPUs that ocloc 26.27 supports.
var featurePairs = &pairsFile{
	name: "testdata/features.tsv",
	targets: []string{
		"intel_gpu_tgllp", "intel_gpu_rkl", "intel_gpu_adl_s", "intel_gpu_adl_p", "intel_gpu_adl_n", "intel_gpu_dg1",
		"intel_gpu_acm_g10", "intel_gpu_acm_g11", "intel_gpu_acm_g12", "intel_gpu_mtl_u", "intel_gpu_mtl_h", "intel_gpu_arl_h",
		"intel_gpu_pvc", "intel_gpu_pvc_vg", "intel_gpu_bmg_g21", "intel_gpu_bmg_g31", "intel_gpu_lnl_m",
		"intel_gpu_ptl_h", "intel_gpu_ptl_u", "intel_gpu_wcl", "intel_gpu_nvl_s", "intel_gpu_nvl_u", "intel_gpu_nvl_p", "intel_gpu_cri",
	},
	outcome: "960 pairs: 809 that both accept, 130 that both reject, 20 undetermined here, 1 known disagreements",
}

// A libraryLine is the file's line for a module.
type libraryLine struct {
	library string // distribution and version
	digest  string // the first 32 digits of the SHA-256 sum of the SPIR-V
	bytes   int
	needs   *requirement.Requirements
	ocloc   []outcome // for each target of the file
}

// knownPairs are the known disagreements.
var knownPairs = []struct {
	module, device, why string
}{
	{"91d8d47d7ae4c7972a12585f21e724eb", "intel_gpu_acm_g10",
		"the library declares that the kernel needs fp64, so DPC++'s runtime rejects it; the code has the type but no instruction for it"},
	{"8a79224c08809a8f3a074eb4c3e48589", "intel_gpu_acm_g10",
		"vectors of double: ocloc compiles their arithmetic for GPUs without double precision, but not the arithmetic of scalars"},
	{"7e65000ef64ae6601c718454be2c94b9", "intel_gpu_acm_g10", crashWhy},
	{"7e65000ef64ae6601c718454be2c94b9", "intel_gpu_mtl_u", crashWhy},
	{"fdd479516572a602110e2c837ded4239", "intel_gpu_pvc_vg", "ocloc compiles matrix products in inline assembly for this GPU, which has no matrix engines"},
}

const crashWhy = "ocloc ends with an internal compiler error; it accepts other modules with the same inline assembly for this GPU"

// TestLibraries compares statuses with ocloc's results for modules of published libraries. It
// needs neither ocloc nor the libraries: the files in testdata have the requirements and ocloc's
// result for each module. With -wheels it generates such a file, as .ci/compare-with-ocloc does.
func TestLibraries(t *testing.T) {
	config := deviceconfig.Default()
	files := []*pairsFile{libraryPairs, featurePairs}
	if *wheels != "" || *pairs != "" {
		file := *libraryPairs
		if *features {
			file = *featurePairs
		}
		if *pairs != "" {
			file.name = *pairs
		}
		files = []*pairsFile{&file}
	}
	if *wheels != "" {
		files[0].generate(t, config)
	}
	known := map[string]bool{}
	for _, file := range files {
		file.compare(t, config, known)
	}
	if *wheels == "" && *pairs == "" && len(known) != len(knownPairs) {
		t.Errorf("%d of %d known disagreements remain: remove the others from knownPairs in libraries_test.go", len(known), len(knownPairs))
	}
}

// compare compares the file's results with this project's statuses, and adds the known
// disagreements to known.
func (f *pairsFile) compare(t *testing.T, config *deviceconfig.Config, known map[string]bool) {
	checker := compat.New(config)
	var all, accept, reject, undetermined, disagree int
	for _, m := range f.read(t) {
		for i, device := range f.targets {
			d, ok := config.Lookup(device)
			if !ok {
				t.Fatalf("%s is not a built-in device", device)
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
				accept++
			case result.Status != compat.Compatible && !ocloc.accepted:
				reject++
			case isKnown:
				disagree++
				known[m.digest+device] = true
			default:
				t.Errorf("%s: %s %s on %s: ocloc %s; this project: %s%s; fix package compat or the built-in devices, or add the reason to knownPairs in libraries_test.go",
					f.name, m.library, m.digest, device, ocloc, result.Status, because(result.Reasons))
			}
		}
	}
	outcome := fmt.Sprintf("%d pairs: %d that both accept, %d that both reject, %d undetermined here, %d known disagreements", all, accept, reject, undetermined, disagree)
	t.Logf("%s: %s", f.name, outcome)
	if *wheels == "" && *pairs == "" && outcome != f.outcome {
		t.Errorf("%s: %s; libraries_test.go and docs/project/evidence.md have %s", f.name, outcome, f.outcome)
	}
}

func (f *pairsFile) header() string {
	return "library\tmodule\tbytes\tneeds\t" + strings.Join(f.targets, "\t") + "\n"
}

func (f *pairsFile) read(t *testing.T) []*libraryLine {
	data, err := os.ReadFile(f.name)
	if err != nil {
		t.Fatal(err)
	}
	text, ok := strings.CutPrefix(string(data), f.header())
	if !ok {
		t.Fatalf("%s does not begin with %q", f.name, f.header())
	}
	var list []*libraryLine
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 4+len(f.targets) {
			t.Fatalf("%s: %d columns: %q", f.name, len(cells), line)
		}
		m := &libraryLine{library: cells[0], digest: cells[1], needs: new(requirement.Requirements)}
		m.bytes, err = strconv.Atoi(cells[2])
		if err := errors.Join(err, json.Unmarshal([]byte(cells[3]), m.needs)); err != nil {
			t.Fatalf("%s: %v: %q", f.name, err, line)
		}
		for _, answer := range cells[4:] {
			message, refused := strings.CutPrefix(answer, "refuses: ")
			if !refused && answer != "takes" {
				t.Fatalf("%s: %s: ocloc %q", f.name, m.digest, answer)
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

// generate compiles modules of the wheels, and writes the file.
func (f *pairsFile) generate(t *testing.T, config *deviceconfig.Config) {
	compiler := ocloc{*using, t.TempDir()}
	if compiler.path == "" {
		compiler = findOcloc(t)
	}
	names, err := filepath.Glob(filepath.Join(*wheels, "*.whl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no wheels in %s (%v)", *wheels, err)
	}
	var modules []*libraryModule
	smallest := map[string]*libraryModule{} // by feature
	for _, name := range names {
		all := readModules(t, name)
		chosen := chooseModules(all)
		if *features {
			for _, m := range all {
				for _, feature := range moduleFeatures(t, m.code) {
					if old := smallest[feature]; (old == nil || smaller(m, old) < 0) && (*most == 0 || len(m.code) <= *most) {
						smallest[feature] = m
					}
				}
			}
		} else {
			modules = append(modules, chosen...)
			t.Logf("%s: %d of %d modules", filepath.Base(name), len(chosen), len(all))
		}
	}
	for _, feature := range slices.Sorted(maps.Keys(smallest)) {
		if !slices.Contains(modules, smallest[feature]) {
			modules = append(modules, smallest[feature])
		}
		t.Logf("%s: %s %x", feature, smallest[feature].library, smallest[feature].digest[:4])
	}
	out := f.header()
	for _, m := range modules {
		file := filepath.Join(compiler.dir, "module.spv")
		if err := os.WriteFile(file, m.code, 0o644); err != nil {
			t.Fatal(err)
		}
		line := libraryLine{m.library, fmt.Sprintf("%.16x", m.digest), len(m.code), m.needs, nil}
		for _, device := range f.targets {
			d, _ := config.Lookup(device)
			o, err := compiler.compileAlone(t.Context(), request{file, d.OclocDevice})
			if err != nil {
				t.Fatalf("%s: %v", m.library, err)
			}
			line.ocloc = append(line.ocloc, o)
		}
		out += line.String()
		// The file is complete up to this module if the test is interrupted.
		if err := os.WriteFile(f.name, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// compileAlone compiles in a separate process, because "ocloc multi" can hang if IGC crashes.
func (o ocloc) compileAlone(ctx context.Context, r request) (outcome, error) {
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

// shortMessage returns an error message without the names of kernels, which can be very long.
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
	library string
	digest  [sha256.Size]byte
	code    []byte
	needs   *requirement.Requirements
}

func smaller(a, b *libraryModule) int {
	return cmp.Or(cmp.Compare(len(a.code), len(b.code)), bytes.Compare(a.digest[:], b.digest[:]))
}

// readModules returns the distinct SPIR-V modules of a wheel that have kernels, the smallest first.
func readModules(t *testing.T, name string) []*libraryModule {
	wheel, ok := report.ParseWheel(filepath.Base(name))
	if !ok {
		t.Fatalf("%s is not a valid name of a wheel", name)
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var modules []*libraryModule
	seen := map[[sha256.Size]byte]bool{}
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
			if len(m.Kernels) > 0 {
				modules = append(modules, &libraryModule{wheel.String(), digest, code, m.Needs})
			}
		}
	}
	slices.SortFunc(modules, smaller)
	return modules
}

// chooseModules returns the smallest of the modules with equal requirements.
func chooseModules(all []*libraryModule) (chosen []*libraryModule) {
	count := map[string]int{}
	for _, m := range all {
		key := m.needs.Key()
		if (*each == 0 || count[key] < *each) && (*most == 0 || len(m.code) <= *most) {
			chosen = append(chosen, m)
		}
		count[key]++
	}
	return chosen
}

// moduleFeatures returns the names of the extensions and capabilities that a module declares.
func moduleFeatures(t *testing.T, code []byte) []string {
	module, err := spirv.Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, capability := range module.Capabilities {
		names = append(names, fmt.Sprintf("capability %d", capability))
	}
	const opExtension, header = 10, 20
	for i := header; i < len(code); {
		first := binary.LittleEndian.Uint32(code[i:])
		end := i + 4*int(first>>16)
		if first&0xffff == opExtension {
			name, _, _ := bytes.Cut(code[i+4:end], []byte{0})
			names = append(names, string(name))
		}
		i = end
	}
	return names
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
