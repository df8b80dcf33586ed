package requirement

import (
	"encoding/binary"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// Key returns a string that is the same only for equal requirements. It is for use in maps and must
// not be stored.
func (q *Requirements) Key() string {
	k := make(key, 0, 128)
	appendNumbers(&k, q.Aspects)
	appendNumbers(&k, q.SubGroupSizes)
	appendNumbers(&k, q.WorkGroupSize)
	k.flag(q.WorkGroupSizesDiffer)
	k.number(uint64(q.WorkGroupDims))
	k.flag(q.HasFixedTargets)
	k.number(uint64(len(q.FixedTargets)))
	for _, t := range q.FixedTargets {
		k.text(t)
	}
	appendNumbers(&k, q.FixedTargetAspects)
	k.text(q.CompileTarget)
	k.text(q.JointMatrix)
	k.text(q.JointMatrixMad)
	for _, list := range [][]string{q.Assembly, q.Extensions, q.Intrinsics} {
		k.number(uint64(len(list)))
		for _, name := range list {
			k.text(name)
		}
	}
	k.number(q.ParameterSize)
	k.number(q.ParameterRegisters)
	k.number(q.LocalMemory)
	k.text(q.BuildOptions.Compile)
	k.text(q.BuildOptions.Link)
	k.text(q.RegisterOption)
	for _, p := range q.Unknown {
		k.property(p)
	}
	for _, unreadable := range q.Unreadable {
		k.text(unreadable.Error())
	}
	return string(k)
}

// A key is built from self-delimiting parts.
type key []byte

func (k *key) number(n uint64) { *k = binary.AppendUvarint(*k, n) }

func (k *key) flag(b bool) {
	n := uint64(0)
	if b {
		n = 1
	}
	k.number(n)
}

func (k *key) text(s string) {
	k.number(uint64(len(s)))
	*k = append(*k, s...)
}

func (k *key) property(p propset.Property) {
	k.text(p.Key)
	k.number(uint64(p.Value.Type()))
	n, _ := p.Value.Uint()
	k.number(uint64(n))
	k.number(p.Value.BitLen())
	k.text(string(p.Value.Bytes()))
}

func appendNumbers[T ~uint32 | ~uint64](k *key, list []T) {
	k.number(uint64(len(list)))
	for _, n := range list {
		k.number(uint64(n))
	}
}
