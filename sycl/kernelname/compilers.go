package kernelname

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ianlancetaylor/demangle"
)

// lineAndColumn matches the end of an unnamed lambda in symbols of DPC++ 2020 and 2021, which
// contains the source line and column instead of a number.
var lineAndColumn = regexp.MustCompile(`E([0-9]{1,6})_([0-9]{1,3})(clE|clI|clS|clR|clN|clv|clP|clK|clj|cli|clm|[^0-9c]|$)`)

// locationBase is less than all numbers that encode a line and a column, and greater than the
// numbers that compilers assign to lambdas.
const (
	locationBase = 1_000_000_000
	columns      = 1000
)

// numberLambdas converts a symbol of DPC++ 2020 and 2021 to the form that other compilers use, in
// which unnamed lambdas have a number. The number encodes the line and the column.
func numberLambdas(symbol string) string {
	if !strings.Contains(symbol, "Ul") {
		return symbol
	}
	for range 2 { // matches share a character
		symbol = lineAndColumn.ReplaceAllStringFunc(symbol, func(end string) string {
			m := lineAndColumn.FindStringSubmatch(end)
			line, _ := strconv.Atoi(m[1])
			column, _ := strconv.Atoi(m[2])
			return fmt.Sprintf("E%d_%s", locationBase+line*columns+column, m[3])
		})
	}
	return symbol
}

// toAST parses a symbol. The demangler ignores digits after the last lambda.
func toAST(symbol string) (demangle.AST, error) {
	numbered := numberLambdas(symbol)
	first, second := symbol, numbered
	if numbered != symbol && '0' <= symbol[len(symbol)-1] && symbol[len(symbol)-1] <= '9' {
		first, second = numbered, symbol
	}
	tree, err := demangle.ToAST(first)
	if err != nil && first != second {
		tree, err = demangle.ToAST(second)
	}
	return tree, err
}

// locatedLambda matches a lambda number that encodes a line and a column.
var locatedLambda = regexp.MustCompile(`#1[0-9]{9}\}`)

// lambdaLocation returns the line and the column that a lambda number encodes.
func lambdaLocation(number string) string {
	n, err := strconv.ParseInt(number[1:len(number)-1], 10, 64)
	if err != nil {
		return number
	}
	n -= locationBase + 2 // lambdas count from 1, and the first has no number
	return fmt.Sprintf(" at %d:%d}", n/columns, n%columns)
}

// charLiteral starts each template argument of type char in a symbol.
const charLiteral = "Lc"

// leastSpelled is the minimum number of character codes that are interpreted as a name.
const leastSpelled = 4

// spellNames replaces lists of character codes in template arguments with the name that they spell.
// oneDPL encodes kernel names in such lists.
func spellNames(tree demangle.AST) {
	seen := map[demangle.AST]bool{}
	tree.Traverse(func(node demangle.AST) bool {
		if seen[node] {
			return false
		}
		seen[node] = true
		switch n := node.(type) {
		case *demangle.Template:
			n.Args = spell(n.Args)
		case *demangle.ArgumentPack:
			n.Args = spell(n.Args)
		}
		return true
	})
}

// spell returns arguments with each list of character codes replaced with a name.
func spell(args []demangle.AST) []demangle.AST {
	var out []demangle.AST
	for i := 0; i < len(args); {
		var name []byte
		end := i
		for ; end < len(args); end++ {
			c, ok := charCode(args[end])
			if !ok {
				break
			}
			name = append(name, c)
		}
		if len(name) >= leastSpelled && isReadable(name) {
			out = append(out, &demangle.Name{Name: Display(string(name))})
			i = end
			continue
		}
		out = append(out, args[i])
		i++
	}
	return out
}

// charCode returns the value of an argument that is a character.
func charCode(arg demangle.AST) (byte, bool) {
	literal, ok := arg.(*demangle.Literal)
	if !ok {
		return 0, false
	}
	if of, ok := literal.Type.(*demangle.BuiltinType); !ok || of.Name != "char" {
		return 0, false
	}
	n, err := strconv.Atoi(literal.Val)
	if literal.Neg {
		n = -n
	}
	return byte(n), err == nil && -128 <= n && n <= 127
}

func isReadable(name []byte) bool {
	return utf8.Valid(name) && strings.IndexFunc(string(name), func(c rune) bool { return !unicode.IsPrint(c) }) < 0
}
