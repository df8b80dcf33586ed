package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// programAdvice maps rules to advice for images of a finished program. The advice of the rules
// themselves is about building the images, which does not help without the source.
var programAdvice = map[string]string{
	"kernel-duplicate":     "allowed in a program and in a report; for a file that a program loads, pack only the images it needs with 'packager extract' and 'packager pack'",
	"export-duplicate":     "allowed in a program and in a report; for a file that a program loads, pack only the images it needs with 'packager extract' and 'packager pack'",
	"import-unresolved":    "add the library that defines the symbols to the command; the runtime adds device libraries only inside a program",
	"import-in-executable": "no action needed for a report; for a file that a program passes to sycl::link, use --state object",
	"kernel-name-prefix":   "no action needed for a report; only the program itself can launch these kernels",
	"kernel-names-missing": "no action needed for a report; a program does not launch kernels in such images by name",
	"image-empty":          "no action needed; the compiler wrote an image without code",
	"too-many":             "no action needed for a report; 'packager verify' checks smaller files completely",
}

// warnOfImport prints the problems of a program's images, one line per rule.
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
		fix, ok := programAdvice[id]
		if !ok {
			fix = found[0].Fix
		}
		var texts []string
		for _, f := range found[:min(len(found), examples)] {
			message := f.Message
			if len(found) > 1 {
				message = shortenExample(message)
			}
			texts = append(texts, fmt.Sprintf("%s: %s", f.Place, message))
		}
		rest := "; " + fix
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

// shortenExample shortens a message that is shown as one of several examples.
func shortenExample(text string) string {
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
