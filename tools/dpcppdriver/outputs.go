package main

import (
	"os"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/interrupt"
)

// outputs are files that are put in their places together, when all are written.
type outputs struct {
	names   []string
	forgets []func()
}

// scratch returns where an output is while it is written, "" for none.
func (o *outputs) scratch(name string) string {
	if name == "" {
		return ""
	}
	o.names = append(o.names, name)
	o.forgets = append(o.forgets, interrupt.Scratch(scratchOf(name)))
	return scratchOf(name)
}

func scratchOf(name string) string { return filepath.Clean(name) + ".driver.tmp" }

// place puts them in their places, in the order in which they were named.
func (o *outputs) place() error {
	for _, name := range o.names {
		if err := os.Rename(scratchOf(name), name); err != nil {
			return err
		}
	}
	return nil
}

// discard removes what is not in its place.
func (o *outputs) discard() {
	for _, name := range o.names {
		os.RemoveAll(scratchOf(name))
	}
	for _, forget := range o.forgets {
		forget()
	}
}
