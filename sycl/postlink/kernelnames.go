package postlink

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// prefixKernelNames adds the prefix by which ext_oneapi_get_kernel finds kernels to the names of
// all kernels that lack it, throughout the module. Comdat names do not change.
//
// It returns an error if the module already has a symbol with a new name, or if a sanitizer lists a
// kernel, because the sanitizer's runtime compares the names in the list.
func prefixKernelNames(m *llvmir.Module) error {
	names := map[string]string{}
	var errs []error
	for _, k := range m.Kernels() {
		if strings.HasPrefix(k.Name(), kernelname.Prefix) {
			continue
		}
		name := kernelname.Prefix + k.Name()
		if m.Symbol(name) != nil {
			errs = append(errs, fmt.Errorf("kernel '%s': its symbol %s would be renamed to %s in a SYCLBIN, and a different symbol has that name; rename one of them",
				kernelname.Display(k.Name()), k.Name(), name))
		}
		names[k.Name()] = name
	}
	if len(names) == 0 || len(errs) > 0 {
		return errors.Join(errs...)
	}
	if list := sanitizerList(m); list != nil {
		return fmt.Errorf("@%s lists the names of kernels, which change in a SYCLBIN; compile without the sanitizer", list.Name())
	}
	if err := m.RenameAll(names); err != nil {
		return err
	}
	renameRegistered(m, names)
	for _, k := range m.Kernels() {
		if err := renameInDebugInfo(m, k); err != nil {
			return err
		}
	}
	return nil
}

// renameInDebugInfo sets a kernel's new symbol in its debug information.
func renameInDebugInfo(m *llvmir.Module, k *llvmir.Function) error {
	const field = "linkageName"
	id, _ := k.Metadata("dbg")
	n := m.Node(id)
	if n == nil {
		return nil
	}
	o := n.Field(field)
	if symbol, ok := o.StringValue(); !ok || kernelname.Prefix+symbol != k.Name() {
		return nil
	}
	return m.SetNode(id, strings.Replace(n.Text(), field+": "+o.Text, field+": "+devicecode.MDString(k.Name()), 1))
}

// renameRegistered renames kernels in the list of names by which free functions find kernels. The
// list contains the symbols of kernels as strings.
func renameRegistered(m *llvmir.Module, names map[string]string) {
	named := m.NamedMetadata(registeredNamesMD)
	if named == nil {
		return
	}
	var lists []int
	for _, id := range named.Nodes() {
		list := m.Node(id)
		if list == nil {
			lists = append(lists, id)
			continue
		}
		changed := false
		var pairs []string
		for _, o := range list.Operands() {
			text := o.Text
			if pair, ok := devicecode.OperandNode(m, o); ok {
				if words := pair.Strings(); len(words) == 2 && len(pair.Operands()) == 2 && names[words[1]] != "" {
					text = "!{!" + devicecode.MDString(words[0]) + ", !" + devicecode.MDString(names[words[1]]) + "}"
					changed = true
				}
			}
			pairs = append(pairs, text)
		}
		if changed {
			id = m.AddNode(strings.Join(pairs, ", "))
		}
		lists = append(lists, id)
	}
	m.SetNamed(registeredNamesMD, lists...)
}
