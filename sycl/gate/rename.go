package gate

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
)

// Values of Renaming.What: the part of a kernel's name that was renamed.
const (
	RenamedNamespace = "namespace" // one or several namespaces in the name of the kernel or of its arguments
	RenamedKernel    = "kernel"
	RenamedArguments = "arguments" // the type of numeric template arguments
	RenamedTarget    = "target"    // the target of an otherwise identical kernel
	RenamedSymbol    = "symbol"    // only the mangled name, or the numbers of lambdas
)

// A Renaming describes what a group of renamed kernels has in common.
type Renaming struct {
	From    string `json:"from"`
	Kernels int    `json:"kernels"`
	To      string `json:"to"`
	What    string `json:"what"`
}

// A pair is a kernel before and after the change. A renamed kernel has a Renaming.
type pair struct {
	old, now row
	Renaming
}

// A pairer finds renamed kernels among the kernels that are only in one of two reports. It pairs two kernels
// only if the match is unambiguous.
type pairer struct {
	old, now []row
	pairs    []pair
	needs    func(row) []string // requirements of a kernel, in any order
	library  func(row) string   // equal for paired targets
}

// pairTargets pairs the kernels of targets, with equal or different names. It also returns the
// unpaired kernels.
func pairTargets(before, after map[string]*target) (same, renamed []pair, removed, added []row) {
	renamedTo, split := pairLibraries(librariesOf(before), librariesOf(after))
	parts := map[string][]*target{} // of split libraries
	for _, t := range sorted(after) {
		if old := split[t.label]; old != "" {
			parts[old] = append(parts[old], t)
		}
	}
	paired := map[row]bool{} // new kernels
	for _, t := range sorted(before) {
		others := parts[t.label]
		if others == nil {
			others = []*target{after[cmp.Or(renamedTo[t.label], t.label)]}
		}
		for i, k := range t.kernels {
			found := false
			for _, other := range others {
				at := other.find(k.name)
				if at < 0 {
					continue
				}
				found = true
				p := pair{old: row{t, i}, now: row{other, at}}
				paired[p.now] = true
				if other.label == t.label {
					same = append(same, p)
				} else {
					p.Renaming = renamedTarget(p.old, p.now)
					renamed = append(renamed, p)
				}
			}
			if !found {
				removed = append(removed, row{t, i})
			}
		}
	}
	for _, t := range sorted(after) {
		for i := range t.kernels {
			if !paired[row{t, i}] {
				added = append(added, row{t, i})
			}
		}
	}
	p := &pairer{old: removed, now: added, needs: reportedNeeds(), library: func(r row) string { return cmp.Or(renamedTo[r.label], r.label) }}
	p.pairAll()
	return same, append(renamed, p.pairs...), p.old, p.now
}

// reportedNeeds returns a function that returns the requirements of a kernel that reports state:
// the aspects with a location, and the problems.
func reportedNeeds() func(row) []string {
	problems := map[*target][][]*problem{}
	return func(r row) (needs []string) {
		for _, o := range r.kernels[r.index].origins {
			needs = append(needs, o.Aspect.Name)
		}
		for _, p := range problemsByRow(r.target, problems)[r.index] {
			needs = append(needs, p.need())
		}
		return needs
	}
}

func (p *problem) need() string { return string(p.rule) + " " + p.requirement() }

// pairRenamed pairs removed and added kernels.
func pairRenamed(old, now []row, needs func(row) []string) []pair {
	p := &pairer{old: old, now: now, needs: needs, library: func(r row) string { return r.label }}
	p.pairAll()
	return p.pairs
}

// pairAll pairs kernels by the most reliable keys first.
func (p *pairer) pairAll() {
	of := func(r row) *kernel { return r.kernels[r.index] }
	p.pairByKey(func(r row) string { return of(r).name }, renamedTarget)
	place := func(r row) string {
		if l := of(r).location; l.Line > 0 {
			return fmt.Sprintf("%s\x00%v\x00%s", p.library(r), l, p.requirements(r))
		}
		return ""
	}
	argumentsOf := func(r row) string {
		_, arguments := kernelname.Stem(of(r).display)
		return arguments
	}
	p.pairByKey(func(r row) string { return joinKey(place(r), argumentsOf(r)) }, renamed)
	p.pairByKey(place, renamed)
	bare := memoize(func(k *kernel) string {
		name, _ := unqualified(k.display)
		return name
	})
	p.pairByKey(func(r row) string { return joinKey(p.library(r), bare(r)) }, renamed)
	p.pairByKey(bare, renamed)
	p.pairByNamespace()
	// Compiler and library releases differ in how they write numbers in template arguments.
	plain := memoize(func(k *kernel) string {
		name, _ := unqualified(withoutTypes(k.display))
		return name
	})
	p.pairByKey(func(r row) string { return joinKey(p.library(r), plain(r)) }, renamed)
	p.pairByKey(plain, renamed)
	// size_t is an unsigned long on Linux and an unsigned long long on Windows.
	platform := memoize(func(k *kernel) string {
		name, _ := unqualified(withoutTypes(withoutPlatform(k.display)))
		return name
	})
	p.pairByKey(func(r row) string { return joinKey(p.library(r), platform(r)) }, renamed)
	p.pairByKey(func(r row) string { // without line numbers, which change
		return joinKey(of(r).location.Path, p.library(r), argumentsOf(r), p.requirements(r))
	}, renamed)
}

// memoize returns a function that computes the text of each kernel only once.
func memoize(of func(*kernel) string) func(row) string {
	known := map[*kernel]string{}
	return func(r row) string {
		k := r.kernels[r.index]
		text, ok := known[k]
		if !ok {
			text = of(k)
			known[k] = text
		}
		return text
	}
}

// joinKey joins parts to a key, or returns "" if the first part is "".
func joinKey(first string, parts ...string) string {
	if first == "" {
		return ""
	}
	return first + "\x00" + strings.Join(parts, "\x00")
}

// pairByKey pairs kernels whose key is not "" and unique on each side.
func (p *pairer) pairByKey(key func(row) string, name func(old, now row) Renaming) {
	if len(p.old) == 0 || len(p.now) == 0 {
		return
	}
	index := func(list []row) map[string]int {
		at := make(map[string]int, len(list))
		for i, r := range list {
			k := key(r)
			if _, ok := at[k]; ok {
				i = -1
			}
			at[k] = i
		}
		delete(at, "")
		return at
	}
	old, now := index(p.old), index(p.now)
	p.pair(func(k string) (int, bool) { i, ok := now[k]; return i, ok && i >= 0 && old[k] >= 0 }, key, name)
}

// pair pairs each old kernel for which find returns a new one, and removes both from the lists.
func (p *pairer) pair(find func(string) (int, bool), key func(row) string, name func(old, now row) Renaming) {
	taken := make([]bool, len(p.now))
	var left []row
	for _, r := range p.old {
		i, ok := find(key(r))
		if !ok || taken[i] {
			left = append(left, r)
			continue
		}
		taken[i] = true
		p.pairs = append(p.pairs, pair{r, p.now[i], name(r, p.now[i])})
	}
	var added []row
	for i, r := range p.now {
		if !taken[i] {
			added = append(added, r)
		}
	}
	p.old, p.now = left, added
}

// pairByNamespace pairs kernels whose names become equal with the namespace replacement of another
// pair.
func (p *pairer) pairByNamespace() {
	var known [][2]string
	for _, r := range renamings(p.pairs) {
		if r.What == RenamedNamespace && !strings.Contains(r.From, ", ") {
			known = append(known, [2]string{r.From, r.To})
		}
	}
	for _, k := range known {
		now := make(map[string]int, len(p.now))
		for i, r := range p.now {
			now[r.kernels[r.index].display] = i
		}
		find := func(name string) (int, bool) { i, ok := now[name]; return i, ok && name != "" }
		p.pair(find, func(r row) string {
			old := r.kernels[r.index].display
			if name := replaceNamespace(old, k[0], k[1]); name != old {
				return name
			}
			return ""
		}, renamed)
	}
}

// replaceNamespace replaces a namespace in a name wherever it consists of complete components.
func replaceNamespace(name, from, to string) string {
	var b strings.Builder
	for {
		at := strings.Index(name, from+"::")
		if at < 0 {
			return b.String() + name
		}
		b.WriteString(name[:at])
		if at > 0 && isIdentifier(name[at-1]) {
			b.WriteString(from)
		} else {
			b.WriteString(to)
		}
		name = name[at+len(from):]
	}
}

// requirements returns the requirements of a kernel as text.
func (p *pairer) requirements(r row) string {
	needs := slices.Clone(p.needs(r))
	slices.Sort(needs)
	return strings.Join(slices.Compact(needs), "\n")
}

// renamings counts the renamings of pairs and sorts them, most frequent first.
func renamings(pairs []pair) []Renaming {
	at := map[Renaming]int{}
	list := []Renaming{}
	for _, p := range pairs {
		i, ok := at[p.Renaming]
		if !ok {
			i = len(list)
			at[p.Renaming] = i
			list = append(list, p.Renaming)
		}
		list[i].Kernels++
	}
	slices.SortFunc(list, func(a, b Renaming) int {
		return cmp.Or(cmp.Compare(b.Kernels, a.Kernels), strings.Compare(a.What, b.What), strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
	return list
}

func renamedTarget(old, now row) Renaming {
	return Renaming{What: RenamedTarget, From: old.label, To: now.label}
}

// renamed returns the difference between the names of two kernels.
func renamed(old, now row) Renaming {
	was, is := old.kernels[old.index], now.kernels[now.index]
	if was.display == is.display {
		return Renaming{What: RenamedSymbol}
	}
	if platform := withoutPlatform(was.display); platform == withoutPlatform(is.display) {
		return Renaming{What: RenamedArguments, From: longSpelling(was.display, platform), To: longSpelling(is.display, platform)}
	}
	bare, scopes := unqualified(withoutTypes(was.display))
	otherBare, otherScopes := unqualified(withoutTypes(is.display))
	if bare == otherBare && slices.Equal(scopes, otherScopes) {
		return renamedArguments(was.display, is.display)
	}
	if bare != otherBare || len(scopes) != len(otherScopes) {
		from, _ := kernelname.Stem(was.display)
		to, _ := kernelname.Stem(is.display)
		return Renaming{What: RenamedKernel, From: from, To: to}
	}
	var from, to []string
	for i := range scopes {
		if scopes[i] == otherScopes[i] {
			continue
		}
		a, b := difference(scopes[i], otherScopes[i])
		known := false
		for n := range from {
			known = known || from[n] == a && to[n] == b
		}
		if !known {
			from, to = append(from, a), append(to, b)
		}
	}
	return Renaming{What: RenamedNamespace, From: strings.Join(from, ", "), To: strings.Join(to, ", ")}
}

// withoutPlatform returns a kernel's name with the 64-bit integers of Linux and Windows unified.
func withoutPlatform(name string) string { return strings.ReplaceAll(name, "long long", "long") }

// longSpelling returns the spelling of 64-bit integers in a name; platform is the name with unified
// spelling.
func longSpelling(name, platform string) string {
	if name == platform {
		return "long"
	}
	return "long long"
}

var (
	number       = regexp.MustCompile(`(?:\((?:unsigned )?(?:char|short|int|long|long long)\))?\b[0-9]+(?:u|l|ul|ll|ull)?\b`)
	lambdaNumber = regexp.MustCompile(`#[0-9]+`)
)

// withoutTypes returns a kernel's name without the types of numbers and the numbers of lambdas.
func withoutTypes(name string) string {
	name = number.ReplaceAllStringFunc(name, func(n string) string {
		return strings.TrimRight(n[strings.IndexByte(n, ')')+1:], "ul")
	})
	return lambdaNumber.ReplaceAllString(name, "")
}

// renamedArguments returns the difference between the numeric template arguments of two names.
func renamedArguments(was, is string) Renaming {
	numbers := func(name string) []string { return number.FindAllString(lambdaNumber.ReplaceAllString(name, ""), -1) }
	old, now := numbers(was), numbers(is)
	var from, to []string
	for i := range min(len(old), len(now)) {
		if old[i] != now[i] && !slices.Contains(from, old[i]) {
			from, to = append(from, old[i]), append(to, now[i])
		}
	}
	if from == nil {
		return Renaming{What: RenamedSymbol} // only lambda numbers differ
	}
	return Renaming{What: RenamedArguments, From: strings.Join(from, ", "), To: strings.Join(to, ", ")}
}

// difference returns the parts in which two namespace lists differ. If one part would be empty,
// both include a common namespace.
func difference(a, b string) (from, to string) {
	old, now := strings.Split(a, "::"), strings.Split(b, "::")
	if a == "" || b == "" {
		return cmp.Or(a, "the global namespace"), cmp.Or(b, "the global namespace")
	}
	start, end := 0, 0
	for start < min(len(old), len(now)) && old[start] == now[start] {
		start++
	}
	for end < min(len(old), len(now))-start && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	if start+end == min(len(old), len(now)) {
		if start > 0 {
			start--
		} else {
			end--
		}
	}
	return strings.Join(old[start:len(old)-end], "::"), strings.Join(now[start:len(now)-end], "::")
}

// unqualified returns a name without the qualifiers of its parts, and the qualifiers by part.
func unqualified(name string) (bare string, scopes []string) {
	const anonymous = "(anonymous namespace)"
	var b strings.Builder
	scope := "" // with "::" at the end
	part := func() {
		scopes = append(scopes, strings.TrimSuffix(scope, "::"))
		scope = ""
	}
	for i := 0; i < len(name); {
		end := i
		if strings.HasPrefix(name[i:], anonymous) {
			end += len(anonymous)
		}
		for end == i || end < len(name) && isIdentifier(name[end]) && isIdentifier(name[i]) {
			if end == i && !isIdentifier(name[i]) {
				break
			}
			end++
		}
		switch {
		case end > i && strings.HasPrefix(name[end:], "::"):
			scope += name[i:end] + "::"
			i = end + len("::")
			continue
		case end > i:
			part()
			b.WriteString(name[i:end])
			i = end
			continue
		case scope != "":
			b.WriteByte('@') // entities without an identifier, such as lambdas, also have a scope
			part()
		}
		b.WriteByte(name[i])
		i++
	}
	return b.String(), scopes
}

func isIdentifier(c byte) bool {
	return c == '_' || c == '~' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// countStatuses adds the statuses of a target on a device to counts.
func (t *target) countStatuses(col int, counts map[compat.Status]int) {
	for row := range t.kernels {
		if v := t.status(row, col); v != compat.NoStatus {
			counts[v]++
		}
	}
}
