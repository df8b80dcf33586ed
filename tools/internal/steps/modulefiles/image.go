package modulefiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// DPCPP holds the paths of DPC++'s compiler library and of the driver that runs it.
type DPCPP struct{ Driver, Library string } // paths

// PostLink runs DPC++'s post-link step and translator on bitcode.
func (d *DPCPP) PostLink(ctx context.Context, log io.Writer, bitcode string, options ...string) ([]*Image, error) {
	dir, remove, err := outfile.TempDir()
	if err != nil {
		return nil, err
	}
	defer remove()
	args := append([]string{"post-link", "--library", d.Library, "--output-dir", dir, bitcode, "--"}, options...)
	if err := buildstep.Run(ctx, nil, nil, log, d.Driver, args...); err != nil {
		return nil, driverError(err)
	}
	return ReadImages(bitcode, dir)
}

// ReadImages reads the images that the driver wrote to a directory. Errors start with name.
func ReadImages(name, dir string) ([]*Image, error) {
	t, err := cli.ReadTable(filepath.Join(dir, "images.table"))
	if err != nil {
		return nil, err
	}
	t, err = t.Extract(filetable.Code, filetable.Properties, filetable.Symbols)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	var images []*Image
	for i, cells := range t.Rows {
		m, err := readImage(fmt.Sprintf("%s: image %d", name, i), dir, cells)
		if err != nil {
			return nil, err
		}
		images = append(images, m)
	}
	return images, nil
}

// driverError replaces the text of an error from running the driver with the driver's own message.
func driverError(err error) error {
	var failed *buildstep.Error
	if !errors.As(err, &failed) || strings.TrimSpace(failed.Output) == "" {
		return err
	}
	text := strings.TrimSpace(failed.Output)
	if strings.Count(text, "error:") == 1 { // the caller adds "error:" again
		text = strings.TrimPrefix(strings.Replace(text, ": error: ", ": ", 1), "error: ")
	}
	if failed.Code == cli.ExitFailure {
		return errors.New(text)
	}
	return cli.BadInput(errors.New(text))
}

// An Image is a SPIR-V device image with its properties and symbols.
type Image struct {
	Name       string // name for errors
	Code, Bare []byte // SPIR-V with and without debug information
	Module     *spirv.Module
	Properties *propset.Registry
	Symbols    []byte
}

// NewImage returns an image without property and symbol files.
func NewImage(name string, code []byte) (*Image, error) {
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	bare, err := spirv.StripDebug(code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Image{Name: name, Code: code, Bare: bare, Module: m}, nil
}

// readImage reads the code, property and symbol files of an image that DPC++ wrote.
func readImage(name, dir string, files []string) (*Image, error) {
	var data [3][]byte
	for i, file := range files {
		if !filepath.IsLocal(file) {
			return nil, cli.BadInput(fmt.Errorf("%s: '%s' is not a file next to the table", name, file))
		}
		var err error
		if data[i], err = os.ReadFile(filepath.Join(dir, file)); err != nil {
			return nil, err
		}
	}
	m, err := NewImage(name, data[0])
	if err != nil {
		return nil, err
	}
	m.Properties, err = propset.Parse(name, data[1])
	m.Symbols = data[2]
	return m, err
}

// IsLibrary reports whether an image is part of DPC++'s device library. The runtime links it to
// images that import its functions.
func (m *Image) IsLibrary() bool {
	return len(m.Properties.Set(propset.DeviceLibMetadata).Properties()) > 0
}

// DefinesVirtualFunctions reports whether an image defines a set of virtual functions. The
// runtime links it to images whose kernels call them.
func (m *Image) DefinesVirtualFunctions() bool {
	_, ok := m.Properties.Set(propset.VirtualFunctions).Get(propset.VirtualFunctionsSet)
	return ok
}

// IsNeeded reports whether an image defines a name that a program or another image can look up.
func (m *Image) IsNeeded() bool {
	return len(m.Symbols) > 0 || len(m.Properties.Set(propset.KernelNames).Properties()) > 0 ||
		len(m.Properties.Set(propset.ExportedSymbols).Properties()) > 0
}

// Write writes the code, property and symbol files of an image.
func (m *Image) Write(files RowFiles, keepDebugInfo bool) error {
	text, err := m.Properties.MarshalText()
	if err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", m.Name, err))
	}
	code := m.Bare
	if keepDebugInfo {
		code = m.Code
	}
	if err := os.WriteFile(files.Code.Scratch, code, 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(files.Properties.Scratch, text, 0o666); err != nil {
		return err
	}
	return os.WriteFile(files.Symbols.Scratch, m.Symbols, 0o666)
}
