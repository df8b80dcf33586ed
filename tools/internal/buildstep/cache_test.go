package buildstep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestMake checks that the output and the log do not depend on whether the compiler runs, and that
// the cache keeps the most recently used files.
func TestMake(t *testing.T) {
	t.Chdir(t.TempDir())
	large := strings.Repeat("large", 200)
	kept := NewCache(2 * 300)
	for i, test := range []struct {
		content string
		kept    bool
	}{
		{"a", false}, {"b", false}, {"a", true}, {"c", false}, {"b", false}, {"c", true}, {"a", false},
		{large, false}, {large, false}, {"a", true}, {"c", true},
	} {
		var log strings.Builder
		made := false
		err := kept.Make(Recipe{Input: []byte(test.content)}, "out", &log, func(log io.Writer) error {
			made = true
			testkit.WriteFile(t, "out", test.content)
			_, err := fmt.Fprintf(log, "note of %s", test.content)
			return err
		})
		if err != nil || testkit.ReadFile(t, "out") != test.content || log.String() != "note of "+test.content {
			t.Errorf("%d: %.5s, %v, log %.20q", i, testkit.ReadFile(t, "out"), err, &log)
		}
		if made == test.kept {
			t.Errorf("%d: %.5s was kept: %v", i, test.content, !made)
		}
		if kept.bytes > kept.limit {
			t.Errorf("%d: %d bytes are kept", i, kept.bytes)
		}
	}
}

// TestMakeFails checks that the cache keeps neither failures nor missing files.
func TestMakeFails(t *testing.T) {
	t.Chdir(t.TempDir())
	refused := errors.New("refused")
	for _, kept := range []*Cache{nil, NewCache(1 << 20)} {
		for range 2 {
			if err := kept.Make(Recipe{}, "out", io.Discard, func(io.Writer) error { return refused }); !errors.Is(err, refused) {
				t.Error(err)
			}
		}
	}
	kept := NewCache(1 << 20)
	if err := kept.Make(Recipe{}, "out", io.Discard, func(io.Writer) error { return nil }); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestRecipe(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "opt", "a")
	testkit.WriteFile(t, "llc", "a")
	testkit.WriteFile(t, "in", "code")
	first := func() Recipe {
		return Recipe{Programs: []string{"opt", "llc"}, Options: []string{"-O2", "-S"}, Input: []byte("code")}
	}
	key := func(r Recipe) Key {
		t.Helper()
		k := testkit.Must(r.key())(t)
		return k
	}
	keys := map[[32]byte]string{}
	add := func(name string, r Recipe) {
		t.Helper()
		k := key(r)
		if other, known := keys[k]; known {
			t.Errorf("%s has the key of %s", name, other)
		}
		keys[k] = name
	}
	add("the first", first())
	if len(keys) != 1 || keys[key(first())] == "" {
		t.Error("the same has another key")
	}
	if keys[key(Recipe{Programs: []string{"opt", "llc"}, Options: []string{"-O2", "-S"}, InputFile: "in"})] == "" {
		t.Error("the same code in a file has another key")
	}
	add("the other order", Recipe{Programs: []string{"llc", "opt"}, Options: []string{"-O2", "-S"}, Input: []byte("code")})
	add("other options", Recipe{Programs: []string{"opt", "llc"}, Options: []string{"-O2 -S"}, Input: []byte("code")})
	add("other code", Recipe{Programs: []string{"opt", "llc"}, Options: []string{"-O2", "-S"}, Input: []byte("cod")})
	testkit.WriteFile(t, "llc", "ab")
	add("another size", first())
	later := time.Now().Add(time.Hour)
	testkit.NoError(t, os.Chtimes("llc", later, later))
	add("another time", first())
	testkit.NoError(t, os.Remove("llc"))
	add("no program", first())
	if _, err := (&Recipe{InputFile: "missing"}).key(); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
