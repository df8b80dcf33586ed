package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/reading"
	"github.com/rules-sycl/rules_sycl/sycl/imageformat"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

func diffCommand() *cli.Command {
	return &cli.Command{
		Name:  "diff",
		Args:  "A B",
		Short: "what differs in meaning between two SYCLBINs",
		Long: `
Compares the state, the kernels, and for each set of kernels its property sets and
its images for each target. How a file is laid out does not matter: the version,
the container, the order of modules and of properties, and whether forms of the
same kernels share an abstract module. Exits with 1 when anything differs.`,
		Example: "packager diff old.syclbin new.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(diff).setup(fs) },
	}
}

type diff struct {
	json    bool
	reading reading.Options
}

func (d *diff) setup(fs *flag.FlagSet) cli.Run {
	fs.BoolVar(&d.json, "json", false, "print JSON: whether they are the same, and the differences")
	d.reading.Flags(fs)
	return d.run
}

type jsonDiff struct {
	A           string       `json:"a"`
	B           string       `json:"b"`
	Same        bool         `json:"same"`
	Differences []difference `json:"differences"`
}

// A difference is one thing that two files have in different ways, or that only
// one of them has.
type difference struct {
	What    string   `json:"what"`             // state, kernel, property, image
	Kernels []string `json:"kernels"`          // that share the thing; none for the file's own
	Target  string   `json:"target,omitempty"` // of an image
	Set     string   `json:"set,omitempty"`    // of a property
	Key     string   `json:"key,omitempty"`    // of a property
	A       *string  `json:"a"`                // null when A does not have it
	B       *string  `json:"b"`                // null when B does not have it
}

func (d difference) String() string {
	var b strings.Builder
	switch n := len(d.Kernels); {
	case n == 0:
	case n <= 3:
		fmt.Fprintf(&b, "%s: ", strings.Join(d.Kernels, ", "))
	default:
		fmt.Fprintf(&b, "%s and %s: ", strings.Join(d.Kernels[:2], ", "), plural(n-2, "other kernel"))
	}
	b.WriteString(d.What)
	switch d.What {
	case "property":
		fmt.Fprintf(&b, " [%s] %s", d.Set, d.Key)
	case "image":
		fmt.Fprintf(&b, " %s", d.Target)
	}
	switch {
	case d.A == nil:
		fmt.Fprintf(&b, ": only in B: %s", *d.B)
	case d.B == nil:
		fmt.Fprintf(&b, ": only in A: %s", *d.A)
	default:
		fmt.Fprintf(&b, ": %s in A, %s in B", *d.A, *d.B)
	}
	return b.String()
}

func (d *diff) run(ctx context.Context, env *cli.Env, args []string) error {
	if len(args) != 2 {
		return cli.Usagef("two files are needed, %d are given", len(args))
	}
	var files [2]*syclbin.File
	for i, name := range args {
		f, err := d.reading.Open(env, name)
		if err != nil {
			return err
		}
		defer f.Close()
		files[i] = f
	}
	c := comparison{ctx: ctx}
	if err := c.files(files[0], files[1]); err != nil {
		return err
	}
	out := bufio.NewWriter(env.Stdout)
	if d.json {
		if err := writeJSON(out, jsonDiff{args[0], args[1], len(c.list) == 0, append([]difference{}, c.list...)}); err != nil {
			return err
		}
	} else {
		for _, x := range c.list {
			fmt.Fprintln(out, safetext.Escape(safetext.Printable(x.String())))
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if len(c.list) > 0 {
		return cli.No(nil)
	}
	return nil
}

type comparison struct {
	ctx  context.Context
	list []difference
}

func (c *comparison) add(d difference) {
	if d.Kernels == nil {
		d.Kernels = []string{}
	}
	c.list = append(c.list, d)
}

func (c *comparison) files(a, b *syclbin.File) error {
	if a.State != b.State {
		x, y := a.State.String(), b.State.String()
		c.add(difference{What: "state", A: &x, B: &y})
	}
	globals := func(f *syclbin.File) []*propset.Registry {
		r := f.Global.Clone()
		if s := r.Set(propset.SYCLBINGlobal); s != nil {
			s.Delete("state") // compared above
		}
		return []*propset.Registry{r}
	}
	c.properties(nil, globals(a), globals(b))

	groupsA, groupsB := groups(a), groups(b)
	kernelsA, kernelsB := kernels(groupsA), kernels(groupsB)
	for _, k := range union(kernelsA, kernelsB) {
		inA, inB := member(kernelsA, k), member(kernelsB, k)
		text := k
		switch {
		case !inB:
			c.add(difference{What: "kernel", A: &text})
		case !inA:
			c.add(difference{What: "kernel", B: &text})
		}
	}
	keysA, keysB := sortedKeys(groupsA), sortedKeys(groupsB)
	for _, key := range union(keysA, keysB) {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		ga, gb := groupsA[key], groupsB[key]
		named := ga
		if ga == nil {
			named = gb
		}
		if ga == nil {
			ga = new(group)
		}
		if gb == nil {
			gb = new(group)
		}
		if len(ga.metadata) > 0 && len(gb.metadata) > 0 {
			c.properties(named.kernels, ga.metadata, gb.metadata)
		}
		if err := c.images(named.kernels, ga.images, gb.images); err != nil {
			return err
		}
	}
	return nil
}

// A group is all modules of the same kernels, or of the same exported symbols
// where there are no kernels.
type group struct {
	kernels  []string
	metadata []*propset.Registry         // distinct
	images   map[string][]*syclbin.Image // by kind and target
}

func groups(f *syclbin.File) map[string]*group {
	list := make(map[string]*group)
	for _, m := range f.Modules {
		names := slices.Sorted(slices.Values(m.Kernels()))
		key := "kernels\n" + strings.Join(names, "\n")
		if len(names) == 0 {
			var exports []string
			for _, p := range m.Metadata.Set(propset.ExportedSymbols).Properties() {
				exports = append(exports, p.Key)
			}
			slices.Sort(exports)
			key = "symbols\n" + strings.Join(exports, "\n")
		}
		g := list[key]
		if g == nil {
			g = &group{kernels: names, images: make(map[string][]*syclbin.Image)}
			list[key] = g
		}
		// What an image is compiled for is compared with the image.
		metadata := requirement.WithCompileTarget(m.Metadata, "")
		if !slices.ContainsFunc(g.metadata, metadata.Equal) {
			g.metadata = append(g.metadata, metadata)
		}
		for _, img := range m.Images() {
			target := img.Target() + ": " + img.Kind.String()
			g.images[target] = append(g.images[target], img)
		}
	}
	return list
}

func kernels(list map[string]*group) []string {
	var names []string
	for _, g := range list {
		names = append(names, g.kernels...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// properties compares property sets that are distinct on each side: those that
// both sides have are the same, others are paired in order.
func (c *comparison) properties(kernels []string, a, b []*propset.Registry) {
	without := func(list, other []*propset.Registry) []*propset.Registry {
		return slices.DeleteFunc(slices.Clone(list), func(r *propset.Registry) bool { return slices.ContainsFunc(other, r.Equal) })
	}
	a, b = without(a, b), without(b, a)
	for i := range max(len(a), len(b)) {
		x, y := new(propset.Registry), new(propset.Registry)
		switch {
		case i < len(a) && i < len(b):
			x, y = a[i], b[i]
		case i < len(a):
			x, y = a[i], nearest(b, y)
		default:
			x, y = nearest(a, x), b[i]
		}
		c.registries(kernels, x, y)
	}
}

// nearest returns the last of the list, or none if it is empty.
func nearest(list []*propset.Registry, none *propset.Registry) *propset.Registry {
	if len(list) == 0 {
		return none
	}
	return list[len(list)-1]
}

func (c *comparison) registries(kernels []string, a, b *propset.Registry) {
	var sets []string
	for _, r := range []*propset.Registry{a, b} {
		for _, s := range r.Sets() {
			sets = append(sets, s.Name)
		}
	}
	for _, set := range union(sets) {
		var keys []string
		for _, r := range []*propset.Registry{a, b} {
			for _, p := range r.Set(set).Properties() {
				keys = append(keys, p.Key)
			}
		}
		for _, key := range union(keys) {
			x, inA := a.Set(set).Get(key)
			y, inB := b.Set(set).Get(key)
			if inA && inB && x.Equal(y) {
				continue
			}
			c.add(difference{What: "property", Kernels: kernels, Set: set, Key: key, A: described(set, key, x, inA), B: described(set, key, y, inB)})
		}
	}
}

// described returns a value with its meaning, nil when there is none.
func described(set, key string, v propset.Value, ok bool) *string {
	if !ok {
		return nil
	}
	t, err := describer(release.Newest()).Describe(set, key, v)
	text := t.Text
	switch {
	case err != nil:
		text = v.String()
	case text == "":
		text = "nothing"
	}
	return &text
}

// images compares the images of both sides for each target, in order.
func (c *comparison) images(kernels []string, a, b map[string][]*syclbin.Image) error {
	for _, target := range union(sortedKeys(a), sortedKeys(b)) {
		la, lb := a[target], b[target]
		for i := range max(len(la), len(lb)) {
			d := difference{What: "image", Kernels: kernels, Target: target}
			switch {
			case i >= len(lb):
				d.A = size(la[i], "")
			case i >= len(la):
				d.B = size(lb[i], "")
			default:
				same, err := equalImages(la[i], lb[i])
				if err != nil {
					return err
				}
				if same {
					c.registries(kernels, la[i].Metadata, lb[i].Metadata)
					continue
				}
				other := ""
				if la[i].Size() == lb[i].Size() {
					other = "other "
				}
				d.A, d.B = size(la[i], ""), size(lb[i], other)
			}
			c.add(d)
		}
	}
	return nil
}

func size(img *syclbin.Image, other string) *string {
	text := fmt.Sprintf("%d %sbytes", img.Size(), other)
	if f := img.Format(); f != imageformat.Unknown {
		text += " of " + f.String()
	}
	return &text
}

// equalImages compares bytes without holding either image in memory.
func equalImages(a, b *syclbin.Image) (bool, error) {
	if a.Size() != b.Size() {
		return false, nil
	}
	var x, y [64 << 10]byte
	for offset := int64(0); offset < a.Size(); offset += int64(len(x)) {
		n := min(int64(len(x)), a.Size()-offset)
		for _, r := range []struct {
			img *syclbin.Image
			buf []byte
		}{{a, x[:n]}, {b, y[:n]}} {
			if m, err := r.img.ReadAt(r.buf, offset); m < len(r.buf) {
				if err == io.EOF {
					err = io.ErrUnexpectedEOF
				}
				return false, err
			}
		}
		if !bytes.Equal(x[:n], y[:n]) {
			return false, nil
		}
	}
	return true, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// union returns the distinct strings of lists, sorted.
func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// member reports whether a sorted list has s.
func member(sorted []string, s string) bool {
	_, ok := slices.BinarySearch(sorted, s)
	return ok
}
