package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/sycl/filetable"
)

// mostOfDPCPP is the limit as a multiple of DPC++'s own post-link step, which also translates.
const mostOfDPCPP = 1.0

// bitcodeRun measures the post-link step from bitcode to bitcode, with opt for each module,
// against DPC++'s own post-link step and translator on the same file.
type bitcodeRun struct {
	*Bench
	tool, driver, library string
	bitcode, dis, opt     string
}

// setFiles makes paths absolute because programs run in the scratch directory.
func (m *bitcodeRun) setFiles(bitcode, dpcpp, dis string) error {
	var errs [4]error
	m.bitcode, errs[0] = filepath.Abs(bitcode)
	m.library, errs[1] = filepath.Abs(filepath.Join(dpcpp, "lib", "libsycl-jit.so"))
	if m.dis, errs[2] = exec.LookPath(dis); errs[2] != nil {
		return fmt.Errorf("%w: give --llvm-dis", errs[2])
	}
	m.dis, errs[2] = filepath.Abs(m.dis)
	m.driver, errs[3] = m.Driver("")
	return errors.Join(errs[:]...)
}

func (m *bitcodeRun) all() error {
	table := filepath.Join(Out, "own.table")
	images := 0
	results, err := m.Compete(
		Contender{Name: "postlink --split per_kernel, bitcode to bitcode", Run: func() error {
			err := m.run(m.tool, "--split=per_kernel", "--allow-undefined", "--llvm-dis="+m.dis, "--opt="+m.opt, "--output="+table, m.bitcode)
			if err != nil {
				return err
			}
			images, err = m.rows(table)
			return err
		}, Before: m.createFiles},
		Contender{Name: "DPC++'s post-link and translation", Run: func() error {
			return m.run(m.driver, "post-link", "--library", m.library, "--output-dir", Out, m.bitcode, "--", "-fsycl-device-code-split=per_kernel")
		}, Before: m.createFiles},
		Contender{Name: "opt of an empty module, once per module", Run: func() error {
			for range images {
				if err := m.run(m.opt, "-passes=globaldce", "empty.ll", "-o", filepath.Join(Out, "empty.bc")); err != nil {
					return err
				}
			}
			return nil
		}, Before: m.createFiles},
	)
	if err != nil {
		return err
	}
	m.Title = fmt.Sprintf("%d modules, best of the runs", images)
	m.AtMost("time against DPC++'s own", results[0].Seconds/results[1].Seconds, mostOfDPCPP, "x")
	m.AtMost("processor time against DPC++'s own", results[0].CPU/results[1].CPU, mostOfDPCPP, "x")
	return nil
}

// createFiles creates the files that contenders read and write.
func (m *bitcodeRun) createFiles() error {
	err := os.MkdirAll(filepath.Join(m.Dir, Out), 0o777)
	return errors.Join(err, os.WriteFile(filepath.Join(m.Dir, "empty.ll"), nil, 0o666))
}

func (m *bitcodeRun) run(argv ...string) error { return m.call(m.Dir, argv...) }

// rows returns the number of modules in a table.
func (m *bitcodeRun) rows(name string) (int, error) {
	f, err := os.Open(filepath.Join(m.Dir, name))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	t, err := filetable.Read(name, f)
	if err != nil {
		return 0, err
	}
	return len(t.Rows), nil
}
