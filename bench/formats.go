package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// formatsSizes say how large the measured files are.
type formatsSizes struct {
	modules   int   // in each file
	pack      int64 // bytes of the images to pack
	list      int64 // bytes of the images of the file to list
	listSmall int64 // the same, of the file to compare it with
	copy      int64 // bytes of the images of the file to convert and to extract
}

const mib = MiB

// setupFormats measures packager against peers and limits on the same machine
// in the same run: packing against cat and LLVM's clang-offload-packager, listing
// and copying of large files against bounds of time and memory.
//
//	go run ./bench formats --dir /var/tmp
//
// It writes about 6 GiB below the folder and removes them at the end.
func setupFormats(b *Bench) func() error {
	dir := b.Flags.String("dir", "", "write the files below this `folder` (required)")
	packager := b.Flags.String("packager", "", "measure this `binary` instead of building the packager of this module with 'go build'")
	peer := b.Flags.String("offload-packager", "", "`binary` of LLVM's clang-offload-packager (default: found in PATH)")
	modules := b.Flags.Int("modules", 10_000, "`number` of images to pack and of modules in the other files")
	pack := b.Flags.Int64("pack-mib", 1024, "size of all images to pack in `MiB`")
	list := b.Flags.Int64("list-mib", 4096, "size of the file to list in `MiB`")
	small := b.Flags.Int64("list-small-mib", 40, "size in `MiB` of the file that must take as long to list")
	large := b.Flags.Int64("copy-mib", 2048, "size of the file to convert and to extract in `MiB`")
	generate := b.Flags.Bool("generate", false, "only write the files to measure with into the folder, and keep them")
	return func() error {
		s := formatsSizes{*modules, *pack * mib, *list * mib, *small * mib, *large * mib}
		switch err := b.NoArguments(); {
		case err != nil:
			return err
		case min(int64(*modules), *pack, *list, *small, *large) < 1:
			return errors.New("modules and sizes have to be positive")
		case *generate && *dir != "":
			return writeInputs(*dir, s)
		}
		if err := b.Scratch(*dir); err != nil {
			return err
		}
		m := formatsRun{Bench: b, sizes: s}
		var err error
		if m.packager, err = b.Tool("packager", *packager); err != nil {
			return err
		}
		if m.peer, err = findPeer(*peer); err != nil {
			return err
		}
		// The memory of this process counts as that of its children until they have
		// started, so another one writes the files, which takes more than it may.
		self, err := os.Executable()
		if err != nil {
			return err
		}
		fmt.Fprintln(b.Progress, "writing files")
		if _, err := b.Measure(Contender{Name: "generate", Args: append([]string{self, "formats", "--generate", "--dir", "."}, sizeFlags(s)...)}); err != nil {
			return err
		}
		return m.all()
	}
}

func sizeFlags(s formatsSizes) []string {
	return []string{
		fmt.Sprint("--modules=", s.modules), fmt.Sprint("--pack-mib=", s.pack/mib), fmt.Sprint("--list-mib=", s.list/mib),
		fmt.Sprint("--list-small-mib=", s.listSmall/mib), fmt.Sprint("--copy-mib=", s.copy/mib),
	}
}

// findPeer returns the path of LLVM's packager, "" when there is none.
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
