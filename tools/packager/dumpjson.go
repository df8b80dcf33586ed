package main

import (
	"encoding/hex"
	"encoding/json"
	"io"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	sycl "github.com/rules-sycl/rules_sycl/sycl/specialize"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// These types correspond to docs/schema/syclbin-dump.schema.json.
type (
	jsonDump struct {
		Files []jsonFile `json:"files"`
	}
	jsonFile struct {
		File             string       `json:"file"`
		Size             int64        `json:"size"`
		Version          int          `json:"version"`
		ContainerVersion uint32       `json:"container_version"` // 0 if bare
		ImageKind        uint16       `json:"image_kind"`
		State            string       `json:"state"`
		Runtime          string       `json:"runtime,omitempty"` // if recorded in the file
		Metadata         jsonMetadata `json:"metadata"`
		Modules          []jsonModule `json:"modules"`
		ConstantsWrong   string       `json:"specialization_constants_wrong,omitempty"`
	}
	jsonModule struct {
		Kernels  []string     `json:"kernels"`
		Metadata jsonMetadata `json:"metadata"`
		IR       []jsonImage  `json:"ir"`
		Native   []jsonImage  `json:"native"`

		Constants []jsonSpecConstant `json:"specialization_constants,omitempty"`
	}
	jsonSpecConstant struct {
		Name        string             `json:"name"` // symbolic id
		DisplayName string             `json:"display_name"`
		Parts       []jsonConstantPart `json:"parts"`
	}
	jsonConstantPart struct {
		Number  uint32 `json:"number"` // SpecId in the SPIR-V
		Offset  uint32 `json:"offset"`
		Size    uint32 `json:"size"`
		Type    string `json:"type,omitempty"` // if known from the SPIR-V
		Default string `json:"default"`
	}
	jsonImage struct {
		Triple   string       `json:"triple"`
		Arch     string       `json:"arch,omitempty"`
		Type     string       `json:"type,omitempty"` // IR modules only
		Format   string       `json:"format"`
		Offset   int64        `json:"offset"`
		Size     int64        `json:"size"`
		Metadata jsonMetadata `json:"metadata"`

		Kernels      []jsonKernel `json:"kernels,omitempty"`
		KernelsWrong string       `json:"kernels_wrong,omitempty"`
	}
	jsonKernel struct {
		Name          string   `json:"name"`
		SubGroupSize  uint64   `json:"sub_group_size"`
		WorkGroupSize []uint64 `json:"work_group_size,omitempty"`
		Registers     uint64   `json:"registers"`
		ArgumentSize  uint64   `json:"argument_size"`
		LocalMemory   uint64   `json:"local_memory"`
		Spill         uint64   `json:"spill"`
	}
	jsonMetadata struct {
		Offset int64     `json:"offset"`
		Size   int64     `json:"size"`
		Sets   []jsonSet `json:"sets"`
	}
	jsonSet struct {
		Name       string         `json:"name"`
		Properties []jsonProperty `json:"properties"`
	}
	jsonProperty struct {
		Key    string  `json:"key"`
		Number *uint32 `json:"number,omitempty"` // for values of type 1
		Hex    *string `json:"hex,omitempty"`    // for values of type 2, including the length
		Bits   *uint64 `json:"bits,omitempty"`

		Layout  string `json:"layout"`
		Known   bool   `json:"known"`
		Status  string `json:"status,omitempty"`
		Meaning any    `json:"meaning"`
		Wrong   string `json:"wrong,omitempty"`
	}
)

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func newJSONFile(name string, f *syclbin.File) jsonFile {
	values := describer(f.Release)
	j := jsonFile{
		File: name, Size: f.Size, Version: f.Version, ContainerVersion: f.Container, ImageKind: uint16(f.ImageKind),
		State: f.State.String(), Metadata: newJSONMetadata(values, recorded(f), f.GlobalRange), Modules: []jsonModule{},
	}
	if f.Recorded {
		j.Runtime = f.Release.String()
	}
	constants, err := constantsOf(f)
	if err != nil {
		j.ConstantsWrong = err.Error()
	}
	for i, m := range f.Modules {
		module := jsonModule{
			Kernels: m.Kernels(), Metadata: newJSONMetadata(values, inFile(f, m.Metadata), m.MetadataRange),
			IR: newJSONImages(values, m.IR), Native: newJSONImages(values, m.Native),
		}
		if err == nil {
			module.Constants = newJSONSpecConstants(constants[i])
		}
		j.Modules = append(j.Modules, module)
	}
	return j
}

func newJSONSpecConstants(list []sycl.Constant) (constants []jsonSpecConstant) {
	for _, c := range list {
		constant := jsonSpecConstant{Name: c.Name, DisplayName: c.DisplayName, Parts: []jsonConstantPart{}}
		for _, p := range c.Parts {
			constant.Parts = append(constant.Parts, jsonConstantPart{p.Number, p.Offset, p.Size, p.Type, p.Default})
		}
		constants = append(constants, constant)
	}
	return constants
}

func newJSONImages(values propset.Describer, images []*syclbin.Image) []jsonImage {
	list := []jsonImage{}
	for _, img := range images {
		j := jsonImage{
			Triple: img.Triple(), Arch: img.Arch(), Format: img.Format().String(),
			Offset: img.Range.Offset, Size: img.Size(), Metadata: newJSONMetadata(values, img.Metadata, img.MetadataRange),
		}
		if typ, ok := img.Type(); ok {
			j.Type = typ.String()
		}
		if img.Format() == offload.Zebin {
			kernels, err := offload.GPUKernels(img, img.Size())
			if err != nil {
				j.KernelsWrong = err.Error()
			}
			for _, k := range kernels {
				j.Kernels = append(j.Kernels, jsonKernel{k.Name, k.SubGroupSize, k.WorkGroupSize, k.Registers, k.ArgumentSize, k.LocalMemory, k.Spill})
			}
		}
		list = append(list, j)
	}
	return list
}

func newJSONMetadata(values propset.Describer, r *propset.Registry, at syclbin.Range) jsonMetadata {
	j := jsonMetadata{Offset: at.Offset, Size: at.Size, Sets: []jsonSet{}}
	for _, s := range r.Sets() {
		set := jsonSet{Name: s.Name, Properties: []jsonProperty{}}
		for _, p := range s.Properties() {
			t, err := values.Describe(s.Name, p.Key, p.Value)
			prop := jsonProperty{Key: p.Key, Layout: t.Layout, Known: t.Known, Status: string(t.Status), Meaning: t.Data}
			if err != nil {
				prop.Wrong = err.Error()
			}
			if n, ok := p.Value.Uint(); ok {
				prop.Number = &n
			} else {
				text, bits := hex.EncodeToString(p.Value.Bytes()), p.Value.BitLen()
				prop.Hex, prop.Bits = &text, &bits
			}
			set.Properties = append(set.Properties, prop)
		}
		j.Sets = append(j.Sets, set)
	}
	return j
}
