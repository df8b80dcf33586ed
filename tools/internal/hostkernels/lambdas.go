package hostkernels

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ofVariable matches the variable in the name of a lambda at namespace scope, in a name of the device
// code. It does not match f() const::{lambda()#1}.
var ofVariable = regexp.MustCompile(`(^|[^ ]|[^)] )\b(\w+)::(\{lambda[(<])`)

// withoutNumbers returns the name of a kernel without the numbers of lambdas.
func withoutNumbers(k Kernel) string { return numbers.ReplaceAllString(k.Name, "#") }

// withoutVariables returns the name of a kernel of the device code as clang writes it, without the
// numbers of lambdas.
func withoutVariables(k Kernel) string {
	return numbers.ReplaceAllString(ofVariable.ReplaceAllString(k.Name, "$1$3"), "#")
}

// differInVariables reports whether the names of two kernels differ, but only in variables and numbers
// of lambdas.
func differInVariables(device, host Kernel) bool {
	name := withoutNumbers(host)
	return withoutVariables(device) == name && withoutNumbers(device) != name
}

// renameLambdas gives kernels of the device code the names that they have in host code that clang
// compiled. DPC++ names a lambda at namespace scope after its variable, as in
// app::add::{lambda(int)#1}. clang numbers these lambdas in the order of their declarations, for each
// namespace and list of parameter types, as in app::{lambda(int)#2}. The files are the sources.
func renameLambdas(device []Kernel, host *hostObject, files []string) {
	_, onlyHost, onlyDevice, _ := match(device, host)
	hosts, devices := groups(onlyHost, withoutNumbers), groups(onlyDevice, withoutVariables)
	sources := sync.OnceValue(func() []*source { return sourcesOf(files) })
	for name, h := range hosts {
		d := devices[name]
		if len(d) != len(h) || slices.ContainsFunc(h, func(k Kernel) bool { return len(host.types[k.Name]) == 0 }) {
			continue
		}
		if len(d) > 1 && !sortByDeclaration(d, sources()) {
			continue
		}
		for i := range d {
			rename(device, d[i], h[i])
		}
	}
}

// rename gives a kernel in the list the name that it has in the host code.
func rename(list []Kernel, k, host Kernel) {
	at := slices.IndexFunc(list, func(other Kernel) bool { return other.symbol == k.symbol })
	list[at].Name = host.Name
}

// renameSubstituted gives kernels of the device code the names that they have in host code of g++ 12
// and older, which numbers the substitutions in a mangled name differently if the name contains two
// generic lambdas at namespace scope.
func renameSubstituted(device []Kernel, host *hostObject) {
	_, onlyHost, onlyDevice, _ := match(device, host)
	key := func(k Kernel) string {
		_, symbol, _ := strings.Cut(k.symbol, "_ZN10rules_sycl9SubmittedI")
		symbol = submittedEnd.ReplaceAllString(cmp.Or(symbol, strings.TrimPrefix(k.symbol, "_ZTS")), "")
		return substitutions.ReplaceAllString(symbol, "S_")
	}
	hosts, devices := groups(onlyHost, key), groups(onlyDevice, key)
	for symbol, d := range devices {
		if h := hosts[symbol]; len(h) == 1 && len(d) == 1 {
			rename(device, d[0], h[0])
		}
	}
}

var (
	submittedEnd  = regexp.MustCompile(`Lm\d+ELm\d+EE4hereE.*`)
	substitutions = regexp.MustCompile(`S[0-9A-Z]*_`)
)

// sortByDeclaration sorts kernels by the declarations of the variables in their names. It returns
// false if a variable is declared more than once, or not all of them in one source.
func sortByDeclaration(kernels []Kernel, sources []*source) bool {
	declared := make(map[string]int)
	var in *source
	for _, k := range kernels {
		for _, m := range ofVariable.FindAllStringSubmatch(k.Name, -1) {
			if _, known := declared[m[2]]; known {
				continue
			}
			declaration, count := regexp.MustCompile(`\bauto\b[^;{}()]*\b`+m[2]+`\s*[={(]`), 0
			for _, s := range sources {
				for _, found := range declaration.FindAllStringIndex(s.text, -1) {
					if !s.atNamespaceScope(found[0]) {
						continue
					}
					if in != nil && in != s {
						return false
					}
					in, declared[m[2]] = s, found[0]
					count++
				}
			}
			if count != 1 {
				return false
			}
		}
	}
	order := func(k Kernel) (list []int) {
		for _, m := range variableOrNumber.FindAllStringSubmatch(k.Name, -1) {
			n, err := strconv.Atoi(m[2])
			if err != nil {
				n = declared[m[1]] // 0 if it is not a variable
			}
			list = append(list, n)
		}
		return list
	}
	slices.SortFunc(kernels, func(a, b Kernel) int { return slices.Compare(order(a), order(b)) })
	return true
}

// atNamespaceScope reports whether an offset in the text is outside of functions, classes and
// initializers.
func (s *source) atNamespaceScope(offset int) bool {
	var inner []bool // for each open brace, whether it does not open a namespace
	for i, c := range []byte(s.text[:offset]) {
		switch {
		case c == '{':
			inner = append(inner, !opensNamespace.MatchString(s.text[max(0, i-200):i]))
		case c == '}' && len(inner) > 0:
			inner = inner[:len(inner)-1]
		}
	}
	return !slices.Contains(inner, true)
}

// opensNamespace matches the text before the brace of a namespace or of extern "C++".
var opensNamespace = regexp.MustCompile(`\b(namespace(\s+[\w:]+)?|extern\s+0)\s*$`)

// variableOrNumber matches what distinguishes lambdas in a name: a variable or a number.
var variableOrNumber = regexp.MustCompile(`(\w+)::\{lambda|#(\d+)`)
