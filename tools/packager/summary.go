package main

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

// A tally counts what is said of several images, and keeps the first place of each.
type tally struct {
	texts []string
	count map[string]int
	place map[string]string
}

func (t *tally) add(place, text string) {
	if t.count == nil {
		t.count, t.place = make(map[string]int), make(map[string]string)
	}
	if t.count[text]++; t.count[text] == 1 {
		t.texts = append(t.texts, text)
		t.place[text] = place
	}
}

// warn prints a line for each text.
func (t *tally) warn(env *cli.Env) {
	for _, text := range t.texts {
		more := ""
		if n := t.count[text] - 1; n > 0 {
			more = fmt.Sprintf(", and %d more like it", n)
		}
		env.Warnf(t.place[text], "%s%s", safetext.Printable(text), more)
	}
}
