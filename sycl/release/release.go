// Package release describes the releases of DPC++'s runtime, libsycl, which loads the files that
// this project writes. Releases differ in the container that they read and in the meaning of aspect
// numbers:
//
//	release                    2025.3   2026.0   2026.2
//	container of a SYCLBIN     1        1        1 or 2
//	kind of image in it        6        7        7
//	numbers of aspects         old      new      new, ten more
//	descriptor in programs     2        3        3
//
// 2026.1 is the same as 2026.0. The aspect numbers come from sycl/info/aspects.def in the headers
// of each release. The other rows were tested with the libsycl of each release.
//
// This project uses the values of package aspect internally. Numbers are converted to them when a
// file is read, and back when it is written: [Release.Read] and [Release.Write] convert the
// property sets of a device image.
package release

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// A Release is a release of DPC++'s runtime.
type Release struct {
	Name string // such as 2026.2

	// Container is the version of the OffloadBinary container in which the runtime reads SYCLBINs, and
	// ImageKind is the image kind in it.
	Container uint32
	ImageKind offload.ImageKind

	// Descriptor is the version of the descriptors that host programs register their device images
	// with.
	Descriptor uint16

	old  bool   // uses the aspect numbers from before 2026
	last uint32 // the greatest aspect number
}

var releases = []*Release{
	{Name: "2025.3", Container: 1, ImageKind: offload.KindSPIRV, Descriptor: 2, old: true, last: 90},
	{Name: "2026.0", Container: 1, ImageKind: offload.KindSYCLBIN, Descriptor: 3, last: 89},
	{Name: "2026.2", Container: 2, ImageKind: offload.KindSYCLBIN, Descriptor: 3, last: 99},
}

// All returns the known releases, the oldest first.
func All() []*Release { return slices.Clone(releases) }

// Default returns the release that files are written for by default. Every 2026 runtime loads such
// files.
func Default() *Release { return releases[1] }

// Newest returns the newest release, whose numbers are the values of [aspect.Aspect].
func Newest() *Release { return releases[len(releases)-1] }

// Before2026 returns the newest release with the old aspect numbers.
func Before2026() *Release { return releases[0] }

// Names lists the names of the known releases for a message.
func Names() string {
	var names []string
	for _, r := range releases {
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}

// Parse returns the release for a name such as 2026.2, or for a version of DPC++'s runtime that
// reads the same files, such as 2026.2.0.
func Parse(name string) (*Release, error) {
	for _, r := range releases {
		if name == r.Name || strings.HasPrefix(name, r.Name+".") {
			return r, nil
		}
	}
	if name == "2026.1" || strings.HasPrefix(name, "2026.1.") {
		return Default(), nil
	}
	return nil, fmt.Errorf("unknown runtime release %q; expected one of %s", name, Names())
}

func (r *Release) String() string { return r.Name }

// RejectReason returns the runtime's error message for a SYCLBIN with the given version, container
// version and image kind, or "" if the runtime reads the file. A file without a container has
// container 0. No runtime supports version 2: it reads the first image, with the given size, as a
// file of version 1.
func (r *Release) RejectReason(version int, container uint32, kind offload.ImageKind, first int64) string {
	switch {
	case container == 0:
		return "Incorrect Offload Binary magic number."
	case container > r.Container:
		return "Unsupported Offload Binary version number."
	case version != 1 && first < headerSize:
		return "Unexpected file contents size."
	case version != 1:
		return "Incorrect SYCLBIN magic number."
	case kind != r.ImageKind:
		return "Unexpected image type."
	}
	return ""
}

// headerSize is the size of the header of a SYCLBIN of version 1.
const headerSize = 56

// Aspect returns the aspect that a number means in files for the release.
func (r *Release) Aspect(number uint32) aspect.Aspect {
	switch {
	case !r.old || number < firstRenumbered:
		return aspect.Aspect(number)
	case number < uint32(len(numbersBefore2026)):
		return numbersBefore2026[number]
	case number < uint32(aspect.Retired):
		return aspect.Retired + aspect.Aspect(number)
	}
	return aspect.Aspect(number)
}

// Number returns the number of an aspect in files for the release. If the release lacks a known
// aspect, it returns false. The number of an unknown aspect is unchanged.
func (r *Release) Number(a aspect.Aspect) (uint32, bool) {
	ofOld := a > aspect.Retired && a < 2*aspect.Retired // read from a number that only old releases have
	switch n, renumbered := before2026[a]; {
	case !r.old && ofOld:
		return 0, false
	case !r.old:
		return uint32(a), uint32(a) <= r.last || !a.IsKnown()
	case renumbered:
		return n, n <= r.last
	case ofOld:
		return uint32(a - aspect.Retired), true
	}
	return uint32(a), a < firstRenumbered || !a.IsKnown()
}

// Ambiguous reports whether an aspect was read from a number that has a different meaning in other
// releases.
func Ambiguous(a aspect.Aspect) bool { return a >= firstRenumbered }

// Read converts the release's numbers in the property sets of a device image to aspects. It
// returns r itself if nothing changes.
func (r *Release) Read(sets *propset.Registry) *propset.Registry {
	if !r.old {
		return sets
	}
	sets, _ = requirement.MapAspects(sets, func(n uint32) (uint32, error) { return uint32(r.Aspect(n)), nil })
	return sets
}

// An AspectError is returned if a release has no number for an aspect.
type AspectError struct {
	Release *Release
	Aspect  aspect.Aspect
}

func (e *AspectError) Error() string {
	return fmt.Sprintf("the runtime of release %s does not support aspect %v; use a newer release, or avoid features that need the aspect", e.Release, e.Aspect)
}

// BadInput marks errors caused by an input file.
func (*AspectError) BadInput() {}

// Write is the reverse of Read. Its errors are of type [*AspectError].
func (r *Release) Write(sets *propset.Registry) (*propset.Registry, error) {
	return requirement.MapAspects(sets, func(a uint32) (uint32, error) {
		n, ok := r.Number(aspect.Aspect(a))
		if !ok {
			return 0, &AspectError{r, aspect.Aspect(a)}
		}
		return n, nil
	})
}

// Set is the property set in which a file states the release that it was written for. It is not a
// DPC++ set, and DPC++'s runtime ignores it.
const Set = "rules_sycl/runtime"

const keyRelease = "release"

// Record stores the release in the global metadata of a file.
func (r *Release) Record(global *propset.Registry) {
	global.Add(Set).Put(keyRelease, propset.String(r.Name))
}

// Recorded returns the release in the global metadata of a file, or nil if there is none.
func Recorded(global *propset.Registry) (*Release, error) {
	v, ok := global.Set(Set).Get(keyRelease)
	if !ok {
		return nil, nil
	}
	name, ok := v.Text()
	if !ok {
		return nil, fmt.Errorf("[%s] %s: %v is not text", Set, keyRelease, v)
	}
	r, err := Parse(name)
	if err != nil {
		return nil, fmt.Errorf("[%s] %s: %w", Set, keyRelease, err)
	}
	return r, nil
}
