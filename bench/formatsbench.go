package main

import (
	"fmt"
)

type formatsRun struct {
	*Bench
	packager, peer string // binaries; peer may be ""
}

// Performance limits.
const (
	packOfCat  = 0.9 // multiple of cat's throughput
	packOfPeer = 1   // multiple of clang-offload-packager's throughput
	listMillis = 100
	listOfList = 1.25 // multiple of the time for the small file
	memoryMiB  = 64
)

// all runs every benchmark.
func (m *formatsRun) all() error {
	if err := m.pack(); err != nil {
		return err
	}
	if err := m.list(); err != nil {
		return err
	}
	return m.copy()
}

// pack packs images, property files and symbol files into one SYCLBIN, and concatenates the same
// files with cat. The peer packs only the images, because it does not support metadata.
func (m *formatsRun) pack() error {
	contenders := []Contender{
		{Name: "packager pack", Bytes: packSize, Args: []string{m.packager, "pack", "--output", "out", "--table", triple + "=" + tableFile}},
		{Name: "cat", Bytes: packSize, Args: []string{"cat"}, Output: Out},
	}
	cat := &contenders[1]
	for i := range imageCount {
		for _, ext := range []string{".spv", ".prop", ".sym"} {
			cat.Args = append(cat.Args, fmt.Sprintf("%s/%06d%s", imageDirectory, i, ext))
		}
	}
	if m.peer != "" {
		c := Contender{Name: "clang-offload-packager", Bytes: packSize, Args: []string{m.peer, "-o", "out"}}
		for i := range imageCount {
			c.Args = append(c.Args, fmt.Sprintf("--image=file=%s/%06d.spv,triple=%s,kind=sycl", imageDirectory, i, triple))
		}
		contenders = append(contenders, c)
	} else {
		fmt.Fprintln(m.Progress, "there is no clang-offload-packager in PATH to compare with")
	}
	r, err := m.Compete(contenders...)
	if err != nil {
		return err
	}
	m.AtLeast("packing against cat of the same files", r[1].Seconds/r[0].Seconds, packOfCat, "x")
	if m.peer != "" {
		m.AtLeast("packing against clang-offload-packager", r[2].Seconds/r[0].Seconds, packOfPeer, "x")
	}
	m.AtMost("memory of packing", float64(r[0].MaxRSS)/MiB, memoryMiB, "MiB")
	return nil
}

// list lists a large and a small file with the same number of modules.
func (m *formatsRun) list() error {
	r, err := m.Compete(
		Contender{Name: fmt.Sprintf("packager dump, %d MiB", listSize/MiB), Args: []string{m.packager, "dump", listFile}},
		Contender{Name: fmt.Sprintf("packager dump, %d MiB", smallSize/MiB), Args: []string{m.packager, "dump", listSmallFile}},
	)
	if err != nil {
		return err
	}
	m.AtMost("time of listing", r[0].Seconds*1000, listMillis, "ms")
	m.AtMost("memory of listing", float64(r[0].MaxRSS)/MiB, memoryMiB, "MiB")
	m.AtMost("time of listing the large file against the small one", r[0].Seconds/r[1].Seconds, listOfList, "x")
	return nil
}

// copy converts a file to the other version and to a bare file, and extracts it.
func (m *formatsRun) copy() error {
	r, err := m.Compete(
		Contender{Name: "packager convert, version 1 to 2", Bytes: copySize, Args: []string{m.packager, "convert", "--syclbin-version=2", "--output=out", copyFile}},
		Contender{Name: "packager convert, wrapped to bare", Bytes: copySize, Args: []string{m.packager, "convert", "--bare", "--output=out", copyFile}},
		Contender{Name: "packager extract", Bytes: copySize, Args: []string{m.packager, "extract", "--output-dir=out", copyFile}},
		Contender{Name: "cat of that file", Bytes: copySize, Args: []string{"cat", copyFile}, Output: Out},
	)
	if err != nil {
		return err
	}
	for i, what := range []string{"memory of converting to version 2", "memory of converting to a bare file", "memory of extracting"} {
		m.AtMost(what, float64(r[i].MaxRSS)/MiB, memoryMiB, "MiB")
	}
	return nil
}
