package offload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// elfWithInfo returns an ELF file for Intel GPUs with a section .ze_info.
func elfWithInfo(text string) []byte {
	data := elf(infoSection)
	at := len(data) - 2*64
	binary.LittleEndian.PutUint64(data[at+24:], uint64(len(data)))
	binary.LittleEndian.PutUint64(data[at+32:], uint64(len(text)))
	return append(data, text...)
}

// info is shortened output of IGC 2.40.
const info = `---
version:         '1.73'
kernels:
  - name:            Intel_Symbol_Table_Void_Program
    execution_env:
      simd_size:       8
  - name:            _ZTS1K
    user_attributes:
      reqd_work_group_size: [ 16, 4, 1 ]
    execution_env:
      grf_count:       256
      required_work_group_size: [ 16, 4, 1 ]
      simd_size:       32
      slm_size:        2048
    payload_arguments:
      - arg_type:        global_id_offset
        offset:          0
        size:            12
      - arg_type:        arg_bypointer
        offset:          16
        size:            8
        arg_index:       0
      - arg_type:        arg_byvalue
        offset:          24
        size:            4
        arg_index:       1
    per_thread_memory_buffers:
      - type:            scratch
        usage:           private_space
        size:            64
      - type:            scratch
        usage:           spill_fill_space
        size:            512
  - name:            'quoted: name'
    execution_env:
      required_work_group_size: [ 0, 0, 0 ]
      simd_size:       16
      spill_size:      96
kernels_misc_info:
  - name:            _ZTS1K
...
`

func TestGPUKernels(t *testing.T) {
	for _, test := range []struct{ name, info, want, err string }{
		{"as written by IGC", info, "_ZTS1K: sub-group size 32, work-group size 16x4x1, 256 registers, 12 bytes of arguments, 2048 bytes of local memory, 512 bytes of spilled registers\nquoted: name: sub-group size 16, 96 bytes of spilled registers\n", ""},
		{"empty", "", "", ""},
		{"no kernels", "---\nversion: '1.73'\n...\n", "", ""},
		{"unknown keys", "kernels:\n  - name: k\n    other: {a: [1]}\n", "k: \n", ""},
		{"not YAML", "kernels: [", "", "section .ze_info: yaml:"},
		{"different types", "kernels:\n  - name: k\n    execution_env: {simd_size: many}\n", "", "cannot unmarshal"},
		{"negative", "kernels:\n  - name: k\n    execution_env: {slm_size: -1}\n", "", "cannot unmarshal"},
		{"aliases", "a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nkernels: *e\n", "", "section .ze_info: yaml:"},
	} {
		data := elfWithInfo(test.info)
		list, err := GPUKernels(bytes.NewReader(data), int64(len(data)))
		got := ""
		for _, k := range list {
			got += k.Name + ": " + k.String() + "\n"
		}
		var format *FormatError
		switch {
		case test.err == "" && (err != nil || got != test.want):
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		case test.err != "" && (!errors.As(err, &format) || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: %v, want error %q", test.name, err, test.err)
		}
	}
	data := elf(".text.k")
	if list, err := GPUKernels(bytes.NewReader(data), int64(len(data))); list != nil || err != nil {
		t.Errorf("without the section: %v, %v", list, err)
	}
	cut := elfWithInfo(info)
	cut = cut[:len(cut)-100]
	if _, err := GPUKernels(bytes.NewReader(cut), int64(len(cut))); err == nil {
		t.Error("no error for a section past the end")
	}
}

func FuzzGPUKernels(f *testing.F) {
	f.Add(elfWithInfo(info))
	f.Add(elfWithInfo("kernels: ["))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := GPUKernels(bytes.NewReader(data), int64(len(data)))
		if format := (*FormatError)(nil); err != nil && !errors.As(err, &format) {
			t.Errorf("error of type %T: %v", err, err)
		}
		for _, k := range list {
			_ = k.String()
		}
	})
}
