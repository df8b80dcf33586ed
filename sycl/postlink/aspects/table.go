package aspects

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// maxAspects limits the number of distinct aspects in a module. DPC++ has about a hundred.
const maxAspects = 256

// An aspectSet has a bit for each aspect that the module uses.
type aspectSet [maxAspects / 64]uint64

func (s *aspectSet) add(bit int)     { s[bit/64] |= 1 << (bit % 64) }
func (s aspectSet) has(bit int) bool { return s[bit/64]&(1<<(bit%64)) != 0 }

func (s *aspectSet) join(o aspectSet) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s *aspectSet) remove(o aspectSet) {
	for i := range s {
		s[i] &^= o[i]
	}
}

// An aspectTable maps the aspects that the module uses to bits and names.
type aspectTable struct {
	numbers []int32 // by bit
	bit     map[int32]int
	names   map[int32]string // of the module's enumeration
	values  map[string]int32
	pairs   map[int32]int // nodes with name and number
	fp64    int32
}

// put adds an aspect to a set.
func (t *aspectTable) put(s *aspectSet, value int32) error {
	bit, ok := t.bit[value]
	if !ok {
		bit = len(t.numbers)
		if bit == maxAspects {
			return &devicecode.MetadataError{Msg: fmt.Sprintf("the module uses too many different aspects (limit %d)", maxAspects)}
		}
		if t.bit == nil {
			t.bit = map[int32]int{}
		}
		t.bit[value] = bit
		t.numbers = append(t.numbers, value)
	}
	s.add(bit)
	return nil
}

// sorted returns the bits of a set in the order of their aspects' numbers.
func (t *aspectTable) sorted(s aspectSet) []int {
	var list []int
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			list = append(list, i*64+bits.TrailingZeros64(word))
		}
	}
	slices.SortFunc(list, func(a, b int) int { return int(t.numbers[a]) - int(t.numbers[b]) })
	return list
}

// parse returns the number of an aspect, given by name or number. Names in the module take
// precedence.
func (t *aspectTable) parse(name string) (int32, error) {
	if value, ok := t.values[name]; ok {
		return value, nil
	}
	a, err := aspect.Parse(name)
	return int32(a), err
}

// name returns the name of an aspect.
func (t *aspectTable) name(bit int) string {
	value := t.numbers[bit]
	if name, ok := t.valueName(value); ok {
		return name
	}
	return "aspect " + strconv.Itoa(int(value))
}

func (t *aspectTable) valueName(value int32) (string, bool) {
	if name, ok := t.names[value]; ok {
		return name, true
	}
	if value >= 0 && aspect.Aspect(value).IsKnown() {
		return aspect.Aspect(value).String(), true
	}
	return "", false
}
