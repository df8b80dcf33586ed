package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// Names of the files, in the folder where everything runs.
const (
	tableFile  = "in.table"
	configFile = "devices.yaml"
	folderSize = 1000 // property files of a folder
)

func targetName(i int) string { return fmt.Sprintf("target_%03d", i) }

func targetNames(n int) []string {
	var list []string
	for i := range n {
		list = append(list, targetName(i))
	}
	return list
}

// features are aspects of which each row needs some and each target has some.
var features = []aspect.Aspect{
	aspect.FP16, aspect.FP64, aspect.Atomic64, aspect.Image, aspect.ExtIntelESIMD, aspect.ExtIntelMatrix,
}

func chosen(mask int) []aspect.Aspect {
	var list []aspect.Aspect
	for i, a := range features {
		if mask>>i&1 == 1 {
			list = append(list, a)
		}
	}
	return list
}

// needs is what a row asks for: any of 128 things that differ.
func needs(row int) *requirement.Requirements {
	return &requirement.Requirements{Aspects: chosen(row), SubGroupSizes: []uint32{16 << (row >> len(features) % 2)}}
}

// generate writes the table, a property file for each row, and the targets.
func generate(rows, targets int) error {
	table := &filetable.Table{Columns: []string{filetable.Code, filetable.Properties, filetable.Symbols}}
	for i := range rows {
		folder := fmt.Sprintf("rows%04d", i/folderSize)
		if i%folderSize == 0 {
			if err := os.Mkdir(folder, 0o777); err != nil {
				return err
			}
		}
		r := new(propset.Registry)
		needs(i).Put(r)
		r.Add(propset.KernelNames).Put(fmt.Sprintf("_ZTS%dKernel%06d", len("Kernel000000"), i), propset.Uint(1))
		text, err := r.MarshalText()
		if err != nil {
			return err
		}
		base := filepath.Join(folder, fmt.Sprintf("%06d", i))
		if err := os.WriteFile(base+".prop", text, 0o666); err != nil {
			return err
		}
		table.Rows = append(table.Rows, []string{base + ".bc", base + ".prop", base + ".sym"})
	}
	if err := writeFile(tableFile, func(w *bufio.Writer) error { return table.Write(w) }); err != nil {
		return err
	}
	return writeFile(configFile, func(w *bufio.Writer) error {
		for i := range targets {
			fmt.Fprintf(w, "%s:\n  aspects: [", targetName(i))
			for n, a := range chosen(i) {
				if n > 0 {
					w.WriteString(", ")
				}
				w.WriteString(a.String())
			}
			fmt.Fprintf(w, "]\n  sub-group-sizes: [%d]\n", 16<<(i%2))
		}
		return nil
	})
}

func writeFile(name string, write func(w *bufio.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// peer does what every program must: it reads the table and the property files,
// and writes one decision for each row and target.
func peer(targets int) error {
	f, err := os.Open(tableFile)
	if err != nil {
		return err
	}
	defer f.Close()
	table, err := filetable.Read(tableFile, f)
	if err != nil {
		return err
	}
	column := table.Column(filetable.Properties)
	sum := 0 // so that the content counts
	for _, row := range table.Rows {
		data, err := os.ReadFile(row[column])
		if err != nil {
			return err
		}
		for _, b := range data {
			sum += int(b)
		}
	}
	return writeFile("peer.json", func(w *bufio.Writer) error {
		e := json.NewEncoder(w)
		kept := make([]bool, len(table.Rows))
		for t := range targets {
			for row := range kept {
				kept[row] = (sum+row+t)%2 == 0
			}
			if err := e.Encode(struct {
				Target string `json:"target"`
				Kept   []bool `json:"kept"`
			}{targetName(t), kept}); err != nil {
				return err
			}
		}
		return nil
	})
}
