package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A project holds the sources of a program with many kernels. Each kernel is a tiled matrix
// multiplication with a different sum.
type project struct {
	dir      string
	sources  int
	kernels  int      // kernels per source
	versions [][]int  // versions of the kernels of each source, which edits change
	header   string   // directory of the device header
	devices  []string // ocloc's names
	workers  workers
}

// kernelsOfSource returns the number of kernels per source.
func kernelsOfSource(kernels int) int {
	switch {
	case kernels >= 128:
		return 8
	case kernels >= 32:
		return 4
	}
	return 1
}

func newProject(dir, header string, kernels int, devices []string) *project {
	p := &project{dir: dir, kernels: kernelsOfSource(kernels), header: header, devices: devices, workers: workers{}}
	p.sources = max(1, kernels/p.kernels)
	for range p.sources {
		p.versions = append(p.versions, make([]int, p.kernels))
	}
	return p
}

const kernelText = `
class K%[1]d_%[2]d;
void run%[1]d_%[2]d(const float *a, const float *b, float *c, std::size_t n) {
  parallel_for<K%[1]d_%[2]d>(nd_range<2>{{256, 256}, {16, 16}}, [=](nd_item<2> it) {
    SYCL_LITE_LOCAL float left[16][16], right[16][16];
    std::size_t row = it.get_global_id(0), column = it.get_global_id(1), y = it.get_local_id(0), x = it.get_local_id(1);
    float sum = %[3]d.f;
    for (std::size_t tile = 0; tile < n; tile += 16) {
      left[y][x] = a[row * n + tile + x];
      right[y][x] = b[(tile + y) * n + column];
      group_barrier(it.get_group());
      for (int k = 0; k < 16; k++) sum += left[y][k] * right[k][x] + %[2]d.f;
      group_barrier(it.get_group());
    }
    c[row * n + column] = sum;
  });
}
`

func (p *project) source(i int) string { return fmt.Sprintf("source%03d", i) }

// write writes a source.
func (p *project) write(i int) error {
	var b strings.Builder
	b.WriteString("#include <sycl_lite.hpp>\nusing namespace sycl_lite;\n")
	for k, version := range p.versions[i] {
		fmt.Fprintf(&b, kernelText, i, k, version)
	}
	return os.WriteFile(filepath.Join(p.dir, p.source(i)+".cpp"), []byte(b.String()), 0o666)
}

// reset writes all sources in their initial state, without edits and added kernels. No worker may
// be running.
func (p *project) reset() error {
	if err := errors.Join(p.workers.end(), os.RemoveAll(p.dir)); err != nil {
		return err
	}
	if err := os.MkdirAll(p.dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.dir, "headers"), []byte(filepath.Join(p.header, "sycl_lite.hpp")+"\n"), 0o666); err != nil {
		return err
	}
	for i := range p.versions {
		p.versions[i] = make([]int, p.kernels)
		if err := p.write(i); err != nil {
			return err
		}
	}
	return nil
}

// edit changes a kernel in the middle source.
func (p *project) edit() error {
	i := p.sources / 2
	p.versions[i][0]++
	return p.write(i)
}

// add adds a kernel at the end of a source.
func (p *project) add() error {
	i := p.sources / 2
	p.versions[i] = append(p.versions[i], 0)
	return p.write(i)
}
