package render

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
)

// GitHub code scanning tracks findings across changes by the fingerprint "primaryLocationLineHash".
// The action that uploads SARIF files computes missing fingerprints, but only if the sources are
// still present then. The fingerprint consists of a polynomial in 37, modulo 2^64, of the 100
// characters from the start of the line, and of the number of previous lines with the same value.
// Characters are UTF-16 code units. Blanks and tabs are ignored, each kind of line end is a line
// feed, and the file ends with 65535 and then zeros.
const (
	hashWindow = 100
	hashFactor = 37
	hashEnd    = 65535
)

// maxHashed is the maximum size of hashed files.
const maxHashed = 4 << 20

// lineHashes returns the fingerprints of the lines of a text.
func lineHashes(text string) []string {
	units, starts := hashUnits(text)
	power := uint64(1)
	for range hashWindow {
		power *= hashFactor
	}
	at := func(i int) uint64 {
		if i < len(units) {
			return uint64(units[i])
		}
		return 0
	}
	// before is the polynomial of all units before the line, and through of all units before the end
	// of its window.
	var before, through uint64
	i, j := 0, 0
	seen := map[uint64]int{}
	var list []string
	for _, start := range starts {
		for ; i < start; i++ {
			before = before*hashFactor + at(i)
		}
		for ; j < start+hashWindow; j++ {
			through = through*hashFactor + at(j)
		}
		hash := through - before*power
		seen[hash]++
		list = append(list, strconv.FormatUint(hash, 16)+":"+strconv.Itoa(seen[hash]))
	}
	return list
}

// hashUnits returns the units to hash, and the indexes at which lines start.
func hashUnits(text string) (units []uint16, starts []int) {
	start, afterReturn := true, false
	add := func(u uint16) {
		if start {
			starts = append(starts, len(units))
		}
		start = u == '\n'
		units = append(units, u)
	}
	for _, c := range text {
		skip := c == ' ' || c == '\t' || c == '\n' && afterReturn
		afterReturn = c == '\r'
		switch {
		case skip:
		case c == '\r':
			add('\n')
		default:
			for _, u := range utf16.AppendRune(nil, c) {
				add(u)
			}
		}
	}
	add(hashEnd)
	return units, starts
}

// A lineIndex caches the lines of the files of a workspace.
type lineIndex struct {
	gate.Workspace
	files map[string][]sourceLine
}

// A sourceLine is a line of a file.
type sourceLine struct {
	hash   string // fingerprint
	length int    // in UTF-16 code units, without the line break
}

// line returns a line, or the zero value if it is unknown.
func (x *lineIndex) line(path string, line int) sourceLine {
	if x.Workspace == nil || path == "" || line < 1 {
		return sourceLine{}
	}
	list, known := x.files[path]
	if !known {
		if f, err := x.Open(path); err == nil {
			list = readLines(f)
			f.Close()
		}
		x.files[path] = list
	}
	if line > len(list) {
		return sourceLine{}
	}
	return list[line-1]
}

// readLines returns the lines of a file, or nil if it is too large or not text.
func readLines(r io.Reader) (list []sourceLine) {
	data, err := io.ReadAll(io.LimitReader(r, maxHashed+1))
	if err != nil || len(data) > maxHashed || !utf8.Valid(data) {
		return nil
	}
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data)), "\n")
	for i, hash := range lineHashes(string(data)) {
		list = append(list, sourceLine{hash, len(utf16.Encode([]rune(lines[min(i, len(lines)-1)])))})
	}
	return list
}
