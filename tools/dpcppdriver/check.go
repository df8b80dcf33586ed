package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/interrupt"
)

// A checker compiles a kernel and looks at the image.
type checker struct{ Library string }

func (c *checker) setup(fs *flag.FlagSet) cli.Run {
	setupInstallation(fs, &c.Library)
	return c.run
}

const checkSource = `#include <sycl/sycl.hpp>
void check(sycl::queue &q, float *p) {
  q.single_task<class rules_sycl_check>([=] { p[0] = 1; });
}
`

func (c *checker) run(ctx context.Context, env *cli.Env, options []string) error {
	d, err := readInstallation(c.Library)
	if err != nil {
		return err
	}
	dir, remove, err := interrupt.TempDir()
	if err != nil {
		return err
	}
	defer remove()
	source, bitcode, images := filepath.Join(dir, "check.cpp"), filepath.Join(dir, "check.bc"), filepath.Join(dir, "images")
	if err := os.WriteFile(source, []byte(checkSource), 0o644); err != nil {
		return err
	}
	if err := (&compiler{Output: bitcode}).compile(ctx, env, d, source, options); err != nil {
		return err
	}
	p := &postLinker{OutputDir: images, split: "auto"}
	if err := p.postLink(ctx, env, d, bitcode); err != nil {
		return err
	}
	if !isCheckImage(images) {
		return cli.BadInput(fmt.Errorf("%s: the programs do not make a kernel's image as the driver expects it\nnote: the driver knows DPC++ 2025.3 to 2026.2", c.Library))
	}
	return nil
}

// isCheckImage reports whether a folder has the image of the kernel, and no other.
func isCheckImage(dir string) bool {
	const kernel = "rules_sycl_check"
	read := func(name string) []byte { data, _ := os.ReadFile(filepath.Join(dir, name)); return data }
	return bytes.Equal(read("images.table"), []byte("[Code|Properties|Symbols]\n0.spv|0.prop|0.sym\n")) &&
		bytes.HasPrefix(read("0.spv"), []byte("\x03\x02\x23\x07")) &&
		bytes.Contains(read("0.prop"), []byte(kernel)) && bytes.Contains(read("0.sym"), []byte(kernel))
}
