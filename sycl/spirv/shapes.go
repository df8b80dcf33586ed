package spirv

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
)

// shapes specifies, for the instructions that can occur in a function or define a constant, which
// operand words are ids. Letters:
//
//	t  the result type
//	r  the result
//	i  an id
//	l  a literal
//	I  ids to the end
//	O  an opcode followed by the operands of that instruction
//
// Words after the last letter are literals, or irrelevant to this package (memory operands, branch
// targets). The opcodes are those in the unified SPIR-V 1.6 grammar that a kernel can use,
// including extensions.
var shapes = []struct{ letters, opcodes string }{
	{"r", "248 5609"},
	{"rI", "5911-5913"},
	{"tr", "1 41-43 45-46 48-50 55 299 303 323 5721-5723 5726-5727 5819 6251-6253"},
	{"trI", "44 51 57 60 65-67 69-70 77-78 80 83-84 86 100-107 109-122 124 126-152 154-191 194-205 207-215 227" +
		" 229-242 245 259 261-263 274-279 282-286 291-296 300 304 316 318 321 324-326 328 333-341 343-348 365-366" +
		" 400-403 4419-4424 4427-4432 4447 4460 5056 5110-5111 5334 5571-5575 5577 5580 5585-5598 5600-5601 5611" +
		" 5614-5615 5631 5699 5713-5720 5724-5725 5728-5816 5818 5934 5938 5946-5947 5949 6035 6096 6116-6117 6120" +
		" 6122-6123 6165 6242 6244 6426 6529-6531"},
	{"trO", "52"},
	{"tri", "61 68 81 123 5840-5843 5855-5857 5859-5878 5923-5933 6163"},
	{"trii", "79 82 4425 4450-4452 5610"},
	{"triii", "4453-4455 4457 4459"},
	{"triiii", "6237"},
	{"triiiiiii", "4434"},
	{"triiilI", "89-90 93-94 96-97 307-308 311-312 314-315"},
	{"triilI", "87-88 91-92 95 98 305-306 309-310 313 320"},
	{"trilI", "12 264-271 342 349-364 4433 6401-6408 6428"},
	{"trili", "5846-5854 5858 5879-5882"},
	{"trlI", "54 59 4418"},
	{"I", "220-221 224-225 228 249 254 260 280-281 287-288 297-298 301-302 319 329 4426 4446 5576 5578 5581 5630" +
		" 5820 6091-6092 6121 6142-6143 6164 6166 6231-6235"},
	{"ii", "62-63 246 251 6221"},
	{"iii", "64 250"},
	{"iiii", "4458"},
	{"iiilI", "99"},
	{"iilI", "6429"},
}

// A shape is a parsed entry of shapes.
type shape struct {
	letters string
	hasType bool
	needs   *needs
}

// shapeTable returns the shapes by opcode. Unknown opcodes have no operands.
var shapeTable = sync.OnceValue(func() []shape {
	var table []shape
	features := featureNeeds()
	for _, s := range shapes {
		for r := range strings.FieldsSeq(s.opcodes) {
			first, last, isRange := strings.Cut(r, "-")
			if !isRange {
				last = first
			}
			from, err1 := strconv.ParseUint(first, 10, 16)
			to, err2 := strconv.ParseUint(last, 10, 16)
			if err1 != nil || err2 != nil {
				panic(fmt.Sprintf("spirv: opcodes %q in the table of shapes", r))
			}
			for uint64(len(table)) <= to {
				table = append(table, shape{needs: noNeeds})
			}
			for op := from; op <= to; op++ {
				n := features[uint16(op)]
				if n == nil {
					n = noNeeds
				}
				table[uint16(op)] = shape{s.letters, strings.HasPrefix(s.letters, "tr"), n}
			}
		}
	}
	return table
})

var noNeeds = &needs{}

// featureNeeds returns the needs of the instructions that are code features.
func featureNeeds() map[uint16]*needs {
	table := map[uint16]*needs{}
	for _, f := range aspect.Features {
		if f.Kind != aspect.InstructionFeature && f.Kind != aspect.AtomicFeature {
			continue
		}
		for _, op := range f.SPIRV {
			if table[op] == nil {
				table[op] = &needs{}
			}
			table[op].add(f)
		}
	}
	return table
}

// shapeOf returns the shape of an instruction, or one without operands if it is unknown.
func shapeOf(op uint16) shape {
	if table := shapeTable(); int(op) < len(table) {
		return table[op]
	}
	return shape{needs: noNeeds}
}

// ids returns the operands that are ids, without result type and result. The result may alias
// words.
func (s shape) ids(words []uint32) []uint32 {
	var list []uint32
	for n, letter := range []byte(s.letters) {
		if n >= len(words) {
			break
		}
		switch letter {
		case 'i':
			list = append(list, words[n])
		case 'I':
			if list == nil {
				return words[n:]
			}
			return append(list, words[n:]...)
		case 'O':
			inner := shapeOf(uint16(words[n]))
			if inner.hasType && !strings.HasSuffix(inner.letters, "O") {
				inner.letters = inner.letters[2:]
				return inner.ids(words[n+1:])
			}
		}
	}
	return list
}
