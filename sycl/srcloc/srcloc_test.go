package srcloc

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

func TestWorkspacePath(t *testing.T) {
	for file, want := range map[string]string{
		"src/a.cpp":     "src/a.cpp",
		"./src/a.cpp":   "src/a.cpp",
		`src\win\a.cpp`: "src/win/a.cpp",
		"/home/u/.cache/bazel/1/execroot/_main/src/a.cpp":                            "src/a.cpp",
		"/c/1/sandbox/processwrapper-sandbox/7/execroot/_main/src/../a.cpp":          "a.cpp",
		"/execroot/outer/execroot/_main/a.cpp":                                       "a.cpp",
		"/proc/self/cwd/src/a.cpp":                                                   "src/a.cpp",
		"bazel-out/k8-fastbuild/bin/gen/a.hpp":                                       "gen/a.hpp",
		"./bazel-out/k8-opt/genfiles/a.hpp":                                          "a.hpp",
		"bazel-out/k8-fastbuild/bin/external/lib+/a.hpp":                             "",
		"bazel-out/k8-fastbuild/bin/x/_virtual_includes/y/a.hpp":                     "",
		"bazel-out/k8-fastbuild/bin":                                                 "",
		"bazel-out":                                                                  "",
		"external/lib+/a.hpp":                                                        "",
		"./external/lib+/a.hpp":                                                      "",
		"/home/u/.cache/bazel/1/external/lib+/a.hpp":                                 "",
		"/home/u/.cache/bazel/1/execroot/_main/external/lib+/a.hpp":                  "",
		"/home/u/.cache/bazel/1/execroot/_main/bazel-out/k8-fastbuild/bin/gen/a.hpp": "gen/a.hpp",
		"/home/u/.cache/bazel/1/execroot/_main":                                      "",
		"external.cpp":                                                               "external.cpp",
		"/usr/include/a.h":                                                           "",
		"../a.h":                                                                     "",
		"..":                                                                         "",
		"src/../../a.h":                                                              "",
		"bazel-out/k8/bin/../../../../a.h":                                           "",
		"bazel-out/k8/bin//etc/passwd":                                               "etc/passwd",
		"c:/a.cpp":                                                                   "",
		"src/a:b<c>.cpp":                                                             "src/a:b<c>.cpp",
		"<built-in>":                                                                 "",
		"<stdin>":                                                                    "",
		"":                                                                           "",
		"a\nb.cpp":                                                                   "",
		"a\x00b.cpp":                                                                 "",
		"a\x1b[31m.cpp":                                                              "",
		"a\xff.cpp":                                                                  "",
		"with space/ä.cpp":                                                           "with space/ä.cpp",
		strings.Repeat("a/", 1<<19) + "a.cpp":                                        "",
	} {
		got, ok := WorkspacePath(file)
		if got != want || ok != (want != "") {
			t.Errorf("%.80q is %q, want %q", file, got, want)
		}
	}
}

func TestBelow(t *testing.T) {
	dirs := []string{"/home/u/p", "/", "", `C:\work`, "/home/u/"}
	for file, want := range map[string]string{
		"/home/u/p/src/a.cpp":     "src/a.cpp",
		"/home/u/p//src/./a.cpp":  "src/a.cpp",
		"/home/u/p/x/../a.cpp":    "a.cpp",
		"/home/u/p/../q/a.cpp":    "q/a.cpp", // below the last directory
		"/home/u/p/../../v/a.cpp": "/home/u/p/../../v/a.cpp",
		"/home/u/pq/a.cpp":        "pq/a.cpp",
		"/home/v/a.cpp":           "/home/v/a.cpp",
		"/usr/include/a.h":        "/usr/include/a.h",
		`C:\work\src\a.cpp`:       "src/a.cpp",
		"src/a.cpp":               "src/a.cpp",
		"":                        "",
	} {
		if got := RelativeTo(file, dirs); got != want {
			t.Errorf("%q is %q, want %q", file, got, want)
		}
	}
}

func TestHostileSets(t *testing.T) {
	for name, text := range map[string]string{
		"empty":                                "",
		"an unterminated location":             "11:0:a.cpp",
		"a path out of the workspace":          "11:0:../a.cpp\n",
		"an absolute path":                     "11:0:/etc/passwd\n",
		"a missing line":                       "0:0:a.cpp\n",
		"a line that is too large":             "4294967296:0:a.cpp\n",
		"a missing column":                     "11:a.cpp\n",
		"a control character":                  "11:0:a\x1b.cpp\n",
		"an unknown aspect":                    "11:0:a.cpp\nfp63\t1:1:a.cpp\t\n",
		"too few fields":                       "11:0:a.cpp\nfp64\t1:1:a.cpp\n",
		"too many fields":                      "11:0:a.cpp\nfp64\t1:1:a.cpp\tf\tg\n",
		"a function with invisible characters": "11:0:a.cpp\nfp64\t1:1:a.cpp\t\x1b[2J\n",
		"an excessively long name":             "11:0:a.cpp\nfp64\t1:1:a.cpp\t" + strings.Repeat("f", 1<<20) + "\n",
		"many origins":                         "11:0:a.cpp\n" + strings.Repeat("fp64\t1:1:a.cpp\t\n", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			r := new(propset.Registry)
			r.Add(Set).Put("K", propset.String(text))
			if got, ok := ReadKernel(r, "K"); ok {
				t.Errorf("accepted as %+v", got)
			}
		})
	}
	r := new(propset.Registry)
	r.Add(Set).Put("K", propset.Uint(1))
	if _, ok := ReadKernel(r, "K"); ok {
		t.Error("a number is accepted as locations")
	}
}

// TestMerge checks that added locations take precedence.
func TestMerge(t *testing.T) {
	registry := func(properties map[string]string) *propset.Registry {
		r := new(propset.Registry)
		for _, key := range slices.Sorted(maps.Keys(properties)) {
			r.Add(Set).Put(key, propset.String(properties[key]))
		}
		return r
	}
	own := registry(map[string]string{
		"here":    "3:0:a.cpp\nfp64\t4:1:a.cpp\t\n",
		"partly":  "\nfp64\t\t_Z4farv\natomic64\t\t_Z3addv\n",
		"unasked": "9:0:z.cpp\n",
	})
	Merge(own, registry(map[string]string{
		"here":   "7:0:b.cpp\nfp16\t8:1:b.cpp\t\nfp64\t\t_Z3farv\n",
		"partly": "5:0:b.cpp\nfp64\t6:2:b.cpp\t\n",
		"new":    "1:0:c.cpp\n",
		"broken": "no place",
	}))
	want := registry(map[string]string{
		"here":    "7:0:b.cpp\nfp16\t8:1:b.cpp\t\nfp64\t4:1:a.cpp\t\n",
		"partly":  "5:0:b.cpp\nfp64\t6:2:b.cpp\t\natomic64\t\t_Z3addv\n",
		"unasked": "9:0:z.cpp\n",
		"new":     "1:0:c.cpp\n",
	})
	if !own.Equal(want) {
		t.Errorf("got\n%s\nwant\n%s", own, want)
	}
}

// FuzzReadKernel checks that locations from a property can be written and read again, and only have
// paths in the workspace.
func FuzzReadKernel(f *testing.F) {
	f.Add("11:0:a.cpp\nfp64\t7:19:src/math.hpp\t_Z6squared\n")
	f.Add("\nfp16\t\t_Z4farv\n12345\t1:1:b.cpp\t\n")
	f.Add("1:1:a.cpp\n12345\t1:1:b.cpp\t\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := new(propset.Registry)
		r.Add(Set).Put("K", propset.String(text))
		k, ok := ReadKernel(r, "K")
		if !ok {
			return
		}
		for _, o := range append(k.Origins, Origin{Location: k.Location}) {
			if clean, ok := WorkspacePath(o.Location.Path); !o.Location.IsZero() && (!ok || clean != o.Location.Path || o.Location.Line == 0) {
				t.Fatalf("invalid location %+v", o.Location)
			}
		}
		again := new(propset.Registry)
		Merge(again, r)
		if got, _ := ReadKernel(again, "K"); got.Location != k.Location || len(k.Origins) > 0 && len(got.Origins) == 0 {
			t.Fatalf("%+v is read as %+v", k, got)
		}
	})
}
