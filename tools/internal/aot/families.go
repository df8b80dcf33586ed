package aot

import (
	"bytes"
	"context"
	"debug/elf"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Sharing states whether the devices of a GPU family share compilations.
type Sharing string

const (
	// ShareFamilies compiles a module for one device of a family. The images of the other
	// devices are copies with their own compatibility note.
	ShareFamilies Sharing = "families"
	// ShareNothing compiles every module for each device.
	ShareNothing Sharing = "off"
	// VerifyFamilies compiles every module for each device, and fails if an image differs from
	// the copy that ShareFamilies writes.
	VerifyFamilies Sharing = "verify"
)

// familiesTable lists the families. .ci/measure-families writes it.
//
//go:embed families.tsv
var familiesTable string

// A member is a device of a family, with its values in the compatibility note of an image.
type member struct {
	family string
	device string
	note   [len(noteTypes)]uint32
}

// noteTypes are the types of the entries in .note.intelgt.compat that differ between the
// devices of a family: product family, core, target metadata and product configuration.
var noteTypes = [...]uint32{1, 2, 3, 6}

const productFamily = 1

// families holds the measured families.
type families struct {
	ocloc, igc string   // releases that they were measured with
	options    []string // compiler options that they were measured with
	members    map[string]member
}

var measured = mustParseFamilies(familiesTable)

func mustParseFamilies(text string) *families {
	f, err := parseFamilies(text)
	if err != nil {
		panic("families.tsv: " + err.Error())
	}
	return f
}

// parseFamilies parses a table: lines "# ocloc RELEASE", "# igc RELEASE" and "# option OPTION",
// then one line for each device with family, device and the four values of its note.
func parseFamilies(text string) (*families, error) {
	f := &families{members: map[string]member{}}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			key, value, _ := strings.Cut(comment, " ")
			switch key {
			case "ocloc":
				f.ocloc = value
			case "igc":
				f.igc = value
			case "option":
				f.options = append(f.options, value)
			}
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 2+len(noteTypes) {
			return nil, fmt.Errorf("line %d: expected %d fields, got %d", number, 2+len(noteTypes), len(fields))
		}
		m := member{family: fields[0], device: fields[1]}
		for i := range m.note {
			value, err := strconv.ParseUint(fields[2+i], 16, 32)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			m.note[i] = uint32(value)
		}
		if _, ok := f.members[m.device]; ok {
			return nil, fmt.Errorf("line %d: duplicate device %q", number, m.device)
		}
		f.members[m.device] = m
	}
	if f.ocloc == "" || f.igc == "" {
		return nil, errors.New("a release is missing: expected lines \"# ocloc RELEASE\" and \"# igc RELEASE\"")
	}
	return f, nil
}

// Families maps ocloc's names of devices to their families. It omits devices without a family.
func Families() map[string]string {
	families := map[string]string{}
	for device, m := range measured.members {
		families[device] = m.family
	}
	return families
}

// familyOf returns the family of a device, or "" if it has none.
func (f *families) familyOf(device string) string { return f.members[device].family }

// apply reports whether the families are valid for the compiler and its options, or why they are
// not.
func (f *families) apply(ctx context.Context, o *Options) (ok bool, why string) {
	options := o.Options
	if o.Library {
		options = append(slices.Clip(options), libraryOption)
	}
	for _, option := range options {
		if !slices.Contains(f.options, option) {
			return false, fmt.Sprintf("the families were not measured with the option %s", option)
		}
	}
	text, err := o.ocloc(ctx, false, "--version")
	if err != nil {
		return false, err.Error()
	}
	if release := strings.TrimSpace(string(text)); release != f.ocloc {
		return false, fmt.Sprintf("the families were measured with ocloc %s, but this is %q", f.ocloc, release)
	}
	if release := igcRelease(libraries(o.Ocloc)); release != f.igc {
		return false, fmt.Sprintf("the families were measured with IGC %s, but this is %q", f.igc, release)
	}
	return true, ""
}

var igcLibrary = regexp.MustCompile(`^libigc\.so\.2\.(\d+\.\d+)`)

// igcRelease returns the release of the compiler library in files, such as "2.40.14". It returns ""
// if there is no library, or libraries of different releases.
func igcRelease(files []string) string {
	release := ""
	for _, file := range files {
		if !strings.HasPrefix(filepath.Base(file), "libigc.so") {
			continue
		}
		if real, err := filepath.EvalSymlinks(file); err == nil {
			file = real
		}
		found := igcLibrary.FindStringSubmatch(filepath.Base(file))
		if found == nil || release != "" && release != "2."+found[1] {
			return ""
		}
		release = "2." + found[1]
	}
	return release
}

// forMember returns a copy of an image for the device from, with the compatibility note of the
// device to. The image must have exactly one note, with the values of from.
func (f *families) forMember(image []byte, from, to string) ([]byte, error) {
	entries, err := noteEntries(image)
	if err != nil {
		return nil, err
	}
	patched := bytes.Clone(image)
	for i, typ := range noteTypes {
		at, ok := entries[typ]
		if !ok {
			return nil, fmt.Errorf("the compatibility note has no entry of type %d", typ)
		}
		got, want := binary.LittleEndian.Uint32(image[at:]), f.members[from].note[i]
		if typ == productFamily && got == 0 {
			continue // explicit SIMD: the value is 0 for every GPU
		}
		if got != want {
			return nil, fmt.Errorf("entry %d of the compatibility note is %#x; expected %#x for %s", typ, got, want, from)
		}
		binary.LittleEndian.PutUint32(patched[at:], f.members[to].note[i])
	}
	return patched, nil
}

// noteEntries returns the offset of each 4-byte value in the compatibility note of an image, by
// type.
func noteEntries(image []byte) (map[uint32]uint64, error) {
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return nil, err
	}
	var section *elf.Section
	for _, s := range file.Sections {
		if s.Name == ".note.intelgt.compat" {
			if section != nil {
				return nil, errors.New("duplicate compatibility note")
			}
			section = s
		}
	}
	if section == nil {
		return nil, errors.New("no compatibility note")
	}
	size := uint64(len(image))
	if section.Type != elf.SHT_NOTE || section.Offset > size || section.Size > size-section.Offset {
		return nil, errors.New("the compatibility note is truncated")
	}
	note := image[section.Offset:][:section.Size]
	entries := map[uint32]uint64{}
	for pos := uint64(0); pos < section.Size; {
		rest := note[pos:]
		if len(rest) < 12 {
			return nil, errors.New("the compatibility note is truncated")
		}
		name, value := uint64(binary.LittleEndian.Uint32(rest)), uint64(binary.LittleEndian.Uint32(rest[4:]))
		typ := binary.LittleEndian.Uint32(rest[8:])
		start := 12 + (name+3)&^3
		end := start + (value+3)&^3
		if end > uint64(len(rest)) {
			return nil, errors.New("the compatibility note is truncated")
		}
		if string(rest[12:12+name]) == "IntelGT\x00" && value == 4 {
			if _, ok := entries[typ]; ok {
				return nil, fmt.Errorf("duplicate entry of type %d in the compatibility note", typ)
			}
			entries[typ] = section.Offset + pos + start
		}
		pos += end
	}
	return entries, nil
}
