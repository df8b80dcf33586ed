// Command rulesdoc writes the reference page of the rules from their own
// docstrings.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/bazelbuild/buildtools/build"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

func main() {
	(&cli.Tool{
		Name:  "rulesdoc",
		Short: "write the reference page of the rules",
		Commands: []*cli.Command{{
			Args:    "FILE.bzl...",
			Short:   "write the reference page of the rules",
			Long:    "Reads the rule(), aspect(), provider() and tag_class() calls of Starlark files, and their macros, and writes the docstrings as Markdown.",
			Example: "rulesdoc --output docs/rules.md rules/sycl_binary.bzl",
			Setup: func(fs *flag.FlagSet) cli.Run {
				output := fs.String("output", "", "the `file` to write; standard output when it is missing")
				return func(_ context.Context, env *cli.Env, args []string) error {
					if len(args) == 0 {
						return cli.Usagef("no files are given")
					}
					page, err := render(args)
					if err != nil {
						return err
					}
					return env.Output(*output, func(w io.Writer) error { _, err := io.WriteString(w, page); return err })
				}
			},
		}},
	}).Main()
}

// An entry is one documented name.
type entry struct {
	name, kind, doc string
	fields          []field
}

type field struct{ name, kind, doc, fallback string }

func render(files []string) (string, error) {
	var parsed []*build.File
	named := dicts{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		f, err := build.ParseBzl(filepath.Base(file), data)
		if err != nil {
			return "", cli.BadInput(err)
		}
		if filepath.Base(filepath.Dir(file)) != "private" { // whose names are for other files
			parsed = append(parsed, f)
		}
		for _, stmt := range f.Stmt {
			if name, value, ok := assignment(stmt); ok {
				named[name] = value
			}
		}
	}
	var entries []entry
	for _, f := range parsed {
		entries = append(entries, named.read(f)...)
	}
	order := map[string]int{"rule": 0, "macro": 0, "aspect": 1, "module extension tag": 2, "provider": 3}
	sort.SliceStable(entries, func(i, j int) bool {
		a, b := entries[i], entries[j]
		if order[a.kind] != order[b.kind] {
			return order[a.kind] < order[b.kind]
		}
		return a.name < b.name
	})

	var b strings.Builder
	b.WriteString("# Rules\n\nMade from the docstrings of the rules by `//tools/rulesdoc`; do not edit.\n\n")
	b.WriteString("Load rules, aspects and providers from `@rules_sycl//rules:defs.bzl`.\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "\n## %s\n\n*%s*\n\n%s\n", e.name, e.kind, strings.TrimSpace(e.doc))
		if len(e.fields) == 0 {
			continue
		}
		switch e.kind {
		case "provider":
			b.WriteString("\n| field | meaning |\n|---|---|\n")
		case "macro":
			b.WriteString("\n| attribute | meaning |\n|---|---|\n")
		default:
			b.WriteString("\n| attribute | type | default | meaning |\n|---|---|---|---|\n")
		}
		for _, f := range e.fields {
			doc := strings.ReplaceAll(strings.Join(strings.Fields(f.doc), " "), "|", "\\|")
			if e.kind == "provider" || e.kind == "macro" {
				fmt.Fprintf(&b, "| `%s` | %s |\n", f.name, doc)
			} else {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.name, f.kind, f.fallback, doc)
			}
		}
	}
	return b.String(), nil
}

// assignment returns the name and the value of a statement NAME = VALUE.
func assignment(stmt build.Expr) (name string, value build.Expr, ok bool) {
	assign, ok := stmt.(*build.AssignExpr)
	if !ok {
		return "", nil, false
	}
	id, ok := assign.LHS.(*build.Ident)
	if !ok {
		return "", nil, false
	}
	return id.Name, assign.RHS, true
}

// dicts are the values that the files give names to, such as attributes that
// several rules have.
type dicts map[string]build.Expr

// macro returns what is said of a function that makes targets: its docstring, whose
// section Args becomes the fields.
func macro(def *build.DefStmt) entry {
	e := entry{name: def.Name, kind: "macro"}
	if len(def.Body) == 0 {
		return e
	}
	var lines []string
	for line := range strings.Lines(text(def.Body[0])) {
		lines = append(lines, strings.TrimPrefix(strings.TrimRight(line, "\n"), "    "))
	}
	args := false
	for i, line := range lines {
		name, doc, ok := strings.Cut(strings.TrimPrefix(line, "    "), ": ")
		switch {
		case line == "Args:":
			e.doc, args = strings.Join(lines[:i], "\n"), true
		case args && ok && strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "     "):
			e.fields = append(e.fields, field{name: name, doc: doc})
		case args && len(e.fields) > 0:
			e.fields[len(e.fields)-1].doc += " " + line
		}
	}
	return e
}

// functions returns the functions that a file defines.
func functions(f *build.File) map[string]*build.DefStmt {
	all := map[string]*build.DefStmt{}
	for _, stmt := range f.Stmt {
		if def, ok := stmt.(*build.DefStmt); ok {
			all[def.Name] = def
		}
	}
	return all
}

// read collects the assignments NAME = rule(...), aspect(...), provider(...) and
// tag_class(...). A rule _NAME is documented as the macro NAME, which has its attributes.
// A macro without such a rule speaks for itself when the file has its name.
func (d dicts) read(f *build.File) []entry {
	var entries []entry
	defined := functions(f)
	own := strings.TrimSuffix(f.Path, ".bzl")
	if def := defined[own]; def != nil {
		if _, behind := d["_"+own]; !behind {
			entries = append(entries, macro(def))
		}
	}
	for _, stmt := range f.Stmt {
		name, value, ok := assignment(stmt)
		if !ok {
			continue
		}
		call, ok := value.(*build.CallExpr)
		if !ok {
			continue
		}
		function, ok := call.X.(*build.Ident)
		if !ok {
			continue
		}
		e := entry{name: name, kind: function.Name, doc: text(argument(call, "doc"))}
		switch function.Name {
		case "aspect":
		case "rule":
			if hidden, ok := strings.CutPrefix(e.name, "_"); ok {
				if defined[hidden] == nil {
					continue
				}
				e.name = hidden // behind a macro of this name
			}
			e.fields = d.attributes(argument(call, "attrs"))
		case "tag_class":
			e.kind = "module extension tag"
			e.name = "sycl." + strings.TrimPrefix(e.name, "_")
			e.fields = d.attributes(argument(call, "attrs"))
		case "provider":
			for key, value := range d.pairs(argument(call, "fields")) {
				e.fields = append(e.fields, field{name: key, doc: text(value)})
			}
		default:
			continue
		}
		sort.Slice(e.fields, func(i, j int) bool {
			// "name" is what every rule has; it goes first.
			return e.fields[i].name < e.fields[j].name
		})
		if function.Name == "rule" {
			e.fields = append([]field{{name: "name", kind: "name", fallback: "required", doc: "A unique name for this target."}}, e.fields...)
		}
		entries = append(entries, e)
	}
	return entries
}

// attributes reads a dict of attr.TYPE(...) calls; names with an underscore are
// not the user's.
func (d dicts) attributes(e build.Expr) []field {
	var fields []field
	for name, value := range d.pairs(e) {
		call, ok := value.(*build.CallExpr)
		if !ok || strings.HasPrefix(name, "_") {
			continue
		}
		dot, ok := call.X.(*build.DotExpr)
		if !ok {
			continue
		}
		f := field{name: name, kind: strings.ReplaceAll(dot.Name, "_", " "), doc: text(argument(call, "doc"))}
		if mandatory, ok := argument(call, "mandatory").(*build.Ident); ok && mandatory.Name == "True" {
			f.fallback = "required"
		} else if d := argument(call, "default"); d != nil {
			f.fallback = "`" + strings.Join(strings.Fields(build.FormatString(d)), " ") + "`"
		}
		fields = append(fields, f)
	}
	return fields
}

// pairs returns the string keys of a dict, of one with a name, or of dicts joined
// with "|".
func (d dicts) pairs(e build.Expr) map[string]build.Expr {
	found := map[string]build.Expr{}
	switch e := e.(type) {
	case *build.Ident:
		if named, ok := d[e.Name]; ok {
			return d.pairs(named)
		}
	case *build.BinaryExpr:
		for _, side := range []build.Expr{e.X, e.Y} {
			for k, v := range d.pairs(side) {
				found[k] = v
			}
		}
	case *build.DictExpr:
		for _, kv := range e.List {
			if key, ok := kv.Key.(*build.StringExpr); ok {
				found[key.Value] = kv.Value
			}
		}
	}
	return found
}

// argument returns a call's named argument, nil when it is not given.
func argument(call *build.CallExpr, name string) build.Expr {
	for _, a := range call.List {
		if assign, ok := a.(*build.AssignExpr); ok {
			if id, ok := assign.LHS.(*build.Ident); ok && id.Name == name {
				return assign.RHS
			}
		}
	}
	return nil
}

// text returns a string literal's value, "" for anything else.
func text(e build.Expr) string {
	s, ok := e.(*build.StringExpr)
	if !ok {
		return ""
	}
	return s.Value
}
