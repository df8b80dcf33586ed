package hostbin

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// otherCode counts the device code in the constants of a file that is not in its device images. The
// program compiles or loads such code with interfaces other than SYCL.
type otherCode struct {
	textKernels int      // kernels in OpenCL C source text, as in oneDNN
	gpuBinaries int      // binaries for Intel GPUs, as in oneMKL
	gpus        []string // targets of the binaries, without duplicates
}

// findOtherCode looks for code in the constants of an input with these images.
func (s *scanner) findOtherCode(in *input, constants []section, images []*Image) error {
	inImages := spansOf(images)
	for _, sec := range constants {
		end := int64(0) // of the last binary; binaries do not overlap
		err := search(in.section(sec.offset, sec.size), []word{
			{kernelKeyword, func(_ int64, before, from []byte) error {
				if isTextKernel(before, from[len(kernelKeyword):]) {
					s.other.textKernels++
				}
				return nil
			}},
			{elfMagic, func(offset int64, _, from []byte) error {
				size, ok := gpuBinarySize(from, sec.size-offset)
				if !ok || offset < end || inImages.contain(in.base+sec.offset+offset) {
					return nil
				}
				end = offset + size
				return s.addGPUBinary(in.section(sec.offset+offset, size))
			}},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// gpuBinarySize returns the size of a binary for Intel GPUs, whose section headers are at its end, or
// false if head is not the start of such a binary or the size exceeds a limit.
func gpuBinarySize(head []byte, most int64) (size int64, ok bool) {
	const headerSize, headersOffset, headerCount, little64 = 64, 40, 58, "\x02\x01"
	if len(head) < headerSize || offload.FormatOf(head) != offload.Zebin || string(head[4:6]) != little64 {
		return 0, false
	}
	start, entry, count := le.Uint64(head[headersOffset:]), le.Uint16(head[headerCount:]), le.Uint16(head[headerCount+2:])
	if count == 0 || start > uint64(most) {
		return 0, false
	}
	size = int64(start) + int64(entry)*int64(count)
	return size, size <= most
}

// A span is a part of a file.
type span struct{ start, end int64 }

// spans are sorted by start. The end of each span is the largest end up to it.
type spans []span

// spansOf returns the locations of the images that descriptors point to, which may be among the
// constants. It omits compressed images.
func spansOf(images []*Image) spans {
	var list spans
	for _, img := range images {
		if _, compressed := img.Source.(*lazy); img.Origin.Address != 0 && !compressed {
			list = append(list, span{img.Origin.Offset, img.Origin.Offset + img.Size()})
		}
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(list); i++ {
		list[i].end = max(list[i].end, list[i-1].end)
	}
	return list
}

// contain reports whether an offset is in a span.
func (s spans) contain(offset int64) bool {
	after := sort.Search(len(s), func(i int) bool { return s[i].start > offset })
	return after > 0 && offset < s[after-1].end
}

// addGPUBinary counts a binary for Intel GPUs. It ignores a binary that cannot be read.
func (s *scanner) addGPUBinary(r *io.SectionReader) error {
	config, err := offload.ProductConfig(r, r.Size())
	if formatErr := (*offload.FormatError)(nil); errors.As(err, &formatErr) {
		return nil
	}
	if err != nil {
		return err
	}
	s.other.gpuBinaries++
	if target, known := deviceconfig.CodeTarget(deviceconfig.ConfigVersion(config)); known && !slices.Contains(s.other.gpus, target) {
		s.other.gpus = append(s.other.gpus, target)
	}
	return nil
}

// warnings describes the code.
func (c *otherCode) warnings() (list []string) {
	if n := c.textKernels; n > 0 {
		list = append(list, fmt.Sprintf("%s in OpenCL C source text, which the program compiles when it runs; reports do not include %s",
			safetext.Plural(n, "1 kernel is", fmt.Sprintf("%d kernels are", n)), safetext.Plural(n, "it", "them")))
	}
	if n := c.gpuBinaries; n > 0 {
		targets := ""
		if len(c.gpus) > 0 {
			targets = " (" + strings.Join(slices.Sorted(slices.Values(c.gpus)), ", ") + ")"
		}
		list = append(list, fmt.Sprintf("%s outside the device images, and the program may load %[2]s itself; reports do not include %[2]s",
			safetext.Plural(n, fmt.Sprintf("1 Intel GPU binary%s is", targets), fmt.Sprintf("%d Intel GPU binaries%s are", n, targets)), safetext.Plural(n, "it", "them")))
	}
	return list
}

var (
	// kernelKeyword is the OpenCL C keyword without the underscores that may precede it.
	kernelKeyword = []byte("kernel")
	elfMagic      = []byte("\x7fELF")
)

// The maximum numbers of bytes before a word, and from its start on, that are passed to its
// function.
const (
	beforeWord = 3
	fromWord   = 256
)

// A word is text to search for. Its function found is called with the offset of each occurrence,
// the bytes before it, and the bytes from it on.
type word struct {
	text  []byte
	found func(offset int64, before, from []byte) error
}

// search calls the functions of words for each occurrence in r.
func search(r io.Reader, words []word) error {
	const chunk = 1 << 20
	buffer := make([]byte, 0, chunk+fromWord)
	start := int64(0) // of the buffer, in r
	from := 0         // where the next word may start
	for {
		kept := len(buffer)
		read, err := io.ReadFull(r, buffer[kept:cap(buffer)])
		buffer = buffer[:kept+read]
		isLast := err != nil
		if isLast && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		next := max(0, len(buffer)-fromWord)
		if isLast {
			next = len(buffer)
		}
		for _, w := range words {
			for at := from; ; {
				i := bytes.Index(buffer[at:], w.text)
				if i < 0 || at+i >= next {
					break
				}
				at += i
				if err := w.found(start+int64(at), buffer[max(0, at-beforeWord):at], buffer[at:min(len(buffer), at+fromWord)]); err != nil {
					return err
				}
				at += len(w.text)
			}
		}
		if isLast {
			return nil
		}
		kept = max(0, next-beforeWord)
		from = next - kept
		start += int64(kept)
		buffer = buffer[:copy(buffer, buffer[kept:])]
	}
}

// isTextKernel reports whether the text around the keyword is the start of a kernel.
func isTextKernel(before, after []byte) bool {
	before = bytes.TrimSuffix(before, []byte("__"))
	if len(before) > 0 && !isSpace(before[len(before)-1]) && !bytes.ContainsRune([]byte("\x00;})/"), rune(before[len(before)-1])) {
		return false
	}
	for {
		text := bytes.TrimLeft(after, " \t\r\n")
		rest, isAttribute := bytes.CutPrefix(text, []byte("__attribute__"))
		switch {
		case !isAttribute && len(text) == len(after):
			return false // part of a name
		case !isAttribute:
			rest, isVoid := bytes.CutPrefix(text, []byte("void"))
			return isVoid && len(rest) > 0 && isSpace(rest[0])
		}
		end := bytes.Index(rest, []byte("))"))
		if end < 0 {
			return false
		}
		for end+2 < len(rest) && rest[end+2] == ')' {
			end++
		}
		after = append([]byte{' '}, rest[end+2:]...)
	}
}

func isSpace(c byte) bool { return strings.IndexByte(" \t\r\n", c) >= 0 }
