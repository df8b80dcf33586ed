package hostbin

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// countTextKernels counts the kernels in OpenCL C source text in the constants of an ELF file.
// Programs such as oneDNN compile the text when they run.
func (s *scanner) countTextKernels(e *elf) error {
	for _, h := range e.Sections {
		if h.Type == sectionNoBits || !h.HasPrefix(".rodata") && !h.HasPrefix(".lrodata") {
			continue
		}
		sec, err := e.content(h.Range, "section .rodata")
		if err != nil {
			return err
		}
		n, err := textKernels(e.in.section(sec.offset, sec.size))
		if err != nil {
			return err
		}
		s.textKernels += n
	}
	return nil
}

// kernelKeyword is the keyword of OpenCL C without the underscores that may be before it.
var kernelKeyword = []byte("kernel")

// beforeKeyword is the number of bytes before the keyword that tell whether it is one.
const beforeKeyword = 3

// textKernels counts the kernels in OpenCL C source text in r: the keyword, attributes and void.
func textKernels(r io.Reader) (n int, err error) {
	const chunk, most = 1 << 20, 256 // bytes from before the keyword to void
	buffer := make([]byte, 0, chunk+most)
	from := 0 // where the next keyword may start
	for {
		kept := len(buffer)
		read, err := io.ReadFull(r, buffer[kept:cap(buffer)])
		buffer = buffer[:kept+read]
		isLast := err != nil
		if isLast && err != io.EOF && err != io.ErrUnexpectedEOF {
			return n, err
		}
		next := max(0, len(buffer)-most)
		if isLast {
			next = len(buffer)
		}
		for at := from; ; {
			i := bytes.Index(buffer[at:], kernelKeyword)
			if i < 0 || at+i >= next {
				break
			}
			at += i
			if isTextKernel(buffer[max(0, at-beforeKeyword):at], buffer[at+len(kernelKeyword):min(len(buffer), at+most)]) {
				n++
			}
			at += len(kernelKeyword)
		}
		if isLast {
			return n, nil
		}
		kept = max(0, next-beforeKeyword)
		from = next - kept
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

// warnTextKernels adds a warning about kernels in source text.
func (s *scanner) warnTextKernels() {
	if n := s.textKernels; n > 0 {
		s.file.Warnings = append(s.file.Warnings, fmt.Sprintf("%s in OpenCL C source text, which the program compiles when it runs; reports do not include %s",
			safetext.Plural(n, "1 kernel is", fmt.Sprintf("%d kernels are", n)), safetext.Plural(n, "it", "them")))
	}
}
