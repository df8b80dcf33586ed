package main

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/icpxflags"
)

func icpxflagsCommand() *cli.Command {
	return &cli.Command{
		Name:    "icpxflags",
		Short:   "write the table of icpx options in Starlark and Markdown",
		Example: "generate icpxflags --starlark rules/private/generated/icpx_flags.bzl --page docs/reference/icpx-options.md",
		Setup: func(fs *flag.FlagSet) cli.Run {
			starlark := fs.String("starlark", "", "the Starlark `file` to write")
			page := fs.String("page", "", "the Markdown `file` to write")
			return func(_ context.Context, env *cli.Env, args []string) error {
				if len(args) > 0 {
					return cli.Usagef("unexpected argument '%s'", args[0])
				}
				if *starlark == "" || *page == "" {
					return cli.Usagef("--starlark and --page are required")
				}
				if err := env.Output(*starlark, writeStarlark); err != nil {
					return err
				}
				return env.Output(*page, writePage)
			}
		},
	}
}

func writeStarlark(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprint(w, `"""The effect of icpx options. Written by //tools/generate; do not edit."""

def _flag(destination, next = False, attribute = "", means = "", device = [], host = [], native = [], jit = [], why = ""):
    return struct(destination = destination, next = next, attribute = attribute, means = means, device = device, host = host, native = native, jit = jit, why = why)

# Option -> its entry in package icpxflags. An option that ends in "=" is followed by a value.
FLAGS = {
`)
	for _, section := range icpxflags.Table() {
		fmt.Fprintf(w, "    # %s\n", section.Title)
		for _, f := range section.Flags {
			for _, name := range f.Names {
				fmt.Fprintf(w, "    %q: _flag(%s),\n", name, strings.Join(arguments(f), ", "))
			}
		}
	}
	fmt.Fprint(w, "}\n")
	return w.Flush()
}

// arguments returns the arguments of _flag.
func arguments(f icpxflags.Flag) []string {
	out := []string{fmt.Sprintf("%q", f.Destination)}
	if f.Next {
		out = append(out, "next = True")
	}
	for _, text := range []struct{ name, value string }{{"attribute", f.Attribute}, {"means", f.Means}} {
		if text.value != "" {
			out = append(out, fmt.Sprintf("%s = %q", text.name, text.value))
		}
	}
	for _, words := range []struct {
		name   string
		values []string
	}{{"device", f.Device}, {"host", f.Host}, {"native", f.Native}, {"jit", f.JIT}} {
		if words.values != nil {
			out = append(out, fmt.Sprintf("%s = %s", words.name, list(words.values)))
		}
	}
	if f.Why != "" {
		out = append(out, fmt.Sprintf("why = %q", f.Why))
	}
	return out
}

func list(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = fmt.Sprintf("%q", word)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

//go:embed flags.txt
var intro string

// destinations describes each destination on the page.
var destinations = map[icpxflags.Destination]string{
	icpxflags.Nothing:   "nothing",
	icpxflags.Device:    "device compilation",
	icpxflags.Both:      "device and host compilation",
	icpxflags.Host:      "host compilation and link",
	icpxflags.Intel:     "host compilation and link, with Intel's compiler only",
	icpxflags.Attribute: "attribute",
	icpxflags.Backend:   "native compilers",
	icpxflags.Emulation: "device compilation, native compiler",
	icpxflags.Error:     "an error",
}

func writePage(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprint(w, intro)
	for _, section := range icpxflags.Table() {
		fmt.Fprintf(w, "\n## %s\n\n| Option | Applies to | Effect | syclc++ |\n|---|---|---|---|\n", section.Title)
		for _, f := range section.Flags {
			var names []string
			for _, name := range f.Names {
				switch {
				case f.Next && strings.HasSuffix(name, "="):
					name += "TARGET X"
				case f.Next:
					name += " X"
				case strings.HasSuffix(name, "="):
					name += "X"
				}
				names = append(names, "`"+name+"`")
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s |\n", strings.Join(names, ", "), destinations[f.Destination], effect(f), command(f))
		}
	}
	return w.Flush()
}

// effect describes the effect of an option, or returns "" if its destination says enough.
func effect(f icpxflags.Flag) string {
	why := strings.ReplaceAll(f.Why, "{}", "X")
	switch f.Destination {
	case icpxflags.Attribute:
		return fmt.Sprintf("`%s`: %s", f.Attribute, cmp.Or(f.Means, "X"))
	case icpxflags.Device:
		if f.Device != nil {
			return "as " + code(f.Device)
		}
	case icpxflags.Both:
		text := "unchanged for devices; "
		if f.Device != nil {
			text = code(f.Device) + " for devices; "
		}
		if f.Host == nil {
			return text + "omitted for the host, because it is the default there"
		}
		text += code(f.Host) + " for the host"
		if f.Sets != "" {
			text += "; " + string(f.Sets)
		}
		return text
	case icpxflags.Host:
		if f.Host != nil {
			return "as " + code(f.Host)
		}
	case icpxflags.Backend:
		if f.Native == nil {
			return strings.TrimSuffix("as [backend_options](../build/programs.md#options-for-native-compilers); "+why, "; ")
		}
		return "native images: " + code(f.Native) + "; at run time: " + code(f.JIT)
	case icpxflags.Emulation:
		return "[kernels that only convert `double`](../build/programs.md#kernels-that-only-convert-double) do not need fp64"
	case icpxflags.Intel:
		return "an error with other host compilers: " + why
	}
	return why
}

// command returns the effect of an option in syclc++, or "" if it is the same as in the rules.
func command(f icpxflags.Flag) string {
	if f.Sets != "" && f.Destination != icpxflags.Both {
		return string(f.Sets)
	}
	if f.Equivalent != nil {
		return "as " + code(f.Equivalent)
	}
	return strings.ReplaceAll(f.Command, "{}", "X")
}

func code(words []string) string {
	return "`" + strings.ReplaceAll(strings.Join(words, " "), "{}", "X") + "`"
}
