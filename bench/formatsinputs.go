package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// Names of the measured files.
const (
	tableFile      = "pack.table" // with the images to pack, in the directory imageDirectory
	imageDirectory = "images"
	listFile       = "list.syclbin"
	listSmallFile  = "list-small.syclbin"
	copyFile       = "copy.syclbin"
)

const triple = "spir64-unknown-unknown"

// writeInputs writes the measured files.
func writeInputs(dir string) error {
	if err := writeImages(dir); err != nil {
		return err
	}
	for name, size := range map[string]int64{listFile: listSize, listSmallFile: smallSize, copyFile: copySize} {
		if err := writeSparse(filepath.Join(dir, name), size); err != nil {
			return err
		}
	}
	return nil
}

// spirvStart is the beginning of an image that is detected as SPIR-V.
const spirvStart = "\x03\x02\x23\x07\x00\x00\x01\x00"

func formatsKernel(i int) string {
	return fmt.Sprintf("__sycl_kernel__ZTS%dKernel%06d", len("Kernel000000"), i)
}

// metadata returns metadata as compilers write it for a split module.
func metadata(i int) *propset.Registry {
	r := new(propset.Registry)
	q := requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP16, aspect.FP64}, SubGroupSizes: []uint32{16 << (i % 2)}}
	q.Put(r)
	r.Add(propset.KernelNames).Put(formatsKernel(i), propset.Uint(1))
	return r
}

// writeImages writes incompressible images, each with a property file and a symbol file, and a
// table of all images.
func writeImages(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, imageDirectory), 0o777); err != nil {
		return err
	}
	table := &filetable.Table{Columns: []string{filetable.Code, filetable.Properties, filetable.Symbols}}
	image := make([]byte, packSize/imageCount)
	random := rand.NewChaCha8([32]byte{})
	for i := range imageCount {
		random.Read(image)
		copy(image, spirvStart)
		text, err := metadata(i).MarshalText()
		if err != nil {
			return err
		}
		base := fmt.Sprintf("%s/%06d", imageDirectory, i)
		row := []string{base + ".spv", base + ".prop", base + ".sym"}
		for j, content := range [][]byte{image, text, []byte(formatsKernel(i) + "\n")} {
			if err := os.WriteFile(filepath.Join(dir, row[j]), content, 0o666); err != nil {
				return err
			}
		}
		table.Rows = append(table.Rows, row)
	}
	return outfile.Write(filepath.Join(dir, tableFile), table.Write)
}

// writeSparse writes a SYCLBIN with modules whose images are zeros except for their first bytes,
// as a sparse file.
func writeSparse(path string, size int64) error {
	file := &syclbin.File{Version: 1, State: syclbin.Executable}
	for i := range imageCount {
		img := syclbin.NewIR(syclbin.SPIRV, triple, zeros(size/imageCount))
		file.Modules = append(file.Modules, &syclbin.Module{Metadata: metadata(i), IR: []*syclbin.Image{img}})
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(&sparseWriter{f: f}, 64<<10)
	if err := syclbin.Write(w, file, syclbin.Options{}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	end, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	return f.Close()
}

// zeros is an image of zeros with this size in bytes.
type zeros int64

func (z zeros) Size() int64 { return int64(z) }

func (z zeros) ReadAt(b []byte, offset int64) (int, error) {
	if offset >= int64(z) {
		return 0, io.EOF
	}
	n := int(min(int64(len(b)), int64(z)-offset))
	clear(b[:n])
	if offset < int64(len(spirvStart)) {
		copy(b[:n], spirvStart[offset:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// A sparseWriter skips blocks of zeros.
type sparseWriter struct {
	f *os.File
}

// block is a common file system block size.
const block = 4096

var zeroBlock [block]byte

func (s *sparseWriter) Write(b []byte) (int, error) {
	done := 0
	for part := range slices.Chunk(b, block) {
		var err error
		if bytes.Equal(part, zeroBlock[:len(part)]) {
			_, err = s.f.Seek(int64(len(part)), io.SeekCurrent)
		} else {
			_, err = s.f.Write(part)
		}
		if err != nil {
			return done, err
		}
		done += len(part)
	}
	return done, nil
}
