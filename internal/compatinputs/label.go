package compatinputs

import (
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A label is what a report calls a file. Baselines and reports of other versions know
// the kernels of the file by it.
type label struct {
	stable string // without versions
	exact  string // for a file whose stable label another file has too
}

// soVersion is the version at the end of the name of a shared library.
var soVersion = regexp.MustCompile(`\.so(\.[0-9]+)+$`)

// fileLabel returns the label of a file that was found in a folder, which may be "". A
// file outside of the current folder is called by its path from that folder on.
func fileLabel(folder, name string) label {
	shown := fromHere(name)
	if !filepath.IsLocal(filepath.FromSlash(shown)) {
		shown = path.Base(shown)
		if folder != "" {
			if rest, err := filepath.Rel(folder, name); err == nil {
				shown = path.Join(path.Base(fromHere(folder)), filepath.ToSlash(rest))
			}
		}
	}
	return newLabel(shown, filepath.ToSlash(name))
}

func newLabel(stable, exact string) label {
	return label{safetext.Escape(soVersion.ReplaceAllString(stable, ".so")), safetext.Escape(exact)}
}

// fromHere returns a path with "/", from the current folder on if it is below that.
func fromHere(name string) string {
	if filepath.IsAbs(name) {
		if here, err := filepath.Abs("."); err == nil {
			if rest, err := filepath.Rel(here, name); err == nil && filepath.IsLocal(rest) {
				name = rest
			}
		}
	}
	return filepath.ToSlash(filepath.Clean(name))
}

// An archiveLabel makes the labels of the members of an archive.
type archiveLabel struct {
	label
	data string // the folder in front of what a wheel installs outside of packages
}

// newArchiveLabel returns that of an archive: the distribution of a wheel, whose name has
// versions and tags, and the label of another file.
func newArchiveLabel(name string, l label) archiveLabel {
	d, ok := report.ParseWheel(path.Base(filepath.ToSlash(name)))
	if !ok {
		return archiveLabel{label: l}
	}
	return archiveLabel{label{d.Name, fmt.Sprintf("%s (%s)", d.Name, d.Tags)}, d.Name + "-" + d.Version + ".data/"}
}

// vendored is what auditwheel adds to the names of libraries that it copies into wheels.
var vendored = regexp.MustCompile(`(\.libs/[^/]*)-[0-9a-f]{8}(\.[^/]*)$`)

// member returns the label of a member.
func (a archiveLabel) member(name string) label {
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))[1:]
	stable := name
	if a.data != "" {
		name = strings.TrimPrefix(name, a.data)
		stable = vendored.ReplaceAllString(name, "$1$2")
	}
	return newLabel(a.stable+"/"+stable, a.exact+"/"+name)
}

// distinct gives each program a label of its own. Files with the same label and the same
// device code, such as those of wheels for several versions of Python, are one program.
func distinct(parts []*part) []*part {
	var list []*part
	same := map[string]*part{}
	programs := map[string]int{} // by stable label
	for _, p := range parts {
		key := p.label.stable + "\x00" + contentOf(p)
		if known := same[key]; known != nil {
			for i := range known.modules {
				known.modules[i].Files = append(known.modules[i].Files, p.file)
			}
			continue
		}
		same[key] = p
		programs[p.label.stable]++
		list = append(list, p)
	}
	taken := map[string]bool{}
	for _, p := range list {
		if programs[p.label.stable] == 1 {
			taken[p.label.stable] = true
		}
	}
	for _, p := range list {
		if programs[p.label.stable] == 1 {
			continue
		}
		name := p.label.exact
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s (%d)", p.label.exact, n)
		}
		taken[name] = true
		p.label.stable = name
	}
	return list
}

// contentOf identifies the device code of a part.
func contentOf(p *part) string {
	h := sha256.New()
	for _, m := range p.modules {
		fmt.Fprintf(h, "%t %q\n", m.Embedded, m.Needs.Key())
		for _, k := range m.Kernels {
			fmt.Fprintf(h, "%q ", k.Name)
		}
		for _, i := range m.Images {
			fmt.Fprintf(h, "\n%t %q %q %s", i.Native, i.Triple, i.Arch, i.Digest)
		}
	}
	return string(h.Sum(nil))
}
