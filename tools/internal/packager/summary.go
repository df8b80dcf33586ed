package packager

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// remediesOfPrograms are what can be done about findings in images of a finished program,
// by rule. Advice on how to build it helps nobody who has no source. Rules that are not
// here keep their own.
var remediesOfPrograms = map[string]string{
	"kernel-duplicate":     "a program may have such kernels, and so does a report; for a file that a program loads, take out the images it needs with 'packager extract' and pack those",
	"export-duplicate":     "a program may have such symbols, and so does a report; for a file that a program loads, take out the images it needs with 'packager extract' and pack those",
	"import-unresolved":    "name the library that defines the symbols in the same command; device libraries are added by the runtime inside a program only",
	"import-in-executable": "nothing to do for a report; for a file that a program loads and gives to sycl::link, use --state object",
	"kernel-name-prefix":   "nothing to do for a report; only the program itself can launch them",
	"kernel-names-missing": "nothing to do for a report; a program launches nothing in such images by name",
	"image-empty":          "nothing to do: the compiler wrote an image without code",
	"too-many":             "nothing to do for a report; 'packager verify' checks files that are smaller completely",
}

// warnOfImport prints findings about the images of programs, a line for each rule.
func warnOfImport(env *cli.Env, name string, list []syclbin.Finding) {
	const examples = 3
	byRule := make(map[string][]syclbin.Finding)
	var rules []string
	for _, f := range list {
		if byRule[f.ID] == nil {
			rules = append(rules, f.ID)
		}
		byRule[f.ID] = append(byRule[f.ID], f)
	}
	for _, id := range rules {
		found := byRule[id]
		remedy, ok := remediesOfPrograms[id]
		if !ok {
			remedy = found[0].Remedy
		}
		var texts []string
		for _, f := range found[:min(len(found), examples)] {
			message := f.Message
			if len(found) > 1 {
				message = cut(message)
			}
			texts = append(texts, fmt.Sprintf("%s: %s", f.Place, message))
		}
		rest := "; " + remedy
		if n := len(found) - len(texts); n > 0 {
			rest = fmt.Sprintf("; and %d more", n) + rest
		}
		count := ""
		if len(found) > 1 {
			count = fmt.Sprintf(", %d times", len(found))
		}
		env.Warnf(name, "%s", safetext.Printable(fmt.Sprintf("%s%s: %s%s", id, count, strings.Join(texts, "; "), rest)))
	}
}

// cut shortens what has long names in it, as it is an example of several.
func cut(text string) string {
	const most = 160
	if len(text) <= most {
		return text
	}
	end := most
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// A tally groups warnings of a kind, of which it keeps the first.
type tally struct {
	kinds []*tallied
	of    map[string]*tallied
}

type tallied struct {
	place, text string
	count       int
}

func (t *tally) add(kind, place, text string) {
	if known := t.of[kind]; known != nil {
		known.count++
		return
	}
	if t.of == nil {
		t.of = make(map[string]*tallied)
	}
	t.of[kind] = &tallied{place, text, 1}
	t.kinds = append(t.kinds, t.of[kind])
}

// warn prints a line for each of the first kinds.
func (t *tally) warn(env *cli.Env) {
	for i, w := range t.kinds {
		if i == maxShown {
			env.Warnf(w.place, "and %s of warnings", plural(len(t.kinds)-i, "more kind"))
			return
		}
		more := ""
		if w.count > 1 {
			more = fmt.Sprintf(", and %d more like it", w.count-1)
		}
		env.Warnf(w.place, "%s%s", safetext.Printable(w.text), more)
	}
}
