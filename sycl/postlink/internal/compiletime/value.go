package compiletime

import (
	"fmt"
	"strconv"
	"strings"
)

// number writes an integer as metadata has it.
func number(bits int, n uint64) string { return fmt.Sprintf("i%d %d", bits, n) }

// unsigned reads a number.
func unsigned(text string, bits int) (uint64, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, bits)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of %d bits", text, bits)
	}
	return n, nil
}

// positive reads a number that is not 0.
func positive(text string, bits int) (uint64, error) {
	n, err := unsigned(text, bits)
	if n == 0 && err == nil {
		err = fmt.Errorf("%q is not a size", text)
	}
	return n, err
}
