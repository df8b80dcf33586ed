package main

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
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
		Short: "compare the content of two SYCLBINs",
		Long: `
Compares the states, the kernels and, for each set of kernels, the property sets and the
images for each target. The layout of the files does not matter: versions, containers, the
order of modules and properties, and whether images of the same kernels share an abstract
module. Exits with 1 if the files differ.`,
		Example: "packager diff old.syclbin new.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(diff).setup(fs) },
	}
}

type diff struct {
	json    bool
	reading inputs.Reading
}

func (d *diff) setup(fs *flag.FlagSet) cli.Run {
	fs.BoolVar(&d.json, "json", false, "print the result and the differences as JSON")
	d.reading.Flags(fs)
	return d.run
}

type jsonDiff struct {
	A           string       `json:"a"`
	B           string       `json:"b"`
	Same        bool         `json:"same"`
	Differences []difference `json:"differences"`
}

// A difference is a difference between two files.
type difference struct {
	What    string   `json:"what"`             // state, kernel, property, image
	Kernels []string `json:"kernels"`          // affected kernels; empty if the difference concerns the whole file
	Target  string   `json:"target,omitempty"` // of the image
	Set     string   `json:"set,omitempty"`    // of the property
	Key     string   `json:"key,omitempty"`    // of the property
	A       *string  `json:"a"`                // null if missing in A
	B       *string  `json:"b"`                // null if missing in B
}

func (d difference) String() string {
	var b strings.Builder
	switch n := len(d.Kernels); {
	case n == 0:
	case n <= 3:
		fmt.Fprintf(&b, "%s: ", strings.Join(d.Kernels, ", "))
	default:
		fmt.Fprintf(&b, "%s and %s: ", strings.Join(d.Kernels[:2], ", "), safetext.Count(n-2, "other kernel"))
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
		return cli.Usagef("expected two files, got %d", len(args))
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
	globals := func(f *syclbin.File) *propset.Registry {
		r := f.Global.Clone()
		if s := r.Set(propset.SYCLBINGlobal); s != nil {
			s.Delete("state") // compared above
		}
		return r
	}
	c.registries(nil, globals(a), globals(b))

	groupsA, err := c.groups(a)
	if err != nil {
		return err
	}
	groupsB, err := c.groups(b)
	if err != nil {
		return err
	}
	c.kernels(kernels(groupsA), kernels(groupsB))
	return c.eachGroup(groupsA, groupsB)
}

// kernels reports the differences between two sorted lists of kernels.
func (c *comparison) kernels(a, b []string) {
	for _, k := range union(a, b) {
		if _, inB := slices.BinarySearch(b, k); !inB {
			c.add(difference{What: "kernel", A: &k})
		} else if _, inA := slices.BinarySearch(a, k); !inA {
			c.add(difference{What: "kernel", B: &k})
		}
	}
}

// eachGroup reports the differences between the property sets and images of groups.
func (c *comparison) eachGroup(groupsA, groupsB map[string]*group) error {
	for _, key := range union(slices.Collect(maps.Keys(groupsA)), slices.Collect(maps.Keys(groupsB))) {
		ga, gb := cmp.Or(groupsA[key], new(group)), cmp.Or(groupsB[key], new(group))
		kernels := cmp.Or(groupsA[key], gb).kernels
		if len(ga.metadata) > 0 && len(gb.metadata) > 0 {
			if err := c.properties(kernels, ga.metadata, gb.metadata); err != nil {
				return err
			}
		}
		if err := c.images(kernels, ga.images, gb.images); err != nil {
			return err
		}
	}
	return nil
}

// A group holds all modules with the same kernels or, for modules without kernels, with the
// same exported symbols.
type group struct {
	kernels  []string
	metadata map[string]*propset.Registry // property sets by their text
	images   map[string][]*syclbin.Image  // by kind and target
}

func (c *comparison) groups(f *syclbin.File) (map[string]*group, error) {
	list := make(map[string]*group)
	for _, m := range f.Modules {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		names := slices.Sorted(slices.Values(m.Kernels()))
		key := "kernels\n" + strings.Join(names, "\n")
		if len(names) == 0 {
			exports := slices.Sorted(slices.Values(m.Metadata.Set(propset.ExportedSymbols).Keys()))
			key = "symbols\n" + strings.Join(exports, "\n")
		}
		g := list[key]
		if g == nil {
			g = &group{kernels: names, metadata: make(map[string]*propset.Registry), images: make(map[string][]*syclbin.Image)}
			list[key] = g
		}
		// The compile target is compared with the image.
		metadata := requirement.WithCompileTarget(m.Metadata, "")
		text, err := metadata.SortedText()
		if err != nil {
			return nil, err
		}
		g.metadata[string(text)] = metadata
		for _, img := range m.Images() {
			target := img.Target() + ": " + img.Kind.String()
			g.images[target] = append(g.images[target], img)
		}
	}
	return list, nil
}

func kernels(list map[string]*group) []string {
	var names []string
	for _, g := range list {
		names = append(names, g.kernels...)
	}
	return union(names)
}

// properties reports the differences between two sets of property sets. It ignores property sets
// that are in both, and pairs the others in the order of their texts.
func (c *comparison) properties(kernels []string, a, b map[string]*propset.Registry) error {
	without := func(list, other map[string]*propset.Registry) (rest []*propset.Registry) {
		for _, text := range slices.Sorted(maps.Keys(list)) {
			if other[text] == nil {
				rest = append(rest, list[text])
			}
		}
		return rest
	}
	restA, restB := without(a, b), without(b, a)
	for i := range max(len(restA), len(restB)) {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		c.registries(kernels, nearest(restA, i), nearest(restB, i))
	}
	return nil
}

// nearest returns element i of a list, the last element if there is no element i, or empty property
// sets if the list is empty.
func nearest(list []*propset.Registry, i int) *propset.Registry {
	if len(list) == 0 {
		return new(propset.Registry)
	}
	return list[min(i, len(list)-1)]
}

func (c *comparison) registries(kernels []string, a, b *propset.Registry) {
	sets := make(map[string][2]*propset.Set)
	for side, r := range []*propset.Registry{a, b} {
		for _, s := range r.Sets() {
			both := sets[s.Name]
			both[side] = s
			sets[s.Name] = both
		}
	}
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		x, y := sets[set][0], sets[set][1]
		for _, key := range union(x.Keys(), y.Keys()) {
			x, inA := x.Get(key)
			y, inB := y.Get(key)
			if inA && inB && x == y {
				continue
			}
			c.add(difference{What: "property", Kernels: kernels, Set: set, Key: key, A: described(set, key, x, inA), B: described(set, key, y, inB)})
		}
	}
}

// described formats a value and its meaning. It returns nil if ok is false.
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

// images reports the differences between the images of the two files for each target. It pairs
// images with equal bytes first, and the others by size.
func (c *comparison) images(kernels []string, a, b map[string][]*syclbin.Image) error {
	for _, target := range union(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b))) {
		sizes := map[int64]int{}
		for _, img := range slices.Concat(a[target], b[target]) {
			sizes[img.Size()]++
		}
		la, err := c.contents(a[target], sizes)
		if err != nil {
			return err
		}
		lb, err := c.contents(b[target], sizes)
		if err != nil {
			return err
		}
		la, lb = unpaired(la, lb, content.compare, func(x, y content) {})
		la, lb = unpaired(la, lb, content.compareBytes, func(x, y content) { c.registries(kernels, x.img.Metadata, y.img.Metadata) })
		for i := range max(len(la), len(lb)) {
			d := difference{What: "image", Kernels: kernels, Target: target}
			switch {
			case i >= len(lb):
				d.A = size(la[i].img, "")
			case i >= len(la):
				d.B = size(lb[i].img, "")
			default:
				other := ""
				if la[i].img.Size() == lb[i].img.Size() {
					other = "different "
				}
				d.A, d.B = size(la[i].img, ""), size(lb[i].img, other)
			}
			c.add(d)
		}
	}
	return nil
}

// A content holds the properties of an image that are compared.
type content struct {
	img      *syclbin.Image
	digest   string // digest of the bytes, or "" if no other image has the same size
	metadata string
}

func (x content) compareBytes(y content) int {
	return cmp.Or(cmp.Compare(x.img.Size(), y.img.Size()), strings.Compare(x.digest, y.digest))
}

func (x content) compare(y content) int {
	return cmp.Or(x.compareBytes(y), strings.Compare(x.metadata, y.metadata))
}

// contents returns the properties of images that are compared, sorted. sizes is the number of
// images of each size in both files.
func (c *comparison) contents(images []*syclbin.Image, sizes map[int64]int) ([]content, error) {
	var list []content
	for _, img := range images {
		metadata, err := img.Metadata.SortedText()
		if err != nil {
			return nil, err
		}
		one := content{img: img, metadata: string(metadata)}
		if sizes[img.Size()] > 1 {
			if err := c.ctx.Err(); err != nil {
				return nil, err
			}
			digest, err := img.Digest()
			if err != nil {
				return nil, err
			}
			one.digest = string(digest[:])
		}
		list = append(list, one)
	}
	slices.SortFunc(list, content.compare)
	return list, nil
}

// unpaired removes pairs of equal elements from two sorted lists, calls paired for each, and
// returns the remaining elements.
func unpaired(a, b []content, compare func(x, y content) int, paired func(x, y content)) (restA, restB []content) {
	for len(a) > 0 && len(b) > 0 {
		switch n := compare(a[0], b[0]); {
		case n < 0:
			restA, a = append(restA, a[0]), a[1:]
		case n > 0:
			restB, b = append(restB, b[0]), b[1:]
		default:
			paired(a[0], b[0])
			a, b = a[1:], b[1:]
		}
	}
	return append(restA, a...), append(restB, b...)
}

func size(img *syclbin.Image, other string) *string {
	text := fmt.Sprintf("%d %sbytes", img.Size(), other)
	if f := img.Format(); f != offload.UnknownFormat {
		text += " of " + f.String()
	}
	return &text
}

// union returns the strings in lists, sorted and without duplicates.
func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}
