package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/rules-sycl/rules_sycl/internal/compilespec"
)

// recordCompile writes the entry of a compile to the compilation database that -MJ names. As with
// clang, the entries of one command replace the file, and each ends with a comma.
func (c *compiler) recordCompile(in lineInput, output string) error {
	file := c.line.Database
	if file == "" || c.line.DryRun {
		return nil
	}
	directory, err := os.Getwd()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	arguments := []string{self, "-x" + in.Language, in.Path}
	if output != "" {
		arguments = append(arguments, "-o", output)
	}
	entry, err := json.Marshal(struct {
		Directory string   `json:"directory"`
		File      string   `json:"file"`
		Output    string   `json:"output,omitempty"`
		Arguments []string `json:"arguments"`
	}{directory, in.Path, output, append(arguments, c.line.Arguments...)})
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s,\n", entry)
		return err
	}
	if file == "-" {
		return write(c.env.Stdout)
	}
	if !c.recorded && isRegular(file) {
		if err := os.Truncate(file, 0); err != nil {
			return err
		}
	}
	c.recorded = true
	return appendTo(file, write)
}

// recordedArguments returns the arguments that entries of a compilation database contain: all except
// inputs and options for languages, outputs and dependency files.
func recordedArguments(all []option) (arguments []string) {
	omitted := []compilespec.Reading{compilespec.Language, compilespec.Output, compilespec.Depfile}
	for _, o := range all {
		if !o.input && (o.rule == nil || !slices.Contains(omitted, o.rule.Reading)) {
			arguments = append(arguments, o.words...)
		}
	}
	return arguments
}
