package main

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/packager"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps"
	"github.com/rules-sycl/rules_sycl/tools/syclcxx/commandline"
)

// With -fsycl-rdc an object has no device images but device code, which is linked when the program
// is. It is in sections of the name bitcodeSection, as records that begin on multiples of 8 bytes:
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

// releaseSection has the name of the libsycl that an object's images are for.
const (
	releaseSection = "rules_sycl_runtime"
	libsycl        = "libsycl.so." + runtimeMajor
)

// A record is the device code of a source.
type record struct{ source, bitcode, header []byte }

// writeBitcode writes assembler source of a record.
func (u *compilation) writeBitcode(name string) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".section %s,\"e\",@progbits\n.balign 8\n.ascii \"%s\"\n", bitcodeSection, recordMagic)
	fmt.Fprintf(&b, ".quad %d, 2f-1f, 3f-2f\n.ascii %s\n1:\n.incbin %s\n2:\n.incbin %s\n3:\n.balign 8\n",
		len(u.source), assemblerString(u.source), assemblerString(u.file("device.bc")), assemblerString(u.file("header.h")))
	return os.WriteFile(name, []byte(b.String()), 0o666)
}

// assemblerString returns a string literal of the assembler.
func assemblerString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// records returns those of a section.
func records(data []byte) ([]record, error) {
	var list []record
	for at := 0; at < len(data); at = (at + 7) &^ 7 {
		rest := data[at:]
		if len(rest) < 32 || string(rest[:8]) != recordMagic {
			return nil, fmt.Errorf("there is no device code at byte %d of the section %s", at, bitcodeSection)
		}
		var parts [3][]byte
		size := 32
		for i := range parts {
			n := binary.LittleEndian.Uint64(rest[8+8*i:])
			if n > uint64(len(rest)-size) {
				return nil, fmt.Errorf("the section %s is cut: %d bytes are named at byte %d, and %d are left", bitcodeSection, n, at, len(rest)-size)
			}
			parts[i] = rest[size : size+int(n)]
			size += int(n)
		}
		list = append(list, record{parts[0], parts[1], parts[2]})
		at += size
	}
	return list, nil
}

// deviceCode returns the device code in an object or archive, and fails when its images are for
// another libsycl. Other files have none.
func deviceCode(name string) ([]record, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []record
	read := func(name string, object []byte) error {
		file, err := elf.NewFile(bytes.NewReader(object))
		if err != nil || file.Type != elf.ET_REL {
			return nil // a linker script, bitcode, or what the linker refuses
		}
		for _, section := range file.Sections {
			if section.Name != bitcodeSection && section.Name != releaseSection {
				continue
			}
			content, err := section.Data()
			if err != nil {
				return cli.BadInput(fmt.Errorf("%s: the section %s cannot be read: %w; compile the source again", name, section.Name, err))
			}
			if section.Name == releaseSection {
				for other := range strings.FieldsSeq(strings.ReplaceAll(string(content), "\x00", " ")) {
					if other != libsycl {
						return cli.BadInput(fmt.Errorf("%s: its device images are for %s, and the program is linked to %s: compile the source again with this release of DPC++", name, other, libsycl))
					}
				}
				continue
			}
			found, err := records(content)
			if err != nil {
				return cli.BadInput(fmt.Errorf("%s: %w; compile the source again", name, err))
			}
			list = append(list, found...)
		}
		return nil
	}
	if !bytes.HasPrefix(data, []byte("!<arch>\n")) {
		return list, read(name, data)
	}
	return list, members(data, func(member []byte) error { return read(name, member) })
}

// members calls read for the members of an archive.
func members(archive []byte, read func([]byte) error) error {
	const header = 60
	for at := 8; at+header <= len(archive); {
		size, err := strconv.Atoi(strings.TrimSpace(string(archive[at+48 : at+58])))
		if err != nil || size < 0 || size > len(archive)-at-header {
			return nil // the linker says what is wrong
		}
		if err := read(archive[at+header : at+header+size]); err != nil {
			return err
		}
		at += header + size + size%2
	}
	return nil
}

// linkedFiles returns the objects and archives that a link reads, as far as the linker is told
// their names.
func (c *compiler) linkedFiles(words []commandline.Word) []string {
	var files, folders []string
	for _, w := range words {
		if w.Input == nil && len(w.Option) > 0 {
			if folder, ok := strings.CutPrefix(strings.Join(w.Option, ""), "-L"); ok {
				folders = append(folders, folder)
			}
		}
	}
	for _, w := range words {
		if w.Input != nil {
			files = append(files, w.Input.Path)
			continue
		}
		library, ok := strings.CutPrefix(strings.Join(w.Option, ""), "-l")
		if !ok {
			continue
		}
		for _, folder := range folders {
			if exists(filepath.Join(folder, "lib"+library+".so")) {
				break
			}
			if file := filepath.Join(folder, "lib"+library+".a"); exists(file) {
				files = append(files, file)
				break
			}
		}
	}
	return files
}

// linkDevice links the device code of objects, and returns assembler source that registers its
// images; "" when there is none.
func (c *compiler) linkDevice(ctx context.Context, files []string, folder string) (string, error) {
	var sources []steps.SourceFile
	var headers []string
	names := map[string]int{}
	for _, file := range files {
		list, err := deviceCode(file)
		if errors.Is(err, os.ErrNotExist) {
			continue // the linker says so
		}
		if err != nil {
			return "", err
		}
		for _, r := range list {
			n := strconv.Itoa(len(sources))
			bitcode, header := filepath.Join(folder, n+".bc"), filepath.Join(folder, n+".h")
			if err := errors.Join(os.WriteFile(bitcode, r.bitcode, 0o666), os.WriteFile(header, r.header, 0o666)); err != nil {
				return "", err
			}
			name := string(r.source)
			if names[name]++; names[name] > 1 { // compiled twice
				name += " (" + strconv.Itoa(names[name]) + ")"
			}
			sources, headers = append(sources, steps.SourceFile{Source: name, File: bitcode}), append(headers, header)
		}
	}
	if len(sources) == 0 {
		return "", nil
	}
	if err := c.prepare(ctx); err != nil {
		return "", err
	}
	linker, err := llvm("llvm-link")
	if err != nil {
		return "", fmt.Errorf("-fsycl-rdc: %w: install it, or define what kernels call in the same source and leave -fsycl-rdc out", err)
	}
	dis, err := llvm("llvm-dis")
	if err != nil {
		return "", err
	}
	s := &imageSet{compiler: c, name: filepath.Join(folder, "linked.bc"), folder: folder, emulate: c.line.EmulateDouble}
	s.bitcode = s.name
	if err := steps.Link(ctx, c.env.Stderr, steps.LinkOptions{
		LLVMDis: dis, LLVMLink: linker, Sources: sources, Output: s.bitcode, EmulateFP64Conversions: s.emulate,
	}); err != nil {
		return "", err
	}
	targets, err := c.targets()
	if err != nil {
		return "", err
	}
	constants := false
	for _, header := range headers {
		text, err := os.ReadFile(header)
		if err != nil {
			return "", err
		}
		constants = constants || bytes.Contains(text, []byte("kind_specialization_constants_buffer"))
	}
	table, err := s.table(ctx, s.emulate || constants)
	if err != nil {
		return "", err
	}
	tables, err := s.forTargets(ctx, table, targets)
	if err != nil {
		return "", err
	}
	out := filepath.Join(folder, "linked.s")
	return out, packager.Run(ctx, c.env, "wrap", c.wrapArguments(out, tables, headers)...)
}

// oldestLLVM is the first release of LLVM that reads DPC++'s bitcode.
const oldestLLVM = 22

var llvmVersion = regexp.MustCompile(`LLVM version (\d+)\.`)

// llvm returns a program of LLVM, of a release that reads DPC++'s bitcode.
func llvm(name string) (string, error) {
	for _, suffix := range []string{"", "-24", "-23", "-22"} {
		path, err := exec.LookPath(name + suffix)
		if err != nil {
			continue
		}
		out, err := exec.Command(path, "--version").Output()
		if m := llvmVersion.FindSubmatch(out); err == nil && m != nil {
			if release, err := strconv.Atoi(string(m[1])); err == nil && release >= oldestLLVM {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%s of LLVM %d or newer is not in PATH (Debian: llvm-%d)", name, oldestLLVM, oldestLLVM)
}
