package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/bundle"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/linkir"
)

// With -fsycl-rdc, an object contains device code instead of device images. The device code is
// linked when the program is. It is stored in sections named bitcodeSection, as records that are
// aligned to 8 bytes:
//
//	bytes  content
//	    8  "rsyclbc1"
//	    8  size of the source's name, little-endian
//	    8  size of the bitcode
//	    8  size of the integration header
//	       name, bitcode, integration header
const (
	bitcodeSection = "rules_sycl_bitcode"
	recordMagic    = "rsyclbc1"
)

// releaseSection holds NUL-terminated strings: the name of the libsycl that an object's images are
// for, and the options for native compilers.
const (
	releaseSection = "rules_sycl_runtime"
	libsycl        = "libsycl.so." + runtimeMajor
	libsyclPreview = "libsycl-preview.so." + runtimeMajor
	optionPrefix   = "option "
)

// libsycl returns the file name of the libsycl that the program is linked against.
func (c *compiler) libsycl() string {
	if c.line.Preview {
		return libsyclPreview
	}
	return libsycl
}

// A record is the device code of a source.
type record struct {
	source, bitcode, header []byte
	object                  string // the object or ARCHIVE(MEMBER) with the record
	member                  bool   // linked only if it is needed, as a member of an archive
}

// writeBitcode writes assembler source that defines a record.
func (u *compilation) writeBitcode(name string) error {
	var b strings.Builder
	source := u.portable(u.source)
	fmt.Fprintf(&b, ".section %s,\"e\",@progbits\n.balign 8\n.ascii \"%s\"\n", bitcodeSection, recordMagic)
	fmt.Fprintf(&b, ".quad %d, 2f-1f, 3f-2f\n.ascii %s\n1:\n.incbin %s\n2:\n.incbin %s\n3:\n.balign 8\n",
		len(source), hostwrap.Quote(source), hostwrap.Quote(u.file("device.bc")), hostwrap.Quote(u.file("header.h")))
	// Linking device code defines the symbol, so a link that skips this step fails.
	fmt.Fprintf(&b, ".section .data.rel.ro.%[1]s,\"aw\",@progbits\n.balign 8\n.quad %[1]s\n", linkedSymbol)
	b.WriteString(".section .note.GNU-stack,\"\",@progbits\n") // otherwise the program's stack is executable
	return os.WriteFile(name, []byte(b.String()), 0o666)
}

// linkedSymbol is undefined in objects compiled with -fsycl-rdc, and defined when their device code
// is linked. Its name explains the linker's error about an undefined symbol.
const linkedSymbol = "sycl_device_code_that_syclcxx_or_its_option_fsycl_link_links"

// records parses the records of a section.
func records(data []byte) ([]record, error) {
	var list []record
	for at := 0; at < len(data); at = (at + 7) &^ 7 {
		rest := data[at:]
		if len(rest) < 32 || string(rest[:8]) != recordMagic {
			return nil, fmt.Errorf("no device code at offset %d of section %s", at, bitcodeSection)
		}
		var parts [3][]byte
		size := 32
		for i := range parts {
			n := binary.LittleEndian.Uint64(rest[8+8*i:])
			if n > uint64(len(rest)-size) {
				return nil, fmt.Errorf("section %s is truncated: needs %d bytes at offset %d, but has %d", bitcodeSection, n, at, len(rest)-size)
			}
			parts[i] = rest[size : size+int(n)]
			size += int(n)
		}
		list = append(list, record{source: parts[0], bitcode: parts[1], header: parts[2]})
		at += size
	}
	return list, nil
}

// contents holds the data about an object or archive that linking a program requires.
type contents struct {
	code    []record        // device code to link
	sycl    bool            // whether syclc++ compiled it as SYCL
	libsycl string          // the libsycl that the program is linked against
	options map[string]bool // options for native compilers, ahead of time and at run time
}

// readObject reads an object or archive; the contents of other files are empty. It returns an error
// if images are for a libsycl other than the program's.
func readObject(linked linkedFile, libsycl string) (*contents, error) {
	file, err := os.Open(linked.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c := &contents{libsycl: libsycl, options: map[string]bool{}}
	magic := make([]byte, len(archiveMagic))
	if _, err := file.ReadAt(magic, 0); err != nil {
		return c, nil // the linker reports the error
	}
	switch string(magic) {
	case archiveMagic:
		return c, members(file, false, func(name string, member io.ReaderAt) error {
			return c.add(linked.path+"("+name+")", member, !linked.whole)
		})
	case thinMagic:
		return c, thinMembers(file, filepath.Dir(linked.path), func(path string) error {
			member, err := os.Open(path)
			if err != nil {
				return nil // the linker reports the error
			}
			defer member.Close()
			return c.add(path, member, !linked.whole)
		})
	}
	return c, c.add(linked.path, file, linked.lib)
}

// add adds the contents of an object. member is the field of its records.
func (c *contents) add(name string, object io.ReaderAt, member bool) error {
	file, err := elf.NewFile(object)
	if err != nil || file.Type != elf.ET_REL {
		return nil // a linker script, bitcode, or a file that the linker rejects
	}
	for _, section := range file.Sections {
		if section.Name != bitcodeSection && section.Name != releaseSection {
			continue
		}
		content, err := section.Data()
		if err != nil {
			return cli.BadInput(fmt.Errorf("%s: cannot read section %s: %w; recompile the source", name, section.Name, err))
		}
		if section.Name == bitcodeSection {
			found, err := records(content)
			if err != nil {
				return cli.BadInput(fmt.Errorf("%s: %w; recompile the source", name, err))
			}
			for i := range found {
				found[i].object, found[i].member = name, member
			}
			c.code = append(c.code, found...)
			continue
		}
		c.sycl = true
		for text := range strings.SplitSeq(strings.TrimRight(string(content), "\x00"), "\x00") {
			if option, ok := strings.CutPrefix(text, optionPrefix); ok {
				c.options[option] = true
			} else if text != c.libsycl {
				fix := "recompile the source with this release of DPC++"
				if text == libsycl || text == libsyclPreview {
					fix = "use -fpreview-breaking-changes for all sources and for the link, or for none"
				}
				return cli.BadInput(fmt.Errorf("%s: its device images are for %s, but the program is linked against %s; %s", name, text, c.libsycl, fix))
			}
		}
	}
	return nil
}

// linkDevice links the device code of objects. It returns the name of an assembler source that
// registers the images, or "" if the objects have no device code.
func (c *compiler) linkDevice(ctx context.Context, files []linkedFile, dir string) (string, error) {
	sources, headers, err := c.unpack(files, dir)
	if err != nil || len(sources) == 0 {
		return "", err
	}
	if err := c.prepare(ctx); err != nil {
		return "", err
	}
	tables, err := c.linkedTables(ctx, sources, headers, dir, false)
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "linked.s")
	if err := c.wrap(ctx, out, tables, headers); err != nil {
		return "", err
	}
	return out, defineLinked(out)
}

// linkedTables links device code and returns the image tables of each target. If imports is true,
// images may import functions and variables that they do not define.
func (c *compiler) linkedTables(ctx context.Context, sources []linkir.Source, headers []string, dir string, imports bool) ([]bundle.Table, error) {
	llvm, err := findLLVM("llvm-dis", "llvm-link")
	if err != nil {
		return nil, fmt.Errorf("-fsycl-rdc: %w, or define all functions that kernels call in the same source and remove -fsycl-rdc", err)
	}
	s := &imageSet{
		compiler: c, name: cmp.Or(c.line.Output, "linked device code"), dir: dir, bitcode: filepath.Join(dir, "linked.bc"),
		emulate: c.line.EmulateDouble, imports: imports,
	}
	if err := linkir.Run(ctx, c.env.Stderr, linkir.Options{
		LLVMDis: llvm[0], LLVMLink: llvm[1], Sources: sources, Output: s.bitcode, EmulateFP64Conversions: s.emulate,
	}); err != nil {
		return nil, err
	}
	targets, err := c.targets()
	if err != nil {
		return nil, err
	}
	constants, err := readConstants(headers)
	if err != nil {
		return nil, err
	}
	table, err := s.table(ctx, s.emulate || constants)
	if err != nil {
		return nil, buildstep.RenameError(err, s.bitcode, s.name)
	}
	return s.forTargets(ctx, table, targets)
}

// defineLinked defines linkedSymbol in assembler source.
func defineLinked(source string) error {
	file, err := os.OpenFile(source, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	// The symbol is weak because the result of a partial link can be linked again.
	_, err = fmt.Fprintf(file, "\n.section .rodata.%[1]s,\"a\",@progbits\n.weak %[1]s\n.hidden %[1]s\n%[1]s:\n.byte 0\n", linkedSymbol)
	return errors.Join(err, file.Close())
}

// unpack extracts the bitcode and integration headers of the sources in objects into dir. It omits
// members of archives with the same bitcode as an object or an earlier member.
func (c *compiler) unpack(files []linkedFile, dir string) (sources []linkir.Source, headers []string, err error) {
	var code []record
	extracted := map[[sha256.Size]byte]bool{}
	for _, file := range files {
		object, err := readObject(file, c.libsycl())
		if errors.Is(err, os.ErrNotExist) {
			continue // the linker reports the error
		}
		if err != nil {
			return nil, nil, err
		}
		if object.sycl && len(object.code) == 0 {
			for _, b := range c.line.Backend {
				if !object.options[b.Option] {
					c.env.Warnf(file.path, "'%s' has no effect when linking; use it when compiling, or compile and link with -fsycl-rdc", b.Option)
				}
			}
		}
		for _, r := range object.code {
			if !r.member {
				extracted[sha256.Sum256(r.bitcode)] = true
			}
		}
		code = append(code, object.code...)
	}
	for _, r := range code {
		if r.member {
			digest := sha256.Sum256(r.bitcode)
			if extracted[digest] {
				continue
			}
			extracted[digest] = true
		}
		n := strconv.Itoa(len(sources))
		bitcode, header := filepath.Join(dir, n+".bc"), filepath.Join(dir, n+".h")
		if err := errors.Join(os.WriteFile(bitcode, r.bitcode, 0o666), os.WriteFile(header, r.header, 0o666)); err != nil {
			return nil, nil, err
		}
		name := string(r.source)
		if filepath.Dir(r.object) != dir { // otherwise, the object is temporary
			name += " in " + r.object
		}
		sources, headers = append(sources, linkir.Source{Source: name, File: bitcode, Member: r.member}), append(headers, header)
	}
	return sources, headers, nil
}

// readConstants reports whether a kernel in integration headers reads specialization constants.
func readConstants(headers []string) (bool, error) {
	for _, header := range headers {
		text, err := os.ReadFile(header)
		if err != nil || bytes.Contains(text, []byte("kind_specialization_constants_buffer")) {
			return err == nil, err
		}
	}
	return false, nil
}

// oldestLLVM is the first LLVM release that can read DPC++'s bitcode.
const oldestLLVM = 22
