package syclbin

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
)

// Options configure how a file is written. The zero value selects the form that every runtime of
// 2026 loads: version 1 in a container of version 1.
type Options struct {
	// Release is the runtime release that will load the file. It determines the container and the
	// aspect numbers. nil means [release.Default].
	Release *release.Release

	// Unrecorded omits the release from the file's global metadata.
	Unrecorded bool

	Version int  // 1 or 2; 0 is 1
	Bare    bool // without a container, allowed for version 1; no runtime loads it

	// Container is the version of the container: 1, 2 or 3, or 0 for the version that the release
	// reads. Version 2 of the file requires 2.
	Container   uint32
	Compression offload.Compression // with Container 3 only

	// ImageKind is the image kind that the container states, or 0 for the kind that the release
	// reads.
	ImageKind offload.ImageKind

	// KeepOrder preserves the order of property sets and keys instead of sorting them.
	KeepOrder bool
}

// Write writes the file. It keeps the order of modules and images, and sorts sets and keys. The
// state of the file replaces the state in the global metadata unless it is NoState. Images are read
// while they are copied.
func Write(w io.Writer, f *File, o Options) error {
	if err := o.complete(); err != nil {
		return err
	}
	global := o.global(f)
	modules, err := numbered(f.Modules, o.Release)
	if err != nil {
		return err
	}
	t := texts{keepOrder: o.KeepOrder}
	c := offload.Options{Version: o.Container, Compression: o.Compression}
	if o.Version == 2 {
		images, err := t.version2(global, modules)
		if err != nil {
			return err
		}
		return offload.Write(w, images, c)
	}
	file, err := t.version1(global, modules)
	if err != nil {
		return err
	}
	if o.Bare {
		_, err := file.CopyTo(w, make([]byte, 128<<10))
		return err
	}
	return offload.Write(w, []offload.Image{{ImageKind: o.ImageKind, OffloadKind: offload.SYCL, Content: file}}, c)
}

// complete sets the options that depend on the version and the release, and rejects conflicting
// options.
func (o *Options) complete() error {
	if o.Version == 0 {
		o.Version = 1
	}
	if o.Release == nil {
		o.Release = release.Default()
	}
	switch {
	case o.Bare || o.Container != 0:
	case o.Version == 2:
		o.Container = 2
	default:
		o.Container = o.Release.Container
	}
	switch {
	case o.ImageKind != 0:
	case o.Version == 2:
		o.ImageKind = offload.KindSYCLBIN
	default:
		o.ImageKind = o.Release.ImageKind
	}
	switch {
	case o.Version != 1 && o.Version != 2:
		return fmt.Errorf("syclbin: cannot write version %d; expected 1 or 2", o.Version)
	case o.Bare && o.Container != 0:
		return errors.New("syclbin: a bare file cannot have a container")
	case o.Version == 2 && (o.Container != 2 || o.ImageKind != offload.KindSYCLBIN):
		return fmt.Errorf("syclbin: version 2 is a container of version 2 with images of kind %d", offload.KindSYCLBIN)
	}
	return nil
}

// global returns the metadata to write for the file.
func (o *Options) global(f *File) *propset.Registry {
	global := new(propset.Registry)
	if f.Global != nil {
		global = f.Global.Clone()
	}
	if f.State != NoState {
		global.Add(propset.SYCLBINGlobal).Put(keyState, propset.Uint(uint32(f.State)))
	}
	global.Delete(release.Set)
	if !o.Unrecorded {
		o.Release.Record(global)
	}
	return global
}

// numbered returns the modules with the release's aspect numbers.
func numbered(modules []*Module, r *release.Release) ([]*Module, error) {
	list := slices.Clone(modules)
	for i, m := range modules {
		if m.Metadata == nil {
			continue
		}
		metadata, err := r.Write(m.Metadata)
		if err != nil {
			return nil, fmt.Errorf("syclbin: abstract module %d: %w", i, err)
		}
		c := *m
		c.Metadata = metadata
		list[i] = &c
	}
	return list, nil
}

// texts converts metadata to text.
type texts struct{ keepOrder bool }

func (t texts) marshal(r *propset.Registry) ([]byte, error) {
	switch {
	case r == nil:
		return nil, nil
	case t.keepOrder:
		return r.MarshalText()
	}
	return r.SortedText()
}

// version1 lays out a version 1 file.
func (t texts) version1(global *propset.Registry, modules []*Module) (*sequence, error) {
	var ir, native []*Image
	for _, m := range modules {
		ir = append(ir, m.IR...)
		native = append(native, m.Native...)
	}
	if len(modules) > math.MaxUint32 || len(ir) > math.MaxUint32 || len(native) > math.MaxUint32 {
		return nil, errors.New("syclbin: too many modules or images for version 1")
	}

	images := append(ir, native...)
	texts, err := t.version1Texts(global, modules, images, len(ir))
	if err != nil {
		return nil, err
	}

	headers, binarySize, err := version1Headers(modules, images, texts, len(ir))
	if err != nil {
		return nil, err
	}
	size := 0 // of the texts
	for _, text := range texts {
		size += len(text)
	}
	le := binary.LittleEndian
	head := append(make([]byte, 0, fileHeaderSize+len(headers)+size+8), magic...)
	for _, n := range []int{1, len(modules), len(ir), len(native), 0} {
		head = le.AppendUint32(head, uint32(n))
	}
	head = le.AppendUint64(head, uint64(size))
	head = le.AppendUint64(head, uint64(binarySize))
	head = append(head, headers...)
	for _, text := range texts {
		head = append(head, text...)
	}
	head = pad(head)

	var file sequence
	file.add(head)
	for _, img := range images {
		file.addSource(img.Source)
	}
	file.add(pad(nil, binarySize))
	return &file, nil
}

// version1Headers returns the location of the file's property sets, the headers of modules and
// images, and the total size of the images. The texts come from version1Texts.
func version1Headers(modules []*Module, images []*Image, texts [][]byte, ir int) (headers []byte, binarySize int64, err error) {
	le := binary.LittleEndian
	at := 0
	put := func(text []byte) {
		headers = le.AppendUint64(headers, uint64(at))
		headers = le.AppendUint64(headers, uint64(len(text)))
		at += len(text)
	}
	put(texts[0])
	firstIR, firstNative := 0, 0
	for i, m := range modules {
		put(texts[1+i])
		for _, n := range []int{len(m.IR), firstIR, len(m.Native), firstNative} {
			headers = le.AppendUint32(headers, uint32(n))
		}
		firstIR += len(m.IR)
		firstNative += len(m.Native)
	}
	for i, img := range images {
		i += 1 + len(modules)
		put(texts[i])
		headers = le.AppendUint64(headers, uint64(binarySize))
		headers = le.AppendUint64(headers, uint64(img.Size()))
		if binarySize += img.Size(); img.Size() < 0 || binarySize < 0 || binarySize > math.MaxInt64/2 {
			return nil, 0, fmt.Errorf("syclbin: %s is too large", partName(i, len(modules), ir))
		}
	}
	return headers, binarySize, nil
}

// version1Texts returns the texts of the property sets of the file, of its modules and of its
// images.
func (t texts) version1Texts(global *propset.Registry, modules []*Module, images []*Image, ir int) ([][]byte, error) {
	registries := append(make([]*propset.Registry, 0, 1+len(modules)+len(images)), global)
	for _, m := range modules {
		registries = append(registries, m.Metadata)
	}
	for _, img := range images {
		registries = append(registries, img.Metadata)
	}
	list := make([][]byte, len(registries))
	for i, r := range registries {
		var err error
		if list[i], err = t.marshal(r); err != nil {
			return nil, fmt.Errorf("syclbin: metadata of %s: %w", partName(i, len(modules), ir), err)
		}
	}
	return list, nil
}

// partName returns the name of the part that owns the property sets with index i, for errors.
func partName(i, modules, ir int) string {
	switch i -= 1 + modules; {
	case i == -1-modules:
		return "the file"
	case i < 0:
		return fmt.Sprintf("abstract module %d", i+modules)
	case i < ir:
		return fmt.Sprintf("IR module %d", i)
	}
	return fmt.Sprintf("native image %d", i-ir)
}

// pad appends zeros to b until its length plus the lengths in before is a multiple of 8.
func pad(b []byte, before ...int64) []byte {
	n := int64(len(b))
	for _, m := range before {
		n += m
	}
	return append(b, make([]byte, -n&7)...)
}

// version2 lays out the entries of a version 2 file.
func (t texts) version2(global *propset.Registry, modules []*Module) ([]offload.Image, error) {
	var images []offload.Image
	add := func(role string, content offload.Source, own ...offload.String) {
		images = append(images, offload.Image{
			ImageKind: offload.KindSYCLBIN, OffloadKind: offload.SYCL, Content: content,
			Strings: append([]offload.String{{Key: stringFormat, Value: "2"}, {Key: stringRole, Value: role}}, own...),
		})
	}
	text, err := t.marshal(global)
	if err != nil {
		return nil, fmt.Errorf("syclbin: metadata of the file: %w", err)
	}
	add(roleGlobal, strings.NewReader(string(text)))
	for i, m := range modules {
		index := offload.String{Key: stringIndex, Value: strconv.Itoa(i)}
		text, err := t.marshal(m.Metadata)
		if err != nil {
			return nil, fmt.Errorf("syclbin: metadata of abstract module %d: %w", i, err)
		}
		add(roleModule, strings.NewReader(string(text)), index)
		for j, img := range m.Images() {
			text, err := t.marshal(img.Metadata)
			if err != nil {
				return nil, fmt.Errorf("syclbin: metadata of image %d of abstract module %d: %w", j, i, err)
			}
			var content sequence
			content.add(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...))
			content.addSource(img.Source)
			triple := offload.String{Key: stringTriple, Value: img.Triple()}
			if img.Kind == NativeImage {
				add(roleNative, &content, index, offload.String{Key: stringArch, Value: img.Arch()}, triple)
				continue
			}
			typ, _ := img.Type()
			add(roleIR, &content, index, offload.String{Key: stringIRType, Value: strconv.FormatUint(uint64(typ), 10)}, triple)
		}
	}
	return images, nil
}

// A sequence is a concatenation of sources.
type sequence struct {
	parts []offload.Source
	ends  []int64 // of each part
}

func (s *sequence) add(b []byte) { s.addSource(strings.NewReader(string(b))) }

func (s *sequence) addSource(p offload.Source) {
	s.ends = append(s.ends, s.Size()+p.Size())
	s.parts = append(s.parts, p)
}

func (s *sequence) Size() int64 {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

func (s *sequence) ReadAt(b []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, fmt.Errorf("negative offset %d", offset)
	}
	for i := sort.Search(len(s.ends), func(i int) bool { return s.ends[i] > offset }); i < len(s.parts) && n < len(b); i++ {
		size := s.parts[i].Size()
		inside := offset + int64(n) - (s.ends[i] - size)
		want := min(int64(len(b)-n), size-inside)
		got, err := s.parts[i].ReadAt(b[n:n+int(want)], inside)
		n += got
		if int64(got) < want {
			if err == io.EOF {
				err = fmt.Errorf("an image ended after %d of its %d bytes", inside+int64(got), size)
			}
			return n, err
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// CopyTo implements [offload.Copier]. It calls CopyTo of the parts that are Copiers, and reads
// consecutive other parts together.
func (s *sequence) CopyTo(w io.Writer, buf []byte) (total int64, err error) {
	read := func(end int64) error {
		n, err := io.CopyBuffer(struct{ io.Writer }{w}, io.NewSectionReader(s, total, end-total), buf)
		total += n
		return err
	}
	for i, part := range s.parts {
		c, ok := part.(offload.Copier)
		if !ok {
			continue
		}
		if err := read(s.ends[i] - part.Size()); err != nil {
			return total, err
		}
		n, err := c.CopyTo(w, buf)
		if total += n; err != nil {
			return total, err
		}
		if n != part.Size() {
			return total, fmt.Errorf("an image ended after %d of its %d bytes", n, part.Size())
		}
	}
	return total, read(s.Size())
}
