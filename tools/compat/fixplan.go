package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/bazelbuild/buildtools/build"

	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/gate/render"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// A fixPlan collects edits of targets with sycl_targets and fixed_targets.
type fixPlan struct {
	builds      *workspace.Builds
	unsupported string // smallest, drop, restrict or keep
	config      *deviceconfig.Config
	targets     map[string]*wanted // by label
	commands    []string           // buildozer commands
	notes       []string           // problems without an edit
	plan        []string           // lines that describe the candidates
	counts      map[string]*counts // by label
}

// counts holds kernel counts of a target.
type counts struct {
	kernels int
	fails   map[string]map[string]bool // the kernels that do not run, by device
}

// A wanted holds the changes to a target that would fix its findings. Device names are canonical.
type wanted struct {
	code, fixed map[string]bool
	out         map[string][]*gate.Finding // devices that kernels cannot run on
}

func newFixPlan(builds *workspace.Builds, unsupported string) *fixPlan {
	return &fixPlan{builds: builds, unsupported: unsupported, config: deviceconfig.Default(), targets: map[string]*wanted{}, counts: map[string]*counts{}}
}

func (p *fixPlan) note(format string, args ...any) {
	if n := safetext.Escape(fmt.Sprintf(format, args...)); !slices.Contains(p.notes, n) {
		p.notes = append(p.notes, n)
	}
}

// count counts the kernels of targets, and the kernels that do not run on each device.
func (p *fixPlan) count(r *gate.Result) {
	for _, t := range r.Targets {
		if p.counts[t.Label] == nil {
			p.counts[t.Label] = &counts{fails: map[string]map[string]bool{}}
		}
		p.counts[t.Label].kernels = max(p.counts[t.Label].kernels, t.Kernels)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		c := p.counts[f.Target]
		if c == nil || f.Kernel == "" || f.Rule == gate.Undetermined || f.Rule == gate.KernelLost {
			continue
		}
		for _, d := range f.Devices {
			id := deviceconfig.Canonical(d.ID)
			if c.fails[id] == nil {
				c.fails[id] = map[string]bool{}
			}
			c.fails[id][f.Name] = true
		}
	}
}

// add records findings under the edit that fixes them.
func (p *fixPlan) add(findings []gate.Finding) {
	var left []*gate.Finding
	for i := range findings {
		f := &findings[i]
		least := gate.Warning
		if f.Rule == gate.Undetermined {
			least = gate.Error // undetermined statuses need no edit
		}
		if f.IsCovered() || f.Severity < least {
			continue
		}
		t := p.targets[f.Target]
		if t == nil {
			t = &wanted{map[string]bool{}, map[string]bool{}, map[string][]*gate.Finding{}}
		}
		var to map[string]bool
		switch f.Rule {
		case compat.NoImage, compat.CompileTargetMismatch:
			to = t.code
		case compat.FixedTargetMismatch:
			to = t.fixed
		case compat.MissingAspect, compat.UnsupportedSubGroupSize, compat.UnsupportedWorkGroupSize, compat.UnsupportedJointMatrix,
			compat.UnsupportedIntrinsic, compat.UnsupportedAssembly:
			if p.unsupported != keep {
				p.targets[f.Target] = t
				for _, d := range f.Devices {
					id := deviceconfig.Canonical(d.ID)
					t.out[id] = append(t.out[id], f)
				}
				continue
			}
		}
		if to == nil {
			left = append(left, f)
			continue
		}
		p.targets[f.Target] = t
		for _, d := range f.Devices {
			to[deviceconfig.Canonical(d.ID)] = true
		}
	}
	// Kernels of a target with the same problem share a note.
	for _, same := range show.Group(left, func(f *gate.Finding) string { return f.Target }) {
		for _, message := range render.Messages(same) {
			p.note("cannot be fixed in a BUILD file: %s: %s", cmp.Or(same[0].Target, "all targets"), message)
		}
	}
}

// apply edits the BUILD files in memory and returns the changed files.
func (p *fixPlan) apply() []*workspace.BuildFile {
	var changed []*workspace.BuildFile
	for _, label := range slices.Sorted(maps.Keys(p.targets)) {
		file, rule, where, ok := p.built(label)
		if !ok {
			continue
		}
		if p.edit(label, where, file, rule) && !slices.Contains(changed, file) {
			changed = append(changed, file)
		}
	}
	return changed
}

// editable lists the rules and macros with the attributes sycl_targets and fixed_targets. The
// default of sycl_targets is spir64 in all of them.
var editable = []string{"sycl_binary", "sycl_cc_binary", "sycl_cc_library", "sycl_cc_test"}

// An imageSource states which attributes of a rule list the targets whose images its report covers.
type imageSource int

const (
	inItself imageSource = iota
	inDeps
	elsewhere
)

func imageSourceOf(kind string, r *build.Rule) imageSource {
	switch {
	case slices.Contains(editable, kind) || kind == "syclbin_link" && r.AttrString("mode") == "ir":
		return inItself
	case slices.Contains([]string{"sycl_compat_report", "sycl_compat_test", "syclbin_link"}, kind):
		return inDeps
	}
	return elsewhere
}

// maxDeps is the maximum number of deps that are followed from a report to the images.
const maxDeps = 8

// built returns the target whose images a report covers: the target with the report's label or, if
// it has no images of its own, its only dependency.
func (p *fixPlan) built(label string) (f *workspace.BuildFile, r *build.Rule, where string, ok bool) {
	where = label
	for range maxDeps {
		var err error
		f, r, err = p.builds.Find(where)
		switch {
		case err != nil:
			p.note("%v", err)
			return nil, nil, "", false
		case r == nil:
			p.note("%s: no rule call for %s, because a macro or a loop creates the target; edit the arguments there", f.Path, where)
			return nil, nil, "", false
		}
		place := fmt.Sprintf("%s:%d", f.Path, lineOf(r.Call))
		kind := ruleKind(f.Parsed, r)
		switch imageSourceOf(kind, r) {
		case inItself:
			return f, r, where, true
		case inDeps:
			deps, why := stringList(r.Attr("deps"))
			if why != "" || len(deps) != 1 {
				p.note("%s: ambiguous deps of %s; pass the reports on the deps themselves", place, where)
				return nil, nil, "", false
			}
			if where, ok = absolute(deps[0], where); !ok {
				p.note("%s: %q in deps is not a target of this workspace", place, deps[0])
				return nil, nil, "", false
			}
		default:
			p.note("%s: %s is created by %s, not by one of %s; edit sycl_targets and fixed_targets there", place, where, kind, strings.Join(editable, ", "))
			return nil, nil, "", false
		}
	}
	p.note("%s: neither %s nor its dependencies have sycl_targets", f.Path, label)
	return nil, nil, "", false
}

// absolute resolves the label of a dependency of a target.
func absolute(dep, of string) (string, bool) {
	if strings.HasPrefix(dep, "//") || strings.HasPrefix(dep, "@") {
		return dep, true
	}
	pkg, _, ok := gate.SplitLabel(of)
	return "//" + pkg + ":" + strings.TrimPrefix(dep, ":"), ok
}

// ruleKind returns the name of a rule in the file that defines it.
func ruleKind(f *build.File, r *build.Rule) string {
	kind := r.Kind()
	for _, s := range f.Stmt {
		if load, ok := s.(*build.LoadStmt); ok {
			for i, to := range load.To {
				if to.Name == kind {
					return load.From[i].Name
				}
			}
		}
	}
	return kind
}

// stringList returns the elements of a list of strings, or why e is not a list of strings.
func stringList(e build.Expr) (list []string, why string) {
	switch e := e.(type) {
	case nil:
		return nil, ""
	case *build.ListExpr:
		for _, item := range e.List {
			s, ok := item.(*build.StringExpr)
			if !ok {
				return nil, "has elements that are not strings"
			}
			list = append(list, s.Value)
		}
		return list, ""
	case *build.Ident:
		return nil, "is the variable " + e.Name
	case *build.CallExpr:
		if name, ok := e.X.(*build.Ident); ok {
			return nil, "is a call to " + name.Name
		}
		return nil, "is a call"
	case *build.BinaryExpr:
		return nil, "is an expression"
	}
	return nil, "is not a list literal"
}

func lineOf(e build.Expr) int {
	start, _ := e.Span()
	return start.Line
}

// A change is a change to one list of a target.
type change struct {
	attr string
	add  bool
	name string
}

// An edit is a set of changes to the lists of one target.
type edit struct {
	*fixPlan
	wanted *wanted
	report string              // label of the report
	label  string              // of the edited target
	place  string              // location of the target, for notes
	lists  map[string][]string // by attribute
}

const (
	syclTargets  = "sycl_targets"
	fixedTargets = "fixed_targets"
)

// edit changes the lists of a target to fix the findings of a report. It reports whether anything
// changed.
func (p *fixPlan) edit(report, label string, f *workspace.BuildFile, r *build.Rule) bool {
	w := p.targets[report]
	e := &edit{p, w, report, label, fmt.Sprintf("%s:%d", f.Path, lineOf(r.Call)), map[string][]string{}}
	for _, attr := range []string{syclTargets, fixedTargets} {
		list, why := stringList(r.Attr(attr))
		if why != "" {
			p.note("%s: %s of %s %s; edit it manually (%s)", e.place, attr, label, why, w)
			return false
		}
		e.lists[attr] = list
	}
	if r.Attr(syclTargets) == nil {
		e.lists[syclTargets] = []string{"spir64"} // the default
	}
	changes := e.changes()
	for _, c := range changes {
		if !plainName.MatchString(c.name) {
			p.note("%s: %q is not the name of a target", e.place, c.name)
			return false
		}
	}
	if len(changes) == 0 {
		return false
	}
	for _, attr := range []string{syclTargets, fixedTargets} {
		p.change(label, r, attr, changes)
	}
	return true
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// String describes the changes.
func (w *wanted) String() string {
	var parts []string
	for _, p := range []struct {
		what    string
		devices []string
	}{{"code for", slices.Sorted(maps.Keys(w.code))}, {"fixed targets", slices.Sorted(maps.Keys(w.fixed))}, {"not", slices.Sorted(maps.Keys(w.out))}} {
		if len(p.devices) > 0 {
			parts = append(parts, p.what+" "+strings.Join(p.devices, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// find returns the name that a list has for a device.
func (e *edit) find(attr, device string) (name string, ok bool) {
	i := slices.IndexFunc(e.lists[attr], func(n string) bool { return deviceconfig.Canonical(n) == device })
	if i < 0 {
		return "", false
	}
	return e.lists[attr][i], true
}

// changes returns the changes to the lists.
func (e *edit) changes() []change {
	out := slices.Sorted(maps.Keys(e.wanted.out))
	if e.unsupported == smallest {
		out = e.choose()
	}
	list := e.add(syclTargets, e.wanted.code, out)
	if len(e.lists[fixedTargets]) > 0 {
		list = append(list, e.add(fixedTargets, e.wanted.fixed, out)...)
	} else if len(e.wanted.fixed) > 0 {
		e.note("%s: %s has no fixed_targets, so the fixed targets are set elsewhere, for example in copts", e.place, e.label)
	}
	if e.unsupported == restrict && len(e.lists[fixedTargets]) == 0 {
		return append(list, e.restrict(out)...)
	}
	removed, ok := e.remove(out)
	if !ok {
		return nil
	}
	return append(list, removed...)
}

// add returns the changes that add devices to a list, except for the devices in out.
func (e *edit) add(attr string, devices map[string]bool, out []string) (list []change) {
	for _, d := range slices.Sorted(maps.Keys(devices)) {
		if _, known := e.config.Lookup(d); !known {
			e.note("%s: cannot add %s to %s of %s: unknown target", e.place, d, attr, e.label)
		} else if _, has := e.find(attr, d); has {
			e.note("%s: %s is already in %s of %s; recreate the report", e.place, d, attr, e.label)
		} else if !slices.Contains(out, d) {
			list = append(list, change{attr, true, d})
		}
	}
	return list
}

// remove returns the changes that remove devices from the lists. It returns false if a list would
// become empty.
func (e *edit) remove(devices []string) (list []change, ok bool) {
	attrs := []string{syclTargets, fixedTargets}
	if e.unsupported == restrict {
		attrs = attrs[1:]
	}
	for _, d := range devices {
		before := len(list)
		for _, attr := range attrs {
			name, has := e.find(attr, d)
			if !has {
				continue
			}
			if e.leavesNothing(attr, devices) {
				e.note("%s: %s of %s would be empty; change the kernels that do not run on %s", e.place, attr, e.label, d)
				return nil, false
			}
			list = append(list, change{attr, false, name})
		}
		if len(list) == before {
			e.noteUnnamed(d)
		}
	}
	return list, true
}

// leavesNothing reports whether a list would be empty without the devices in out. An empty list of
// fixed targets means every device, so it must not become empty.
func (e *edit) leavesNothing(attr string, out []string) bool {
	return !slices.ContainsFunc(e.lists[attr], func(name string) bool { return !slices.Contains(out, deviceconfig.Canonical(name)) })
}

func (e *edit) noteUnnamed(devices string) {
	e.note("%s: %s does not list %s, which comes from the devices of the report or from the policy; remove it there or change the kernel", e.place, e.label, devices)
}

// restrict returns the changes that set fixed_targets so that it excludes devices. This is not
// possible with a target such as spir64, which accepts all devices.
func (e *edit) restrict(out []string) (list []change) {
	left := 0
	for _, name := range e.lists[syclTargets] {
		if slices.Contains(out, deviceconfig.Canonical(name)) {
			left++
			continue
		}
		if d, ok := e.config.Lookup(name); ok && d.IsGeneric() {
			e.note("%s: fixed_targets cannot exclude a device because %s of %s is for all devices; use --unsupported drop", e.place, name, e.label)
			return nil
		}
		list = append(list, change{fixedTargets, true, name})
	}
	switch {
	case len(out) == 0:
		return nil
	case left == 0:
		e.noteUnnamed(strings.Join(out, ", "))
		return nil
	case len(list) == 0:
		e.note("%s: %s would have no targets; change the kernels", e.place, e.label)
	}
	return list
}

// change applies changes to one list of a target and records the equivalent buildozer commands.
func (p *fixPlan) change(label string, r *build.Rule, attr string, changes []change) {
	var add, remove []string
	for _, c := range changes {
		switch {
		case c.attr != attr:
		case c.add:
			add = append(add, c.name)
		default:
			remove = append(remove, c.name)
		}
	}
	if len(add)+len(remove) == 0 {
		return
	}
	list, ok := r.Attr(attr).(*build.ListExpr)
	if !ok {
		list = &build.ListExpr{}
		if attr == syclTargets {
			list.List = append(list.List, &build.StringExpr{Value: "spir64"}) // the default
			add = append([]string{"spir64"}, add...)
		}
		r.SetAttr(attr, list)
	}
	list.List = slices.DeleteFunc(list.List, func(e build.Expr) bool {
		s, ok := e.(*build.StringExpr)
		return ok && slices.Contains(remove, s.Value)
	})
	for _, name := range add {
		if !slices.ContainsFunc(list.List, func(e build.Expr) bool { s, ok := e.(*build.StringExpr); return ok && s.Value == name }) {
			list.List = append(list.List, &build.StringExpr{Value: name})
		}
	}
	for _, c := range []struct {
		verb  string
		names []string
	}{{"remove", remove}, {"add", add}} {
		if len(c.names) > 0 {
			p.commands = append(p.commands, fmt.Sprintf("buildozer %s %s", show.ShellQuote(c.verb+" "+attr+" "+strings.Join(c.names, " ")), show.ShellQuote(strings.TrimLeft(label, "@"))))
		}
	}
}
