package deviceconfig

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rules-sycl/rules_sycl/sycl/internal/strict"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A MatrixCombination holds types and shapes that joint_matrix_mad can combine: D = A * B + C,
// where A has M rows and K columns. It corresponds to the struct combination of
// sycl_ext_oneapi_matrix.
type MatrixCombination struct {
	M, N, K    MatrixSize
	A, B, C, D string // as in enum class matrix_type, such as "bf16"
}

// A MatrixSize is a dimension: either fixed, or any size up to a maximum.
type MatrixSize struct {
	Fixed uint64 // 0 if Max is used
	Max   uint64
}

// Has reports whether matrices may have n rows or columns.
func (s MatrixSize) Has(n uint64) bool {
	if s.Fixed != 0 {
		return n == s.Fixed
	}
	return n <= s.Max
}

func (c MatrixCombination) String() string {
	size := func(name string, s MatrixSize) string {
		if s.Fixed != 0 {
			return fmt.Sprintf("%s=%d", name, s.Fixed)
		}
		return fmt.Sprintf("%s<=%d", name, s.Max)
	}
	return fmt.Sprintf("%s %s %s a=%s b=%s c=%s d=%s", size("m", c.M), size("n", c.N), size("k", c.K), c.A, c.B, c.C, c.D)
}

// MatrixTypes are the names in enum class matrix_type.
var MatrixTypes = []string{
	"bf16", "fp16", "fp32", "fp64", "sint16", "sint32", "sint64", "sint8", "tf32", "uint16", "uint32", "uint64", "uint8",
}

var matrixKeys = []string{
	"max-msize", "max-nsize", "max-ksize", "msize", "nsize", "ksize", "atype", "btype", "ctype", "dtype",
}

// maxMatrices limits the number of combinations, because a few lists of types can expand to many.
const maxMatrices = 1000

// matrices reads a list of combinations. The result is not nil, even if it is empty.
func (p *parser) matrices(n *yaml.Node) ([]MatrixCombination, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, p.errorf(n, "expected a list of combinations, got %s", kindName(n))
	}
	all := []MatrixCombination{}
	for _, e := range n.Content {
		if err := p.matrix(e, &all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// matrix appends the combinations that an element of the list stands for.
func (p *parser) matrix(n *yaml.Node, all *[]MatrixCombination) error {
	sizes, types, err := p.matrixEntry(n)
	if err != nil {
		return err
	}
	var c MatrixCombination
	for _, s := range []struct {
		name string
		size *MatrixSize
	}{{"msize", &c.M}, {"nsize", &c.N}, {"ksize", &c.K}} {
		*s.size = MatrixSize{Fixed: sizes[s.name], Max: sizes["max-"+s.name]}
		if (s.size.Fixed == 0) == (s.size.Max == 0) {
			return p.errorf(n, "a combination needs either %s or max-%s", s.name, s.name)
		}
	}
	list := []MatrixCombination{c}
	for _, t := range []struct {
		key string
		set func(c *MatrixCombination, name string)
	}{
		{"atype", func(c *MatrixCombination, name string) { c.A = name }},
		{"btype", func(c *MatrixCombination, name string) { c.B = name }},
		{"ctype", func(c *MatrixCombination, name string) { c.C = name }},
		{"dtype", func(c *MatrixCombination, name string) { c.D = name }},
	} {
		if types[t.key] == nil {
			return p.errorf(n, "missing key %s in the combination", t.key)
		}
		list = withTypes(list, types[t.key], t.set)
		if len(*all)+len(list) > maxMatrices {
			return p.errorf(n, "too many combinations (limit %d)", maxMatrices)
		}
	}
	*all = append(*all, list...)
	return nil
}

// withTypes returns each of the combinations with each of the types set.
func withTypes(list []MatrixCombination, types []string, set func(c *MatrixCombination, name string)) []MatrixCombination {
	product := make([]MatrixCombination, 0, len(list)*len(types))
	for _, c := range list {
		for _, name := range types {
			set(&c, name)
			product = append(product, c)
		}
	}
	return product
}

// matrixEntry reads the sizes and lists of types of an element by their keys.
func (p *parser) matrixEntry(n *yaml.Node) (sizes map[string]uint64, types map[string][]string, err error) {
	pairs, err := p.pairs(n, "keys of a combination")
	if err != nil {
		return nil, nil, err
	}
	sizes, types = make(map[string]uint64), make(map[string][]string)
	for _, kv := range pairs {
		key := strings.ReplaceAll(kv.key.Value, "_", "-")
		switch {
		case !slices.Contains(matrixKeys, key):
			return nil, nil, p.errorf(kv.key, "unknown key %q; %s", kv.key.Value, safetext.Suggest(key, matrixKeys))
		case sizes[key] != 0 || types[key] != nil:
			return nil, nil, p.errorf(kv.key, "duplicate %s", key)
		case strings.HasSuffix(key, "type"):
			types[key], err = p.matrixTypes(kv.value)
		default:
			sizes[key], err = p.positive(kv.value, 32)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return sizes, types, nil
}

// matrixTypes reads a type or a list of them.
func (p *parser) matrixTypes(n *yaml.Node) ([]string, error) {
	elements := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		elements = n.Content
	}
	var all []string
	for _, e := range elements {
		switch {
		case e.Kind != yaml.ScalarNode || strict.IsNull(e):
			return nil, p.errorf(e, "expected a type such as bf16, got %s", kindName(e))
		case !slices.Contains(MatrixTypes, e.Value):
			return nil, p.errorf(e, "unknown type %s; %s", kindName(e), safetext.Suggest(e.Value, MatrixTypes))
		case slices.Contains(all, e.Value):
			return nil, p.errorf(e, "duplicate type %s", e.Value)
		}
		all = append(all, e.Value)
	}
	if all == nil {
		return nil, p.errorf(n, "empty list of types")
	}
	return all, nil
}
