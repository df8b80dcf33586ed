package cli

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A Tally counts warnings by kind and keeps the first of each.
type Tally struct {
	kinds []*tallied
	of    map[string]*tallied
}

// maxKinds limits the kinds of warnings that are printed.
const maxKinds = 10

type tallied struct {
	place, text string
	count       int
}

// Add counts a warning.
func (t *Tally) Add(kind, place, text string) {
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

// Warn prints one line for each of the first kinds.
func (t *Tally) Warn(env *Env) {
	for i, w := range t.kinds {
		if i == maxKinds {
			env.Warnf(w.place, "and %d more %s of warnings", len(t.kinds)-i, safetext.Plural(len(t.kinds)-i, "kind", "kinds"))
			return
		}
		more := ""
		if w.count > 1 {
			more = fmt.Sprintf(", and %d more like it", w.count-1)
		}
		env.Warnf(w.place, "%s%s", safetext.Printable(w.text), more)
	}
}
