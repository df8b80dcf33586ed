package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// maxInput is larger than any output of starlark_doc_extract.
const maxInput = 64 << 20

func rulesCommand() *cli.Command {
	return &cli.Command{
		Name:  "rules",
		Args:  "FILE.binaryproto...",
		Short: "write the reference page of the Bazel rules",
		Long: `Reads the outputs of starlark_doc_extract targets and writes one page of Markdown. A rule
NAME_rule is omitted: its attributes are listed under the macro NAME.`,
		Example: "generate rules --output docs/reference/rules.md bazel-bin/docs/defs.binaryproto",
		Setup: func(fs *flag.FlagSet) cli.Run {
			output := fs.String("output", "", "`file` to write (default standard output)")
			return func(_ context.Context, env *cli.Env, args []string) error {
				if len(args) == 0 {
					return cli.Usagef("no input files")
				}
				var all module
				for _, file := range args {
					data, err := cli.ReadInput(file, "an output of starlark_doc_extract", maxInput)
					if err != nil {
						return err
					}
					if err := unmarshal(data, reflect.ValueOf(&all).Elem()); err != nil {
						return cli.BadInput(fmt.Errorf("%s: %w", file, err))
					}
				}
				return env.Output(*output, func(w io.Writer) error { _, err := io.WriteString(w, rulesPage(&all)); return err })
			}
		},
	}
}

// A section documents one name. Its table has a row for each attribute or field.
type section struct {
	name, kind, doc string
	columns         []string
	rows            [][]string
}

var (
	argumentColumns  = []string{"argument", "type", "default", "meaning"}
	attributeColumns = []string{"attribute", "type", "default", "meaning"}
	fieldColumns     = []string{"field", "meaning"}
)

// rulesPage returns a module's sections as Markdown, with a table of contents.
func rulesPage(m *module) string {
	all := sections(m)
	var b strings.Builder
	b.WriteString("# Rules\n\nWritten by `//docs:make_rules` from the docstrings of the rules; do not edit.\n\n")
	b.WriteString("Load rules, macros, aspects and providers from `@rules_sycl//rules:defs.bzl`.\n")
	b.WriteString("Module extension tags belong to the extension `sycl` of `@rules_sycl//rules:extensions.bzl`.\n")
	for _, group := range [][]string{{"Rules", "rule", "macro"}, {"Functions", "function"}, {"Aspects", "aspect"}, {"Module extension tags", "module extension tag"}, {"Providers", "provider"}} {
		var links []string
		for _, s := range all {
			if slices.Contains(group[1:], s.kind) {
				links = append(links, fmt.Sprintf("[%s](#%s)", s.name, strings.ToLower(strings.ReplaceAll(s.name, ".", ""))))
			}
		}
		fmt.Fprintf(&b, "\n- %s: %s", group[0], strings.Join(links, ", "))
	}
	b.WriteString("\n")
	for _, s := range all {
		s.write(&b)
	}
	return b.String()
}

// sections returns the rules and functions by name, then the aspects and the extension tags, then
// the providers by name.
func sections(m *module) []section {
	var all []section
	kwargs := map[string]rule{} // the rule that a macro passes its **kwargs to
	for _, r := range m.Rules {
		if macro, ok := strings.CutSuffix(r.Name, "_rule"); ok {
			kwargs[macro] = r
			continue
		}
		all = append(all, section{r.Name, "rule", r.Doc, attributeColumns, attributeRows(r.Attributes)})
	}
	for _, f := range m.Functions {
		all = append(all, functionSection(f, kwargs[f.Name]))
	}
	slices.SortFunc(all, func(a, b section) int { return strings.Compare(a.name, b.name) })
	for _, a := range m.Aspects {
		all = append(all, section{name: a.Name, kind: "aspect", doc: a.Doc})
	}
	for _, e := range m.Extensions {
		for _, t := range e.Tags {
			all = append(all, section{e.Name + "." + t.Name, "module extension tag", t.Doc, attributeColumns, attributeRows(t.Attributes)})
		}
	}
	slices.SortFunc(m.Providers, func(a, b provider) int { return strings.Compare(a.Name, b.Name) })
	for _, p := range m.Providers {
		var rows [][]string
		for _, f := range p.Fields {
			rows = append(rows, []string{monospace(f.Name), f.Doc})
		}
		all = append(all, section{p.Name, "provider", p.Doc, fieldColumns, rows})
	}
	return all
}

func (s *section) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n*%s*\n\n%s\n", s.name, s.kind, strings.TrimSpace(s.doc))
	if len(s.rows) == 0 {
		return
	}
	rows := append([][]string{s.columns, slices.Repeat([]string{"---"}, len(s.columns))}, s.rows...)
	b.WriteString("\n")
	for _, row := range rows {
		for i, cell := range row {
			if slices.ContainsFunc(s.rows, func(r []string) bool { return r[i] != "" }) {
				fmt.Fprintf(b, "| %s ", strings.ReplaceAll(strings.Join(strings.Fields(cell), " "), "|", "\\|"))
			}
		}
		b.WriteString("|\n")
	}
}

// attributeRows returns the rows of the attributes that have a docstring: "name", which
// every rule has, then the others by name.
func attributeRows(list []attribute) [][]string {
	list = slices.DeleteFunc(slices.Clone(list), func(a attribute) bool { return a.Doc == "" })
	slices.SortFunc(list, func(a, b attribute) int {
		switch {
		case a.Name == b.Name:
			return 0
		case a.Name == "name":
			return -1
		case b.Name == "name":
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	var rows [][]string
	for _, a := range list {
		rows = append(rows, []string{monospace(a.Name), a.Type.String(), fallback(a.Mandatory, a.Default), a.Doc})
	}
	return rows
}

// functionSection returns the section of a macro, which has a parameter name, or of a function that
// returns a value.
func functionSection(f function, kwargs rule) section {
	if slices.ContainsFunc(f.Parameters, func(p parameter) bool { return p.Name == "name" }) {
		return section{f.Name, "macro", f.Doc, attributeColumns, macroRows(f, kwargs)}
	}
	doc := strings.TrimSpace(f.Doc)
	for _, r := range f.Returns {
		doc += "\n\nReturns: " + strings.TrimSpace(r.Doc)
	}
	return section{f.Name, "function", doc, argumentColumns, macroRows(f, rule{})}
}

// macroRows returns the rows of a macro's parameters and of the rule that it passes its
// **kwargs to.
func macroRows(f function, kwargs rule) [][]string {
	list := slices.Clone(kwargs.Attributes)
	var others [][]string
	for _, p := range f.Parameters {
		if !p.Mandatory && p.Default == "" { // **kwargs
			others = [][]string{{"others", "", "", p.Doc}}
			continue
		}
		i := slices.IndexFunc(list, func(a attribute) bool { return a.Name == p.Name })
		if i < 0 {
			i, list = len(list), append(list, attribute{Name: p.Name})
		}
		list[i].Doc, list[i].Mandatory, list[i].Default = p.Doc, p.Mandatory, p.Default
	}
	return append(attributeRows(list), others...)
}

// fallback returns a cell's text for an attribute's default.
func fallback(mandatory bool, value string) string {
	switch {
	case mandatory:
		return "required"
	case slices.Contains([]string{"", "None", "False", `""`, "[]", "{}"}, value):
		return ""
	}
	return monospace(value)
}

func monospace(s string) string { return "`" + s + "`" }
