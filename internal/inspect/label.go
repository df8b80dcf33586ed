package inspect

import (
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A label is the name of a file in a report. Baselines, policies and reports from other builds
// refer to the file by its label.
type label struct {
	stable string // without versions, tags and hashes: see [report.StableLabel]
	tagged string // with the Python and platform tags, for files with equal stable labels
	exact  string // the file name, for files with equal tagged labels
}

// fileLabel returns the label of a file found in a directory, which may be "". The label of a file
// outside of the current directory is its path, beginning with the name of the given directory.
func fileLabel(dir, name string) label {
	shown := relativeSlashPath(name)
	if !filepath.IsLocal(filepath.FromSlash(shown)) {
		shown = path.Base(shown)
		if dir != "" {
			if rest, err := filepath.Rel(dir, name); err == nil {
				shown = path.Join(path.Base(relativeSlashPath(dir)), filepath.ToSlash(rest))
			}
		}
	}
	return newLabel(shown, filepath.ToSlash(name))
}

func newLabel(name, exact string) label {
	return label{safetext.Escape(report.StableLabel(name)), safetext.Escape(report.WithoutVersion(name)), safetext.Escape(exact)}
}

// relativeSlashPath returns a path with "/", relative to the current directory if it is below it.
func relativeSlashPath(name string) string {
	if filepath.IsAbs(name) {
		if here, err := filepath.Abs("."); err == nil {
			if rest, err := filepath.Rel(here, name); err == nil && filepath.IsLocal(rest) {
				name = rest
			}
		}
	}
	return filepath.ToSlash(filepath.Clean(name))
}

// An archiveLabel derives the labels of the members of an archive.
type archiveLabel struct {
	label
	data string // the directory of files that a wheel installs outside of packages
}

// newArchiveLabel returns the label of an archive. The label of a wheel is the distribution name,
// because its file name contains versions and tags.
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
	l.stable = safetext.Escape(report.StableLabel(a.stable + "/" + name))
	return l
}

// distinct assigns a unique label to each program. Files with the same label and device code, such
// as files of wheels for several Python versions, are the same program.
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

// contentOf returns a key for the device code of a part.
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
