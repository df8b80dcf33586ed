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

// A label is the name that a report gives to a file. Baselines, policies and reports from
// other builds refer to the file by it.
type label struct {
	stable string // without versions, tags and hashes: see [StableLabel]
	tagged string // with the Python and platform tags, for files whose stable labels are the same
	exact  string // the name of the file, for files whose tagged labels are the same
}

// Parts of file names that change from one release of Python, of a platform or of a library
// to the next.
var (
	// soVersion is the version at the end of the name of a shared library.
	soVersion = regexp.MustCompile(`\.so(\.[0-9]+)+$`)
	// vendored is the hash that auditwheel (8 digits) and delvewheel (32) add to the names of
	// libraries that they copy into a wheel.
	vendored = regexp.MustCompile(`(\.libs/[^/]*?)-(?:[0-9a-f]{8}|[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})(\.[^/]*)$`)
	// moduleTag is the tag in the name of a Python extension module, such as
	// ".cpython-311-x86_64-linux-gnu", ".cp312-win_amd64", ".pypy39-pp73-darwin" and ".abi3". In
	// the pattern of a policy, part of it may be "*".
	moduleTag = regexp.MustCompile(`\.(?:cpython-[0-9*]+[a-z]*|cp[0-9*]+[a-z]*|pypy[0-9*]+-pp[0-9*]+|graalpy[0-9*]*-[0-9*]+|abi[0-9]+t?)(?:-[0-9A-Za-z_*-]+)?(\.(?:so|pyd|dll))$`)
	// buildFolder is a build directory of setuptools, such as "lib.linux-x86_64-cpython-311".
	buildFolder = regexp.MustCompile(`(^|/)(lib|temp|bdist)\.(?:linux|macosx|win)[^/]*/`)
	// tagFolder is a directory called by the tags of a wheel, such as "cp311-cp311-linux_x86_64".
	tagFolder = regexp.MustCompile(`(^|/)(?:cp|pp)[0-9]+t?(?:-[0-9A-Za-z_]+)*/`)
	// pythonFolder is the directory of the modules of one release of Python.
	pythonFolder = regexp.MustCompile(`(^|/)python[0-9]\.[0-9]+t?(/)`)
)

// StableLabel returns a label without what changes from one release of Python, of a platform
// or of a library to the next: Python and platform tags, the hashes of auditwheel and
// delvewheel, and the versions of shared libraries.
func StableLabel(label string) string {
	s := soVersion.ReplaceAllString(label, ".so")
	if strings.Contains(s, ".libs/") {
		s = vendored.ReplaceAllString(s, "$1$2")
	}
	s = moduleTag.ReplaceAllString(s, "$1")
	if strings.Contains(s, "/") {
		s = buildFolder.ReplaceAllString(s, "$1$2/")
		s = tagFolder.ReplaceAllString(s, "$1")
		s = pythonFolder.ReplaceAllString(s, "${1}python$2")
	}
	return s
}

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

func newLabel(name, exact string) label {
	return label{safetext.Escape(StableLabel(name)), safetext.Escape(soVersion.ReplaceAllString(name, ".so")), safetext.Escape(exact)}
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
	data string // the directory in front of what a wheel installs outside of packages
}

// newArchiveLabel returns the label of an archive. The label of a wheel is the name of the
// distribution, because its file name has versions and tags.
func newArchiveLabel(name string, l label) archiveLabel {
	d, ok := report.ParseWheel(path.Base(filepath.ToSlash(name)))
	if !ok {
		return archiveLabel{label: l}
	}
	return archiveLabel{label{d.Name, d.Name, fmt.Sprintf("%s (%s)", d.Name, d.Tags)}, d.Name + "-" + d.Version + ".data/"}
}

// member returns the label of a member.
func (a archiveLabel) member(name string) label {
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))[1:]
	if a.data != "" {
		name = strings.TrimPrefix(name, a.data)
	}
	l := newLabel(a.tagged+"/"+name, a.exact+"/"+name)
	l.stable = safetext.Escape(StableLabel(a.stable + "/" + name))
	return l
}

// distinct gives each program a label of its own. Files with the same label and the same
// device code, such as files of wheels for several versions of Python, are one program.
func distinct(parts []*part) []*part {
	var list []*part
	same := map[string]*part{}
	for _, p := range parts {
		key := p.label.stable + "\x00" + contentOf(p)
		if known := same[key]; known != nil {
			for i := range known.modules {
				known.modules[i].Files = append(known.modules[i].Files, p.file)
			}
			continue
		}
		same[key] = p
		list = append(list, p)
	}
	taken := map[string]bool{}
	rest := list
	for _, of := range []func(*part) string{
		func(p *part) string { return p.label.stable },
		func(p *part) string { return p.label.tagged },
	} {
		programs := map[string]int{}
		for _, p := range rest {
			programs[of(p)]++
		}
		var next []*part
		for _, p := range rest {
			if name := of(p); programs[name] == 1 && !taken[name] {
				taken[name] = true
				p.label.stable = name
			} else {
				next = append(next, p)
			}
		}
		rest = next
	}
	for _, p := range rest {
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
