package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// packageColumns are the columns of docs/project/packages.tsv, as .ci/measure-packages writes them.
var packageColumns = []string{
	"wheel", "compiler", "spirv", "native", "bitcode", "kernels", "names", "entries", "missing", "other",
	"pairs", "undetermined", "disagree", "megabytes", "processor", "peak",
}

// packageRows reads docs/project/packages.tsv.
func packageRows(t *testing.T, root string) []map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "docs", "project", "packages.tsv"))
	testkit.NoError(t, err)
	text, ok := strings.CutPrefix(string(data), "# "+strings.Join(packageColumns, "\t")+"\n")
	if !ok {
		t.Fatalf("packages.tsv: the first line does not name the columns %q", packageColumns)
	}
	var rows []map[string]string
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != len(packageColumns) {
			t.Fatalf("packages.tsv: %d columns in %q; expected %d", len(fields), line, len(packageColumns))
		}
		row := map[string]string{}
		for i, field := range fields {
			row[packageColumns[i]] = field
		}
		rows = append(rows, row)
	}
	return rows
}

// TestPackagesPage checks that docs/project/packages.md is generated from packages.tsv, that its
// rows are the wheels that .ci/measure-packages fetches, and that each name in a report is an entry
// point of the wheel.
func TestPackagesPage(t *testing.T) {
	root := tree(t)
	rows := packageRows(t, root)
	list, err := os.ReadFile(filepath.Join(root, ".ci", "measure-packages.sha256"))
	testkit.NoError(t, err)
	var listed, measured []string
	for line := range strings.Lines(string(list)) {
		listed = append(listed, strings.Fields(line)[1])
	}

	var table strings.Builder
	packages, sum := map[string]bool{}, map[string]int{}
	count := func(row map[string]string, column string) int {
		n, err := strconv.Atoi(row[column])
		if err != nil {
			t.Errorf("packages.tsv: %s: invalid number %q in column %s", row["wheel"], row[column], column)
		}
		sum[column] += n
		return n
	}
	for _, row := range rows {
		measured = append(measured, row["wheel"])
		if row["missing"] != "0" || row["names"] != row["entries"] {
			t.Errorf("packages.tsv: %s: the report has %s names, %s of them without an entry point, and the wheel has %s",
				row["wheel"], row["names"], row["missing"], row["entries"])
		}
		name, version := wheelName(row["wheel"])
		packages[name] = true
		system := "Linux"
		if strings.Contains(row["wheel"], "-win") {
			system = "Windows"
		}
		var content []string
		if n := count(row, "spirv"); n > 0 {
			content = append(content, fmt.Sprintf("%d SPIR-V", n))
		}
		if n, gpus, _ := strings.Cut(row["native"], " "); n != "0" {
			content = append(content, fmt.Sprintf("%s native: %s", n, strings.ReplaceAll(strings.ReplaceAll(gpus, "intel_gpu_", ""), " ", ", ")))
		}
		if n := count(row, "bitcode"); n > 0 {
			content = append(content, fmt.Sprintf("%d bitcode", n))
		}
		pairs, disagree := "", ""
		if row["pairs"] != "" {
			pairs, disagree = fmt.Sprintf("%d (%d)", count(row, "pairs"), count(row, "undetermined")), strconv.Itoa(count(row, "disagree"))
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s | %d | %d | %d | %d | %s | %s | %s | %s | %s |\n",
			name, version, system, strings.ReplaceAll(strings.Replace(row["compiler"], "libsycl ", "libsycl-", 1), " ", ", "), strings.Join(content, "; "),
			count(row, "kernels"), count(row, "names"), count(row, "entries"), count(row, "other"),
			pairs, disagree, row["megabytes"], row["processor"], row["peak"])
	}
	if got, want := strings.Join(measured, "\n"), strings.Join(listed, "\n"); got != want {
		t.Errorf("packages.tsv has the wheels\n%s\nand .ci/measure-packages.sha256 has\n%s\nrun .ci/measure-packages --update", got, want)
	}
	if len(packages) < 20 {
		t.Errorf("packages.tsv has %d packages; expected 20", len(packages))
	}
	page := fmt.Sprintf(packagesPage, len(rows), len(packages), sum["kernels"], sum["names"], sum["entries"], sum["other"],
		sum["pairs"], sum["disagree"], sum["undetermined"], table.String())
	testkit.GoldenFile(t, filepath.Join(root, "docs", "project", "packages.md"), page)
}

// wheelName returns the package and the version in the file name of a wheel.
func wheelName(file string) (name, version string) {
	fields := strings.Split(file, "-")
	return strings.ReplaceAll(fields[0], "_", "-"), fields[1]
}

const packagesPage = `# Published packages

` + "`compat report`" + ` read these %d wheels of %d packages on PyPI that other projects built with DPC++. A second reader, which shares no code with
` + "`compat`" + `, counted the entry points in the same files. The reports have %d kernels. They and their forms have %d names. The second
reader found %d of these names as entry points, and %d others, in modules that are not among the SYCL device images of the report.

` + "`ocloc`" + ` compiled some of the modules: of %d pairs of a module and a GPU, %d disagree and %d were not judged.

To repeat a row, run the script in a clone. It fetches each wheel with pip, verifies its checksum, and deletes it afterwards:

    .ci/measure-packages onemkl_sycl_dft
    .ci/measure-packages --ocloc "$(command -v ocloc)" onemkl_sycl_dft

Without a name, it measures all wheels in [.ci/measure-packages.sha256](../../.ci/measure-packages.sha256). It exits with 1 if a report has a name
without an entry point, and prints the first differences. ` + "`--update`" + ` writes [packages.tsv](packages.tsv), and ` + "`go test ./tools/lint -update`" + ` writes
this page from it.

| Package | Version | System | Compiler | Images | Kernels | Names | Entry points | Other | Pairs | Disagree | MB | Processor s | Peak MiB |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
%s
- **Compiler**: the releases of DPC++ that the files with device code record. Windows libraries do not record one, so the row has the version of the
  SYCL runtime that they load.
- **Images**: distinct device images, as in the report: SPIR-V modules, native code and its GPUs, and LLVM bitcode.
- **Kernels**: as in the report. Kernels with one name and different code, as in two builds of a library, count separately.
- **Names**: the names of kernels and of their forms, per file. DPC++ generates several forms of one kernel, such as one for a rounded range, and the
  report merges them. A file that is in the wheel several times counts once.
- **Entry points**: the second reader searches the bytes of each file for the first words of SPIR-V modules and Intel GPU binaries,
  also in zstd frames, without reading sections or descriptors. It reads the names in ` + "`OpEntryPoint Kernel`" + ` and ` + "`.ze_info`" + `. The column counts names of the previous column that it found.
  For free function kernels, it removes the prefix ` + "`__sycl_kernel_`" + `, which the SYCL runtime does not use.
- **Other**: entry points whose names are not in the report, such as ` + "`cgemm_beta`" + ` of oneMKL. Their modules are not among the SYCL device
  images that ` + "`compat`" + ` finds in the descriptors of the file. For Intel GPU binaries among them, such as 20 of oneMKL's Fourier transforms, and for
  OpenCL C source text, it prints a warning. How the libraries use them was not examined.
- **Pairs**: how many pairs of a module and a GPU were compared with ` + "`ocloc`" + ` 26.27, and how many of them were not judged, in parentheses. The
  sample is the smallest module with each set of requirements, if it has at most 20,000 bytes, for tgllp, acm_g10, mtl_u, pvc, bmg_g21, lnl_m and
  ptl_h. Windows libraries and native code were not compared. An empty cell means that the wheel was not compared.
- **Disagree**: pairs with a different result, without those that were not judged. [libraries_test.go](../../sycl/compat/libraries_test.go) has the reasons
  for the known ones.
- **Processor s, Peak MiB**: processor time and peak memory of ` + "`compat report`" + ` for three GPUs with JSON output, run once on a virtual
  machine with two cores that was nearly idle.
`
