// Package hostkernels compares the kernels that the host code of a source submits with the kernels
// in its device code. The two compilers read the same source with different macros, and may number
// and lay out lambdas differently.
//
// DPC++'s integration header lists the kernels in the device code. The symbols of the host object
// list the submitted kernels: for each kernel K of N bytes, the headers in rules/dpcpp/host define
// rules_sycl::Submitted<K, N, H>::here. H is the FNV-1a hash of the name of K in the integration
// header, or 0 if the header does not name K.
package hostkernels

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A Kernel is a kernel in the host code or in the device code.
type Kernel struct {
	Name     string          // demangled name
	Location srcloc.Location // location of the lambda or class; zero for a host kernel
	Size     int64           // size of the lambda or class, in bytes

	symbol string          // symbol in the object file, for a host kernel
	hash   uint64          // hash of its name in the integration header; 0 if the header does not name it
	pack   bool            // whether a parameter pack is part of the symbol
	class  *hostwrap.Class // see hostwrap.Kernel; nil for a host kernel
}

// A hostObject holds information on the host code from its object file.
type hostObject struct {
	Readable  bool // whether it has symbols, unlike code that is compiled at link time
	Submitted []Kernel
	GCC       int // major version of GCC, or 0 for other compilers

	table bool                // whether the code looks up kernels in a table by typeid names
	types map[string][]string // names that the code looks up in the table, by demangled names: for GCC, typeid names; for clang, names of lambdas

	Layouts *layouts // if nil, only the sizes of kernels are compared
}

// A Finding is a difference between host code and device code.
type Finding struct {
	Kernel  Kernel
	Warning bool // whether the program works nevertheless
	Text    string
}

// kernelsOf converts the kernels of an integration header.
func kernelsOf(header []hostwrap.Kernel) []Kernel {
	var kernels []Kernel
	for _, k := range header {
		kernels = append(kernels, Kernel{
			Name: strings.TrimPrefix(demangle.Filter(k.Name), "typeinfo name for "), Location: k.Location, Size: k.Size,
			symbol: k.Name, hash: hostwrap.Hash(k.Name), pack: strings.Contains(k.Name, "J"), class: k.Class,
		})
	}
	return kernels
}

// isLibraryKernel reports whether libsycl added a kernel to support ranges of any size.
func isLibraryKernel(name string) bool {
	return strings.HasPrefix(name, "sycl::_V1::detail::RoundedRangeKernel<") || strings.HasPrefix(name, "sycl::_V1::detail::__pf_kernel_wrapper<")
}

var (
	submitted = regexp.MustCompile(`^rules_sycl::Submitted<(.*), (\d+)ul, (\d+)ul>::here$`)
	gcc       = regexp.MustCompile(`GCC: \(.*\) (\d+)\.`)
)

// readObject reads the kernels that the code of an object file submits.
func readObject(r io.ReaderAt) (*hostObject, error) {
	magic := make([]byte, 4)
	if _, err := r.ReadAt(magic, 0); err != nil {
		return nil, err
	}
	if bytes.Equal(magic, []byte("BC\xc0\xde")) {
		return new(hostObject), nil
	}
	file, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	o := &hostObject{Readable: true, table: file.Section("rules_sycl_kernels") != nil}
	for _, s := range file.Sections {
		if strings.HasPrefix(s.Name, ".gnu.lto_") {
			return new(hostObject), nil
		}
	}
	if comment := file.Section(".comment"); comment != nil {
		text, err := comment.Data()
		if err != nil {
			return nil, err
		}
		if m := gcc.FindSubmatch(text); m != nil && !bytes.Contains(text, []byte("clang")) {
			o.GCC, _ = strconv.Atoi(string(m[1]))
		}
	}
	symbols, err := file.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, err
	}
	if err := o.addSymbols(symbols); err != nil {
		return nil, err
	}
	if o.GCC == 0 && o.table {
		return o, o.addStrings(file)
	}
	return o, nil
}

// addStrings extracts the names of lambdas from clang's strings.
func (o *hostObject) addStrings(file *elf.File) error {
	for _, s := range file.Sections {
		if s.Flags&elf.SHF_STRINGS == 0 || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return err
		}
		for name := range bytes.SplitSeq(data, []byte{0}) {
			if symbol := string(name); strings.HasPrefix(symbol, "_ZTS") && strings.Contains(symbol, "Ul") {
				o.addType(symbol, strings.TrimPrefix(symbol, "_ZTS"))
			}
		}
	}
	return nil
}

// addType records a name that the code looks up in the table, and the symbol of its type.
func (o *hostObject) addType(symbol, name string) {
	readable := strings.TrimPrefix(demangle.Filter(symbol), "typeinfo name for ")
	o.types[readable] = append(o.types[readable], name)
}

// addSymbols extracts kernels and their types from symbols.
func (o *hostObject) addSymbols(symbols []elf.Symbol) error {
	o.types = make(map[string][]string)
	for _, s := range symbols {
		if of, ok := strings.CutPrefix(s.Name, "_ZTSP"); ok && o.GCC != 0 {
			o.addType("_ZTS"+of, of)
		}
		if !strings.HasPrefix(s.Name, "_ZN10rules_sycl9SubmittedI") {
			continue
		}
		const end = "4hereE"
		mangled := s.Name[:strings.LastIndex(s.Name, end)+len(end)] // clang's AddressSanitizer appends a hash
		m := submitted.FindStringSubmatch(demangle.Filter(mangled))
		if m == nil {
			return fmt.Errorf("cannot read the symbol %s", s.Name)
		}
		size, err := strconv.ParseInt(m[2], 10, 64)
		if err != nil {
			return fmt.Errorf("the symbol %s: %w", s.Name, err)
		}
		sum, err := strconv.ParseUint(m[3], 10, 64)
		if err != nil {
			return fmt.Errorf("the symbol %s: %w", s.Name, err)
		}
		o.Submitted = append(o.Submitted, Kernel{Name: m[1], Size: size, symbol: s.Name, hash: sum})
	}
	return nil
}

// A pair is a kernel that is in the device code and in the host code.
type pair struct{ device, host Kernel }

// match pairs device kernels with host kernels. It also returns the unpaired kernels of each side,
// and the device kernels without a name in the source, which the host identifies by type.
func match(device []Kernel, host *hostObject) (pairs []pair, onlyHost, onlyDevice, unnamed []Kernel) {
	byHash := make(map[uint64]Kernel)
	for _, k := range device {
		byHash[k.hash] = k
	}
	var submitted []Kernel // host kernels without names
	for _, h := range host.Submitted {
		if h.hash == 0 {
			submitted = append(submitted, h)
		} else if d, ok := byHash[h.hash]; ok {
			pairs = append(pairs, pair{d, h})
			delete(byHash, h.hash)
		}
	}
	unnamed = slices.DeleteFunc(slices.Clone(device), func(k Kernel) bool {
		_, left := byHash[k.hash]
		return !left
	})

	key := func(k Kernel) string { return k.Name }
	if host.GCC != 0 && host.GCC < 13 {
		// Before release 13, GCC numbers lambdas differently from DPC++, but in the same order if
		// they have the same name.
		key = func(k Kernel) string { return numbers.ReplaceAllString(k.Name, "#") }
		if host.table {
			// For a lambda that initializes a variable, GCC also repeats a parameter that is not
			// its own.
			key = func(k Kernel) string { return numbers.ReplaceAllString(withoutCalls(k.Name), "#") }
		}
	}
	if host.table {
		// The table contains the host's names. The compilers number unnamed types independently.
		inner := key
		key = func(k Kernel) string { return unnamedTypes.ReplaceAllString(inner(k), "$$_") }
		if host.GCC != 0 {
			key = withoutHeads(unnamed, submitted, key)
		}
	}
	devices, hosts := groups(unnamed, key), groups(submitted, key)
	for _, name := range order(devices, hosts) {
		d, h := devices[name], hosts[name]
		common := min(len(d), len(h))
		if common > 1 && (strings.Contains(name, "$_") || differ(d)) {
			common = 0 // the names do not distinguish them
		}
		if len(d) == len(h) && common > 0 {
			for i := range d {
				pairs = append(pairs, pair{d[i], h[i]})
			}
		}
		onlyHost = append(onlyHost, h[common:]...)
		onlyDevice = append(onlyDevice, d[common:]...)
	}
	return pairs, onlyHost, onlyDevice, unnamed
}

// types maps the symbols of kernels in the device code to the typeid names in the host code, if they
// differ.
func types(device []Kernel, host *hostObject) map[string]string {
	types := make(map[string]string)
	add := func(d Kernel, readable string) {
		own, names := strings.TrimPrefix(d.symbol, "_ZTS"), host.types[readable]
		if slices.Contains(names, own) || types[d.symbol] != "" {
			return
		}
		// Classes with the same name in different blocks differ only in their mangled names.
		i := slices.IndexFunc(names, func(name string) bool { return unmarked(name) == unmarked(own) })
		if i < 0 && len(names) == 1 {
			i = 0
		}
		if i >= 0 {
			types[d.symbol] = names[i]
		}
	}
	for _, d := range device {
		add(d, d.Name)
	}
	pairs, _, _, _ := match(device, host)
	for _, p := range pairs {
		add(p.device, p.host.Name)
	}
	return types
}

var marks = regexp.MustCompile(`L(\d)`)

// unmarked removes the marks of internal functions from a mangled name, because they differ between
// compilers.
func unmarked(symbol string) string { return marks.ReplaceAllString(symbol, "$1") }

// compare returns the differences between the device code and the host code of a source, errors
// first.
func compare(device []Kernel, host *hostObject) []Finding {
	if !host.Readable {
		return nil
	}
	var found, warnings []Finding
	report := func(k Kernel, warning bool, format string, args ...any) {
		list := &found
		if warning {
			list = &warnings
		}
		*list = append(*list, Finding{k, warning, fmt.Sprintf(format, args...)})
	}
	pairs, onlyHost, onlyDevice, unnamed := match(device, host)
	isAmbiguous := make(map[srcloc.Location]bool)
	if host.GCC != 0 {
		for _, k := range expanded(slices.DeleteFunc(unnamed, func(k Kernel) bool { return isLibraryKernel(k.Name) })) {
			isAmbiguous[k.Location] = true
			report(k, false, ambiguous)
		}
	}
	for _, p := range pairs {
		d, h := p.device, p.host
		known, err := host.Layouts.find(d)
		switch {
		case known || isAmbiguous[d.Location] || host.Layouts == nil && isLibraryKernel(d.Name):
		case err != nil:
			report(d, false, moved+err.Error(), shown(d))
		case h.Size < d.Size:
			report(d, false, differs+less, shown(d), h.Size, d.Size)
		case h.Size > d.Size:
			report(d, false, differs+more, shown(d), h.Size, d.Size)
		}
	}
	unpaired := false // whether kernels of unnamed types are unpaired
	for _, k := range onlyHost {
		if host.GCC != 0 && (unnamedTypes.MatchString(k.Name) || strings.Contains(k.Name, "{unnamed type#")) {
			unpaired = true
			report(k, false, unnamedType, shown(k))
		} else if !isLibraryKernel(k.Name) {
			advice := hidden
			if strings.Contains(k.Name, "{lambda") {
				advice = nameKernel + hidden
			}
			if slices.ContainsFunc(onlyDevice, func(d Kernel) bool { return differInVariables(d, k) }) {
				advice = nameLambda
			}
			report(k, false, onlyInHost+advice, shown(k))
		}
	}
	for _, k := range onlyDevice {
		if !isLibraryKernel(k.Name) && !(unpaired && unnamedTypes.MatchString(k.Name)) && !slices.ContainsFunc(onlyHost, func(h Kernel) bool { return differInVariables(k, h) }) {
			report(k, true, onlyInDevice, shown(k))
		}
	}
	return append(found, warnings...)
}

// Texts that describe the differences and how to fix them.
const (
	differs    = "the kernel '%s' has %d bytes of captures in the host code and %d in the device code, so its arguments would be at wrong offsets: "
	moved      = "the kernel '%s' may get wrong arguments: "
	more       = string(errDifferent)
	less       = "the device code uses a variable that the host code does not use; use it in both, outside of any #ifdef, list the captures, as in [a, b], or declare it static constexpr if it is a constant"
	onlyInHost = "the host code submits the kernel '%s', but the device code has no kernel of this name: "
	nameKernel = "give it a name, as in parallel_for<class Name>(...), or "
	nameLambda = "DPC++ names lambdas at namespace scope after their variables, and clang does not; " +
		"declare the variables inline, as in inline auto add = [](int n) { ... }, or give the kernel a name, as in parallel_for<class Name>(...)"
	hidden      = "remove the condition that hides it from the device compilation, such as #ifndef __SYCL_DEVICE_ONLY__"
	unnamedType = "the kernel '%s' is instantiated for an unnamed type, which g++ and DPC++ name differently: " +
		"name the type, as in struct Point { ... }, or compile the host code with clang{clang}"
	onlyInDevice = "the device code has the kernel '%s', but the host code does not submit it: " +
		"check for an #ifdef with __SYCL_DEVICE_ONLY__, __clang__ or another macro that only one compiler defines"
	ambiguous = "g++ and DPC++ number the kernels of a fold expression in different orders, so the wrong kernel would run: " +
		"name them, as in parallel_for<Name<T>>(...), submit them in a function template that is called for each element, or compile the host code with clang{clang}"
)

// shown returns the name of a kernel without libsycl's inline namespace.
func shown(k Kernel) string { return strings.ReplaceAll(k.Name, "sycl::_V1::", "sycl::") }

// unnamedTypes matches g++'s and clang's names of types without a name at namespace scope.
var unnamedTypes = regexp.MustCompile(`\._anon_\d+|\$_\d+`)

// numbers matches the numbers of lambdas and other unnamed types in demangled names.
var numbers = regexp.MustCompile(`#\d+`)

// templateHeads matches the template parameters of lambdas, and templateParameters matches their
// uses: [=]<int D>(item<D>) is {lambda<int $N>(item<$N>)#1}, and {lambda(item<auto:1>)#1} in g++
// 12.
var (
	templateHeads      = regexp.MustCompile(`\{lambda<[^(]*>\(`)
	templateParameters = regexp.MustCompile(`auto:\d+|\$[TN]+\d*`)
)

// withoutHeads returns a key that ignores the template parameters of lambdas, which older releases
// of g++ omit, if the kernels do not match otherwise.
func withoutHeads(device, host []Kernel, key func(Kernel) string) func(Kernel) string {
	short := func(name string) string {
		return templateParameters.ReplaceAllString(templateHeads.ReplaceAllString(name, "{lambda("), "auto")
	}
	devices, hosts := groups(device, key), groups(host, key)
	unmatched := make(map[string]bool)
	for _, name := range order(devices, hosts) {
		if len(devices[name]) != len(hosts[name]) {
			unmatched[short(name)] = true
		}
	}
	return func(k Kernel) string {
		name := key(k)
		if s := short(name); unmatched[s] {
			return s
		}
		return name
	}
}

// differ reports whether kernels have names that differ in more than numbers.
func differ(kernels []Kernel) bool {
	text := func(k Kernel) string { return numbers.ReplaceAllString(withoutCalls(k.Name), "#") }
	return slices.ContainsFunc(kernels, func(k Kernel) bool { return text(k) != text(kernels[0]) })
}

// groups groups kernels by key. The kernels in a group are in the order of the numbers in their
// names. A kernel that several functions submit counts once.
func groups(kernels []Kernel, key func(Kernel) string) map[string][]Kernel {
	byKey := make(map[string][]Kernel)
	for _, k := range kernels {
		group := byKey[key(k)]
		if !slices.ContainsFunc(group, func(o Kernel) bool { return o.Name == k.Name && o.Size == k.Size }) {
			byKey[key(k)] = append(group, k)
		}
	}
	for _, group := range byKey {
		slices.SortFunc(group, func(a, b Kernel) int {
			return slices.Compare(ordinals(a.Name), ordinals(b.Name))
		})
	}
	return byKey
}

// withoutCalls removes the parameters of lambdas' call operators from a name. They follow the
// parameters of the lambda itself.
func withoutCalls(name string) string {
	const call = "}::operator()"
	var out strings.Builder
	for {
		before, after, found := strings.Cut(name, call)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString(call)
		end := 0
		if strings.HasPrefix(after, "<") {
			end = closingBracket(after)
			out.WriteString(after[:end])
		}
		if strings.HasPrefix(after[end:], "(") {
			end += closingBracket(after[end:])
		}
		name = after[end:]
	}
}

// closingBracket returns the offset after the bracket that closes the first one, or the length of
// the text.
func closingBracket(text string) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '(', '<', '{', '[':
			depth++
		case ')', '>', '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

func ordinals(name string) (list []int) {
	for _, text := range numbers.FindAllString(name, -1) {
		n, _ := strconv.Atoi(text[1:])
		list = append(list, n)
	}
	return list
}

// order returns the union of the keys of both maps, sorted.
func order(a, b map[string][]Kernel) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// expanded returns one kernel for each location at which a function has several kernels because of
// a fold expression, as in (q.single_task([=] { use(values); }), ...).
func expanded(device []Kernel) (list []Kernel) {
	type place struct {
		name string
		at   srcloc.Location
	}
	seen := make(map[place]int)
	for _, k := range device {
		if !k.pack || k.Location.Line == 0 {
			continue
		}
		p := place{withoutOwnNumbers(k.Name), k.Location}
		if seen[p]++; seen[p] == 2 {
			list = append(list, k)
		}
	}
	return list
}

// withoutOwnNumbers removes the numbers of lambdas from a name, except in template arguments.
func withoutOwnNumbers(name string) string {
	var out strings.Builder
	depth := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		out.WriteByte(c)
		switch {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case c == '#' && depth == 0:
			for i+1 < len(name) && '0' <= name[i+1] && name[i+1] <= '9' {
				i++
			}
		}
	}
	return out.String()
}

// Place returns the location of a kernel in the format of compilers. It is in the source with the
// given path and text, or in a header.
func (k Kernel) Place(source string, text []byte) string {
	at := k.Location
	switch {
	case at.Line == 0:
		at = srcloc.Location{Path: source, Line: uint32(firstLineWith(text, identifier(k.Name)))}
	case at.Path == path.Base(source):
		at.Path = source
	}
	return at.String()
}

var identifiers = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

// identifier returns the identifier of a kernel, or of the function that submits it, in the source.
func identifier(name string) string {
	name = strings.TrimPrefix(name, "(anonymous namespace)::")
	name, _, _ = strings.Cut(name, "::{lambda")
	name, _, _ = strings.Cut(name, "(")
	name, _, _ = strings.Cut(name, "<")
	all := identifiers.FindAllString(name, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// firstLineWith returns the number of the first line of text that contains word, or 0.
func firstLineWith(text []byte, word string) int {
	if word == "" {
		return 0
	}
	at := regexp.MustCompile(`\b` + word + `\b`).FindIndex(text)
	if at == nil {
		return 0
	}
	return bytes.Count(text[:at[0]], []byte("\n")) + 1
}
