// Package site makes a folder of static pages of reports on libraries: which versions run on
// which devices, what changed between versions, and what devices run.
//
// The pages need no server and load nothing from elsewhere. They depend on the reports alone.
// No name of a report becomes a path or markup: the names of files are made of letters, digits
// and few other characters.
package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	gaterender "github.com/rules-sycl/rules_sycl/sycl/gate/render"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/report/render"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Schema is the member "schema" of data.json.
const Schema = "https://rules-sycl.github.io/schema/compat-site/v1"

// A Site is what reports say, by library, by device and by problem. Names are escaped.
type Site struct {
	Schema        string     `json:"schema"`
	SchemaVersion string     `json:"schema-version"`
	Libraries     []*Library `json:"libraries"`
	Devices       []*Device  `json:"devices"`
	Problems      []*Problem `json:"problems"`
}

// A Library has versions, the newest first.
type Library struct {
	Name     string     `json:"name"`
	Slug     string     `json:"page"`
	Versions []*Version `json:"versions"`
	Changes  []Change   `json:"-"` // between versions of a platform
}

// A Version is a release of a library for a platform.
type Version struct {
	Library  *Library `json:"-"`
	Name     string   `json:"version"`
	Slug     string   `json:"page"`
	Kernels  int      `json:"kernels"`
	Shares   []*Share `json:"devices"`
	Problems []*Found `json:"problems,omitempty"`

	version, platform string
	parts             []*report.Report
	report            *report.Report
}

// A Share is how many kernels of a version run on a device.
type Share struct {
	Version *Version `json:"-"`
	Device  *Device  `json:"-"`
	Name    string   `json:"device"`
	Runs    int      `json:"runs"`
	Maybe   int      `json:"maybe,omitempty"` // known only when the program runs
	Fails   int      `json:"fails,omitempty"`
}

// A Device has a share of each version that was compared with it.
type Device struct {
	Name   string   `json:"name"`
	Slug   string   `json:"page"`
	Shares []*Share `json:"-"`
}

// A Problem is something that kernels need and devices lack.
type Problem struct {
	Name  string   `json:"name"`
	Rule  string   `json:"rule"`
	Slug  string   `json:"page"`
	Found []*Found `json:"-"`
}

// A Found is a problem of a version.
type Found struct {
	Version *Version `json:"-"`
	Problem *Problem `json:"-"`
	Name    string   `json:"problem"`
	Class   string   `json:"-"`
	Text    string   `json:"text"`
	Kernels int      `json:"kernels"`
	Devices []string `json:"devices"`
}

// A Change is what differs between two versions.
type Change struct {
	Old, New   *Version
	Difference *gate.Difference
	Sections   []gaterender.ChangeSection
}

// mostProblems is how many problems of a version the pages have.
const mostProblems = 40

// New makes a site of reports, each of one version of a library.
func New(names []string, reports []*report.Report) (*Site, error) {
	s := &Site{Schema: Schema, SchemaVersion: "1.0", Libraries: []*Library{}, Devices: []*Device{}, Problems: []*Problem{}}
	libraries := map[string]*Library{}
	for i, r := range reports {
		if err := s.add(names[i], r, libraries); err != nil {
			return nil, err
		}
	}
	slugs := newSlugs()
	for _, l := range libraries {
		s.Libraries = append(s.Libraries, l)
	}
	slices.SortFunc(s.Libraries, func(a, b *Library) int { return safetext.CompareNatural(a.Name, b.Name) })
	devices, problems := map[string]*Device{}, map[string]*Problem{}
	for _, l := range s.Libraries {
		l.Slug = slugs.of("l", l.Name)
		if err := s.finish(l, devices, problems); err != nil {
			return nil, err
		}
	}
	for _, d := range devices {
		s.Devices = append(s.Devices, d)
	}
	slices.SortFunc(s.Devices, func(a, b *Device) int { return safetext.CompareNatural(a.Name, b.Name) })
	for _, d := range s.Devices {
		d.Slug = slugs.of("d", d.Name)
	}
	for _, p := range problems {
		s.Problems = append(s.Problems, p)
	}
	slices.SortFunc(s.Problems, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(len(b.Found), len(a.Found)), safetext.CompareNatural(a.Name, b.Name), strings.Compare(a.Rule, b.Rule))
	})
	for _, p := range s.Problems {
		p.Slug = slugs.of("p", p.Name)
	}
	return s, nil
}

// add adds a report to its library.
func (s *Site) add(name string, r *report.Report, libraries map[string]*Library) error {
	library, version, platform := cmp.Or(r.Label(), name), cmp.Or(shortCommit(r.Source.Commit), r.Source.Date), ""
	for i, d := range r.Distributions() {
		of := d.Tags[strings.LastIndexByte(d.Tags, '-')+1:]
		if i > 0 && (d.Name != library || d.Version != version || of != platform) {
			return fmt.Errorf("%s is about several wheels, such as %s %s (%s) and %v (%s): write a report of each", name, library, version, platform, d, of)
		}
		library, version, platform = d.Name, d.Version, of
	}
	l := libraries[library]
	if l == nil {
		l = &Library{Name: safetext.Escape(library)}
		libraries[library] = l
	}
	i := slices.IndexFunc(l.Versions, func(v *Version) bool { return v.version == version && v.platform == platform })
	if i < 0 {
		i = len(l.Versions)
		l.Versions = append(l.Versions, &Version{Library: l, version: version, platform: platform})
	}
	l.Versions[i].parts = append(l.Versions[i].parts, r)
	return nil
}

func shortCommit(id string) string { return id[:min(len(id), 12)] }

// finish orders the versions of a library and counts.
func (s *Site) finish(l *Library, devices map[string]*Device, problems map[string]*Problem) error {
	type key struct{ version, kind string }
	platforms, kinds := map[string]int{}, map[key]int{}
	for _, v := range l.Versions {
		platforms[v.version]++
		kinds[key{v.version, platformKind(v.platform)}]++
	}
	slices.SortFunc(l.Versions, func(a, b *Version) int {
		return cmp.Or(safetext.CompareNatural(b.version, a.version), safetext.CompareNatural(a.platform, b.platform))
	})
	slugs := newSlugs()
	newer := map[string]*Version{} // by platform
	indexes := map[*Version]*gate.Index{}
	for _, v := range l.Versions {
		v.Name = safetext.Escape(v.version)
		if platforms[v.version] > 1 {
			kind := platformKind(v.platform)
			if kinds[key{v.version, kind}] > 1 {
				kind = v.platform
			}
			v.Name += " (" + safetext.Escape(kind) + ")"
		}
		v.Slug = slugs.of("v", cmp.Or(v.Name, "report"))
		var err error
		if v.report, err = report.Merge(v.parts...); err != nil {
			return fmt.Errorf("%s %s: %w", l.Name, v.Name, err)
		}
		v.parts = nil
		v.count(devices)
		v.addProblems(problems)
		indexes[v] = gate.NewIndex(l.Name, v.report)
		kind := platformKind(v.platform)
		if n := newer[kind]; n != nil {
			d := gate.Diff([]*gate.Index{indexes[v]}, []*gate.Index{indexes[n]})
			l.Changes = append(l.Changes, Change{Old: v, New: n, Difference: d, Sections: gaterender.ChangeSections(d)})
			delete(indexes, n)
		}
		newer[kind] = v
	}
	return nil
}

// platformKind returns the operating system of a platform tag: versions are compared with those
// of the same one.
func platformKind(tag string) string {
	for _, kind := range []string{"linux", "macosx", "win"} {
		if strings.Contains(tag, kind) {
			return kind
		}
	}
	return tag
}

// count counts the kernels of a version by device.
func (v *Version) count(devices map[string]*Device) {
	r := v.report
	v.Kernels = len(r.Kernels)
	for i := range r.Devices {
		name := r.Devices[i].Name
		d := devices[name]
		if d == nil {
			d = &Device{Name: safetext.Escape(name)}
			devices[name] = d
		}
		share := &Share{Version: v, Device: d, Name: d.Name}
		for k := range r.Kernels {
			switch o := r.Outcome(k, i); {
			case o.Status == compat.Compatible:
				share.Runs++
			case o.Status == compat.Incompatible:
				share.Fails++
			case !o.NotReported():
				share.Maybe++
			}
		}
		v.Shares = append(v.Shares, share)
		d.Shares = append(d.Shares, share)
	}
	slices.SortFunc(v.Shares, func(a, b *Share) int { return safetext.CompareNatural(a.Name, b.Name) })
}

func (v *Version) addProblems(problems map[string]*Problem) {
	for i, p := range render.Problems(v.report) {
		if i == mostProblems {
			break
		}
		key := p.Rule + "\x00" + p.Name
		known := problems[key]
		if known == nil {
			known = &Problem{Name: p.Name, Rule: p.Rule}
			problems[key] = known
		}
		f := &Found{Version: v, Problem: known, Name: p.Name, Class: "x", Text: p.Text, Kernels: p.Kernels, Devices: p.Devices}
		if p.Status == compat.Undetermined {
			f.Class = "m"
		}
		v.Problems = append(v.Problems, f)
		known.Found = append(known.Found, f)
	}
}

// Span names the oldest and the newest version.
func (l *Library) Span() string {
	first, last := safetext.Escape(l.Versions[len(l.Versions)-1].version), safetext.Escape(l.Versions[0].version)
	if first == last || first == "" {
		return last
	}
	return first + " to " + last
}

// Title names the library and the version.
func (v *Version) Title() string { return strings.TrimSpace(v.Library.Name + " " + v.Name) }

// Share returns that of a device, nil when it was not compared.
func (v *Version) Share(d *Device) *Share {
	i, ok := slices.BinarySearchFunc(v.Shares, d.Name, func(s *Share, name string) int { return safetext.CompareNatural(s.Name, name) })
	if !ok {
		return nil
	}
	return v.Shares[i]
}

// All is the number of kernels that were compared.
func (s *Share) All() int { return s.Runs + s.Maybe + s.Fails }

// Class is that of the style.
func (s *Share) Class() string {
	switch {
	case s.All() == 0:
		return "a"
	case s.Runs == s.All():
		return "n"
	case s.Fails > 0 && s.Runs == 0:
		return "x"
	}
	return "m"
}

// Mark is a symbol for the share: all, some or no kernels run, or it is not known.
func (s *Share) Mark() string {
	switch {
	case s.All() == 0:
		return "–"
	case s.Runs == s.All():
		return "✓"
	case s.Runs == 0 && s.Fails == 0:
		return "?"
	case s.Runs == 0:
		return "✕"
	}
	return "◐"
}

// Percent is never 100 % when a kernel does not run, and never 0 % when one does.
func (s *Share) Percent() string {
	all := s.All()
	if all == 0 {
		return "n/a"
	}
	if s.Runs == 0 && s.Fails == 0 {
		return "at run time"
	}
	tenths := s.Runs * 1000 / all
	if s.Runs > 0 && tenths == 0 {
		return "< 0.1 %"
	}
	if tenths%10 == 0 {
		return fmt.Sprintf("%d %%", tenths/10)
	}
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

// Words says the share in words.
func (s *Share) Words() string {
	t := fmt.Sprintf("%d of %d %s", s.Runs, s.All(), safetext.Plural(s.All(), "kernel runs", "kernels run"))
	if s.Maybe > 0 {
		t += fmt.Sprintf(", %d known only when the program runs", s.Maybe)
	}
	return t
}

// slugs makes names of files.
type slugs map[string]bool

func newSlugs() slugs { return slugs{} }

// of returns a name of its own for a kind of file: small letters, digits and a few others,
// with a letter or a digit at its begin.
func (s slugs) of(kind, name string) string {
	var b strings.Builder
	for _, c := range []byte(strings.ToLower(name)) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', (c == '.' || c == '_') && b.Len() > 0:
			b.WriteByte(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == 60 {
			break
		}
	}
	base := cmp.Or(strings.Trim(b.String(), "-."), "x")
	slug := base
	for n := 2; s[kind+"/"+slug]; n++ {
		slug = fmt.Sprintf("%s-%d", base, n)
	}
	s[kind+"/"+slug] = true
	return slug
}
