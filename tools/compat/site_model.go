package main

// The files site*.go generate a static site from reports on libraries. It shows which versions run
// on which devices, what changed between versions, and which libraries a device runs.
//
// The pages need no server, load no external resources and depend only on the reports. Names from
// reports never become paths or markup: file names consist of letters, digits and a few other
// characters.

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	gaterender "github.com/rules-sycl/rules_sycl/sycl/gate/render"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/report/render"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// siteSchema is the value of "schema" in data.json.
const siteSchema = "https://rules-sycl.github.io/schema/compat-site/v1"

// A site groups the content of reports by library, by device and by problem. Names are escaped.
type site struct {
	Schema        string         `json:"schema"`
	SchemaVersion string         `json:"schema-version"`
	Libraries     []*siteLibrary `json:"libraries"`
	Devices       []*siteDevice  `json:"devices"`
	Problems      []*siteProblem `json:"problems"`
}

// A siteLibrary is a library. Its versions are sorted, newest first.
type siteLibrary struct {
	Name     string         `json:"name"`
	Slug     string         `json:"page"`
	Versions []*siteVersion `json:"versions"`
	Changes  []siteChange   `json:"-"` // between consecutive versions for the same platform
}

// A siteVersion is a release of a library for a platform.
type siteVersion struct {
	Library  *siteLibrary      `json:"-"`
	Name     string            `json:"version"`
	Slug     string            `json:"page"`
	Kernels  int               `json:"kernels"`
	Shares   []*siteShare      `json:"devices"`
	Problems []*siteOccurrence `json:"problems,omitempty"`

	version, platform string
	tags              string // tags of the wheels in parts
	parts             []*report.Report
	report            *report.Report
}

// A siteShare is the number of kernels of a version that run on a device.
type siteShare struct {
	Version *siteVersion `json:"-"`
	Device  *siteDevice  `json:"-"`
	Name    string       `json:"device"`
	Runs    int          `json:"runs"`
	Maybe   int          `json:"maybe,omitempty"` // undetermined until run time
	Fails   int          `json:"fails,omitempty"`
}

// A siteDevice is a device with the share of every version that was checked for it.
type siteDevice struct {
	Name   string       `json:"name"`
	Slug   string       `json:"page"`
	Shares []*siteShare `json:"-"`
}

// A siteProblem is a requirement of kernels that some devices do not meet.
type siteProblem struct {
	Name  string            `json:"name"`
	Rule  string            `json:"rule"`
	Slug  string            `json:"page"`
	Found []*siteOccurrence `json:"-"`
}

// Versions returns the number of versions with the problem. A version that has it in several
// variants counts once.
func (p *siteProblem) Versions() int {
	versions := map[*siteVersion]bool{}
	for _, f := range p.Found {
		versions[f.Version] = true
	}
	return len(versions)
}

// A siteOccurrence is a problem in a version.
type siteOccurrence struct {
	Version *siteVersion `json:"-"`
	Problem *siteProblem `json:"-"`
	Name    string       `json:"problem"`
	Class   string       `json:"-"`
	Text    string       `json:"text"`
	Kernels int          `json:"kernels"`
	Devices []string     `json:"devices"`
}

// A siteChange holds the differences between two versions.
type siteChange struct {
	Old, New   *siteVersion
	Difference *gate.Difference
	Sections   []gaterender.ChangeSection
}

// mostProblems is the maximum number of problems shown per version.
const mostProblems = 40

// newSite builds a site from reports, each of which covers one version of a library.
func newSite(names []string, reports []*report.Report) (*site, error) {
	s := &site{Schema: siteSchema, SchemaVersion: "1.0", Libraries: []*siteLibrary{}, Devices: []*siteDevice{}, Problems: []*siteProblem{}}
	libraries := map[string]*siteLibrary{}
	for i, r := range reports {
		if err := s.add(names[i], r, libraries); err != nil {
			return nil, err
		}
	}
	slugs := newSlugs()
	s.Libraries = slices.AppendSeq(s.Libraries, maps.Values(libraries))
	slices.SortFunc(s.Libraries, func(a, b *siteLibrary) int { return safetext.CompareNatural(a.Name, b.Name) })
	devices, problems := map[string]*siteDevice{}, map[string]*siteProblem{}
	for _, l := range s.Libraries {
		l.Slug = slugs.add("l", l.Name)
		if err := s.finish(l, devices, problems); err != nil {
			return nil, err
		}
	}
	s.Devices = slices.AppendSeq(s.Devices, maps.Values(devices))
	slices.SortFunc(s.Devices, func(a, b *siteDevice) int { return safetext.CompareNatural(a.Name, b.Name) })
	for _, d := range s.Devices {
		d.Slug = slugs.add("d", d.Name)
	}
	s.Problems = slices.AppendSeq(s.Problems, maps.Values(problems))
	slices.SortFunc(s.Problems, func(a, b *siteProblem) int {
		return cmp.Or(cmp.Compare(b.Versions(), a.Versions()), safetext.CompareNatural(a.Name, b.Name), strings.Compare(a.Rule, b.Rule))
	})
	for _, p := range s.Problems {
		p.Slug = slugs.add("p", p.Name)
	}
	return s, nil
}

// add adds a report to its library.
func (s *site) add(name string, r *report.Report, libraries map[string]*siteLibrary) error {
	library, version, platform := cmp.Or(r.Label(), name), cmp.Or(shortCommit(r.Source.Commit), r.Source.Date), ""
	for i, d := range r.Distributions() {
		of := d.Tags[strings.LastIndexByte(d.Tags, '-')+1:]
		if i > 0 && (distributionKey(d.Name) != distributionKey(library) || d.Version != version || of != platform) {
			return fmt.Errorf("%s covers several wheels, such as %s %s (%s) and %v (%s); write one report per wheel", name, library, version, platform, d, of)
		}
		library, version, platform = d.Name, d.Version, of
	}
	key := library
	if len(r.Distributions()) > 0 {
		key = distributionKey(library)
	}
	l := libraries[key]
	if l == nil {
		l = &siteLibrary{Name: safetext.Escape(library)}
		libraries[key] = l
	}
	i := slices.IndexFunc(l.Versions, func(v *siteVersion) bool { return v.version == version && v.platform == platform })
	if i < 0 {
		i = len(l.Versions)
		l.Versions = append(l.Versions, &siteVersion{Library: l, version: version, platform: platform})
	}
	l.Versions[i].add(r)
	return nil
}

var separators = regexp.MustCompile(`[-_.]+`)

// distributionKey normalizes the name of a distribution as package indexes do, because wheels of
// one distribution may spell it differently.
func distributionKey(name string) string {
	return strings.ToLower(separators.ReplaceAllString(name, "-"))
}

// add adds a report to a version. Wheels for different Python versions contain the same kernels, so
// only the wheels for the newest Python count.
func (v *siteVersion) add(r *report.Report) {
	tags := ""
	for _, d := range r.Distributions() {
		tags = d.Tags // sorted
	}
	switch n := safetext.CompareNatural(tags, v.tags); {
	case v.parts == nil || n > 0:
		v.tags, v.parts = tags, []*report.Report{r}
	case n == 0:
		v.parts = append(v.parts, r)
	}
}

func shortCommit(id string) string { return id[:min(len(id), 12)] }

// finish sorts the versions of a library and computes the counts.
func (s *site) finish(l *siteLibrary, devices map[string]*siteDevice, problems map[string]*siteProblem) error {
	type key struct{ version, kind string }
	platforms, kinds := map[string]int{}, map[key]int{}
	for _, v := range l.Versions {
		platforms[v.version]++
		kinds[key{v.version, platformKind(v.platform)}]++
	}
	slices.SortFunc(l.Versions, func(a, b *siteVersion) int {
		return cmp.Or(safetext.CompareNatural(b.version, a.version), safetext.CompareNatural(a.platform, b.platform))
	})
	slugs := newSlugs()
	newer := map[string]*siteVersion{} // by platform
	indexes := map[*siteVersion]*gate.Index{}
	for _, v := range l.Versions {
		v.Name = safetext.Escape(v.version)
		if platforms[v.version] > 1 {
			kind := platformKind(v.platform)
			if kinds[key{v.version, kind}] > 1 {
				kind = v.platform
			}
			v.Name += " (" + safetext.Escape(kind) + ")"
		}
		v.Slug = slugs.add("v", cmp.Or(v.Name, "report"))
		var err error
		if v.report, err = report.Merge(v.parts...); err != nil {
			return fmt.Errorf("%s %s: %w", l.Name, v.Name, err)
		}
		v.parts = nil
		v.report = v.report.WithoutRepeatedLibraries()
		v.count(devices)
		v.addProblems(problems)
		indexes[v] = gate.NewIndex(l.Name, v.report)
		kind := platformKind(v.platform)
		if n := newer[kind]; n != nil {
			d := gate.Diff([]*gate.Index{indexes[v]}, []*gate.Index{indexes[n]})
			l.Changes = append(l.Changes, siteChange{Old: v, New: n, Difference: d, Sections: gaterender.ChangeSections(d)})
			delete(indexes, n)
		}
		newer[kind] = v
	}
	return nil
}

// platformKind returns the operating system of a platform tag. Only versions for the same system
// are compared.
func platformKind(tag string) string {
	for _, kind := range []string{"linux", "macosx", "win"} {
		if strings.Contains(tag, kind) {
			return kind
		}
	}
	return tag
}

// count counts the kernels of a version by device.
func (v *siteVersion) count(devices map[string]*siteDevice) {
	r := v.report
	v.Kernels = len(r.Kernels)
	for i := range r.Devices {
		name := r.Devices[i].Name
		d := devices[name]
		if d == nil {
			d = &siteDevice{Name: safetext.Escape(name)}
			devices[name] = d
		}
		share := &siteShare{Version: v, Device: d, Name: d.Name}
		for k := range r.Kernels {
			switch o := r.Outcome(k, i); {
			case o.Status == compat.Compatible:
				share.Runs++
			case o.Status == compat.Incompatible:
				share.Fails++
			case !o.IsUnreported():
				share.Maybe++
			}
		}
		v.Shares = append(v.Shares, share)
		d.Shares = append(d.Shares, share)
	}
	slices.SortFunc(v.Shares, func(a, b *siteShare) int { return safetext.CompareNatural(a.Name, b.Name) })
}

func (v *siteVersion) addProblems(problems map[string]*siteProblem) {
	for i, p := range render.Problems(v.report) {
		if i == mostProblems {
			break
		}
		key := p.Rule + "\x00" + p.Name
		known := problems[key]
		if known == nil {
			known = &siteProblem{Name: p.Name, Rule: p.Rule}
			problems[key] = known
		}
		f := &siteOccurrence{Version: v, Problem: known, Name: p.Name, Class: "x", Text: p.Text, Kernels: p.Kernels, Devices: p.Devices}
		if p.Status == compat.Undetermined {
			f.Class = "m"
		}
		v.Problems = append(v.Problems, f)
		known.Found = append(known.Found, f)
	}
}

// Span returns the oldest and the newest version.
func (l *siteLibrary) Span() string {
	first, last := safetext.Escape(l.Versions[len(l.Versions)-1].version), safetext.Escape(l.Versions[0].version)
	if first == last || first == "" {
		return last
	}
	return first + " to " + last
}

// Title returns the names of the library and the version.
func (v *siteVersion) Title() string { return strings.TrimSpace(v.Library.Name + " " + v.Name) }

// Share returns the share for a device, or nil if the version was not checked for it.
func (v *siteVersion) Share(d *siteDevice) *siteShare {
	i, ok := slices.BinarySearchFunc(v.Shares, d.Name, func(s *siteShare, name string) int { return safetext.CompareNatural(s.Name, name) })
	if !ok {
		return nil
	}
	return v.Shares[i]
}

// All returns the number of checked kernels.
func (s *siteShare) All() int { return s.Runs + s.Maybe + s.Fails }

// Unknown formats the number of undetermined kernels. It returns "" if no kernels or all kernels
// are undetermined.
func (s *siteShare) Unknown() string {
	if s.Maybe == 0 || s.Runs+s.Fails == 0 {
		return ""
	}
	return fmt.Sprintf(" + %d ?", s.Maybe)
}

// Class returns the CSS class of the share.
func (s *siteShare) Class() string {
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

// Mark returns a symbol for whether all, some or no kernels run, or for unknown.
func (s *siteShare) Mark() string {
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

// Percent formats the share as a percentage, which is 100% only if all kernels run and 0% only if
// no kernel runs.
func (s *siteShare) Percent() string {
	all := s.All()
	if all == 0 {
		return "n/a"
	}
	if s.Runs == 0 && s.Fails == 0 {
		return "at run time"
	}
	return render.Percent(s.Runs, all)
}

// Words describes the share in words.
func (s *siteShare) Words() string {
	t := fmt.Sprintf("%d of %d %s", s.Runs, s.All(), safetext.Plural(s.All(), "kernel runs", "kernels run"))
	if s.Maybe > 0 {
		t += fmt.Sprintf(", %d known only at run time", s.Maybe)
	}
	return t
}

// slugs generates unique file names.
type slugs map[string]bool

func newSlugs() slugs { return slugs{} }

// add returns a new file name for an item of the given kind. It consists of lower-case letters,
// digits and a few other characters, and starts with a letter or a digit.
func (s slugs) add(kind, name string) string {
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
