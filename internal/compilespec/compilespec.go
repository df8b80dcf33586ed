// Package compilespec specifies how two compilers compile a SYCL source for the host and for
// devices. It contains two tables. [Rules] lists the options of gcc and clang with the build steps
// that receive them, and [Adds] lists the options that rules_sycl adds. Command syclc++ reads the
// tables, and the Bazel rules load Starlark that is generated from them.
//
// Options that only DPC++'s drivers support are in package icpxflags. An option that is in neither
// table is passed to the host compile.
package compilespec

import (
	"slices"
	"strings"
)

// A Form specifies where the value of an option is.
type Form uint8

const (
	Exact    Form = iota // no value
	Joined               // directly after the name, possibly empty
	Separate             // in the next argument
	Either               // directly after the name or, if nothing follows it, in the next argument
	Equals               // after = or in the next argument
)

// A Step is a set of build steps.
type Step uint8

const (
	Host   Step = 1 << iota // the compile for the host
	Device                  // the compile for devices
	Link                    // the link
	Placed                  // the link, at the position of the option among the files
)

// A Reading specifies how an option is interpreted. Readings other than Copy and those that
// [Rule.DeviceWords] translates are actions of a command line, which the Bazel rules do not
// support.
type Reading uint8

const (
	Copy         Reading = iota // pass it unchanged to its steps
	Standard                    // -std=: a language standard; the device compile supports C++ standards
	Warning                     // -W: a warning
	Optimization                // -O: an optimization level
	Debug                       // -g: debug information
	Feature                     // -f: the device compile supports it if [DeviceFeatures] lists it
	Sysroot                     // --sysroot: in one word
	Preprocessor                // an option for gcc's preprocessor
	Depfile                     // an option about dependency files, or -MJ
	Mode                        // the kind of output
	Query                       // a query that the host compiler answers
	Language                    // -x: the language of the files that follow
	Reject                      // an unsupported option
	Set                         // an option of the command itself
	Output                      // the output file
	Location                    // the location of a part of syclc++ or DPC++
)

// A Rule is the treatment of an option of gcc and clang.
type Rule struct {
	Name    string
	Form    Form
	To      Step // the steps that receive the option; for the device compile, see DeviceWords
	Reading Reading
}

// Find returns the rule with the longest name that matches an argument, or nil.
func Find(arg string) *Rule {
	for i := range table {
		r := &table[i]
		rest, ok := strings.CutPrefix(arg, r.Name)
		switch {
		case !ok:
		case rest == "", r.Form == Joined, r.Form == Either, r.Form == Equals && rest[0] == '=':
			return r
		}
	}
	return nil
}

// Rules returns all rules, sorted by descending length of names.
func Rules() []Rule { return slices.Clone(table) }

// Value returns the value of an argument that the rule matches, and reports whether the value is in
// the next argument.
func (r *Rule) Value(arg string) (value string, next bool) {
	value = arg[len(r.Name):]
	if value == "" {
		return "", r.Form == Separate || r.Form == Either || r.Form == Equals
	}
	if r.Form == Equals {
		value = value[1:]
	}
	return value, false
}

// DeviceWords returns the words that the device compile gets for an option: unchanged words,
// equivalent words, or none.
func (r *Rule) DeviceWords(words []string, value string) []string {
	if r.To&Device == 0 {
		return nil
	}
	switch r.Reading {
	case Standard:
		if !strings.Contains(value, "++") {
			return nil
		}
	case Optimization:
		switch value {
		case "":
			return []string{"-O1"}
		case "fast": // clang warns about -Ofast
			return []string{"-O3", "-ffast-math"}
		case "0", "1", "2", "3", "s", "z", "g":
		default:
			return []string{"-O3"}
		}
	case Debug:
		switch {
		case value == "0" || value == "gdb0":
			return []string{"-g0"}
		case strings.HasPrefix(value, "dwarf-") && len(value) == len("dwarf-5"):
		case slices.Contains(debugLevels, value), strings.HasPrefix(value, "gdb"), strings.HasPrefix(value, "stabs"):
			return []string{"-g"}
		default:
			return nil
		}
	case Feature:
		if !isDeviceFeature(words[0]) {
			return nil
		}
	case Sysroot:
		return []string{r.Name + "=" + value}
	}
	return words
}

// debugLevels are the values of -g that enable debug information, except for the families gdb,
// stabs and dwarf-N.
var debugLevels = []string{"", "1", "2", "3", "full", "mlt", "line-tables-only", "dwarf"}

// isDeviceFeature reports whether the device compile supports an option -fX or -fno-X.
func isDeviceFeature(arg string) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(arg, "-f"), "no-")
	if at := strings.IndexByte(name, '='); at >= 0 {
		name = name[:at+1]
	}
	if _, found := slices.BinarySearch(deviceFeatures, name); found {
		return true
	}
	return slices.ContainsFunc(featureFamilies, func(prefix string) bool { return strings.HasPrefix(arg, prefix) })
}

// DeviceFeatures returns the names X of the options -fX and -fno-X that the device compile
// supports, sorted. A name that ends in "=" is followed by a value.
func DeviceFeatures() []string { return slices.Clone(deviceFeatures) }

// DebugLevels returns the values of -g that enable debug information, except for the families gdb,
// stabs and dwarf-N.
func DebugLevels() []string { return slices.Clone(debugLevels) }

// FeatureFamilies returns the prefixes of further options that the device compile supports.
func FeatureFamilies() []string { return slices.Clone(featureFamilies) }
