package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// hostCode starts the lines that mark preprocessed or assembler output of a SYCL source as host code
// only. The headers of syclc++ write one, even to the files of -save-temps (kernel_desc.hpp). mark
// appends another, which ends with a digest of the inputs of the device compile, so that a compiler
// cache that hashes preprocessed source recompiles if only the device code changed.
const hostCode = "rules_sycl host code"

// mark adds the mark to the output of -E or -S.
func (c *compiler) mark(in lineInput, output string) error {
	comment := ""
	switch {
	case c.line.Mode == modePreprocess && !c.listsFiles():
		comment = "#pragma "
	case c.line.Mode == modeAssembly:
		comment = "# "
	default:
		return nil
	}
	digest, err := c.deviceDigest(in)
	if err != nil {
		return err
	}
	text := comment + hostCode + " " + digest + "\n"
	if output == "" || output == "-" {
		_, err = io.WriteString(c.env.Stdout, text)
		return err
	}
	if info, err := os.Stat(output); err != nil || !info.Mode().IsRegular() {
		return err // for example, output is /dev/null
	}
	return appendTo(output, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// deviceDigest returns a digest of the options of the device compile, the text of the source and
// the project headers that it may include.
func (c *compiler) deviceDigest(in lineInput) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %q %q %v", c.dpcpp.version, c.line.Device, c.traits, c.line.Targets, c.line.FixedTargets, c.line.Split, c.line.Backend)
	files, err := c.closure(in)
	if err != nil {
		return "", err
	}
	fmt.Fprint(h, c.usesRDC(files), c.line.EmulateDouble, c.line.DebugInfo)
	for _, name := range append(files, c.line.DeviceConfigs...) {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%d ", len(text))
		h.Write(text)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16]), nil
}

// checkMark returns an error if in is preprocessed or assembler output of a SYCL source, which
// lacks the device code. It buffers standard input, so that it can be compiled after this check.
func (c *compiler) checkMark(in lineInput) error {
	var input io.Reader
	if in.Path == stdin {
		if c.line.DryRun {
			return nil
		}
		text, err := io.ReadAll(c.env.Stdin)
		if err != nil {
			return err
		}
		input, c.env.Stdin = bytes.NewReader(text), bytes.NewReader(text)
	} else {
		file, err := os.Open(in.Path)
		if err != nil {
			return nil // the compiler reports the error
		}
		defer file.Close()
		input = file
	}
	lines := bufio.NewReader(input)
	for {
		line, err := lines.ReadSlice('\n')
		start := bytes.TrimLeft(line, " \t") // clang indents comments
		if bytes.HasPrefix(start, []byte("#pragma "+hostCode)) || bytes.HasPrefix(start, []byte("# "+hostCode)) {
			return cli.BadInput(fmt.Errorf("%s: contains only the host code of a SYCL source; compile the source itself with -c", in.Path))
		}
		if err != nil && err != bufio.ErrBufferFull {
			return nil
		}
	}
}

func (c *compiler) listsFiles() bool {
	for _, option := range c.line.Host {
		if option == "-M" || option == "-MM" || option == "-dM" { // -dM lists macros
			return true
		}
	}
	return false
}
