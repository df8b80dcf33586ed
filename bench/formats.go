package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Sizes of the measured files: the bytes of all images.
const (
	imageCount = 10_000 // images to pack, and modules in each other file
	packSize   = 1 << 30
	listSize   = 4 << 30
	smallSize  = 40 << 20 // listing it must take the same time
	copySize   = 2 << 30  // size of the file to convert and to extract
)

// setupFormats measures packager against peers and limits on the same machine in the same run:
// packing against cat and LLVM's clang-offload-packager, listing and copying of large files
// against time and memory limits.
//
//	go run ./bench formats --dir /var/tmp
//
// It writes about 6 GiB below the directory and removes them at the end.
func setupFormats(b *Bench) func() error {
	dir := b.Flags.String("dir", "", "write the files below this `directory` (required)")
	packager := b.Flags.String("packager", "", "measure this `binary` instead of building the packager of this module with 'go build'")
	peer := b.Flags.String("offload-packager", "", "`binary` of LLVM's clang-offload-packager (default: found in PATH)")
	generate := b.Flags.Bool("generate", false, "only write the files to measure with into the directory, and keep them")
	return func() error {
		switch err := b.NoArguments(); {
		case err != nil:
			return err
		case *generate && *dir != "":
			return writeInputs(*dir)
		}
		if err := b.Scratch(*dir); err != nil {
			return err
		}
		m := formatsRun{Bench: b}
		var err error
		if m.packager, err = b.Tool("packager", *packager); err != nil {
			return err
		}
		if m.peer, err = findPeer(*peer); err != nil {
			return err
		}
		// The memory of this process counts toward its children until they have started. Writing
		// the files needs more memory than the limit, so a separate process does it.
		self, err := os.Executable()
		if err != nil {
			return err
		}
		fmt.Fprintln(b.Progress, "writing files")
		if _, err := b.Measure(Contender{Name: "generate", Args: []string{self, "formats", "--generate", "--dir", "."}}); err != nil {
			return err
		}
		return m.all()
	}
}

// findPeer returns the path of LLVM's packager, or "" if there is none.
func findPeer(name string) (string, error) {
	if name != "" {
		return filepath.Abs(name)
	}
	for _, name := range []string{"clang-offload-packager", "clang-offload-packager-21"} {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", nil
}
