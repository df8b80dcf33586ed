package hostwrap

import (
	"strconv"
	"strings"
)

// A Class is a class with lambdas, with its layout in the device compile.
type Class struct {
	Size int64 // in bytes

	// Members are the captures of a lambda, or the bases and members of a class, in the order of
	// device code.
	Members []Member
}

// A Member is a member or a base of a Class. DPC++ describes every element of a captured parameter
// pack like the first one.
type Member struct {
	Name         string // the captured variable, or "" for a base
	Offset, Size int64
	Const        bool
	Class        *Class // nil if it has no lambdas
	Count        int64  // number of elements of this class in an array, or 0
}

const (
	maxClassDepth = 100     // maximum number of classes inside each other
	maxCount      = 1 << 24 // maximum number of elements and their maximum size
)

// parseClass parses a description in the format of rules/dpcpp/classes.hpp, or returns nil.
func parseClass(text string) *Class {
	c, rest := classAt(text, 0)
	if rest != "" {
		return nil
	}
	return c
}

// classAt parses the description at the start of text, and returns the rest.
func classAt(text string, depth int) (*Class, string) {
	size, text, ok := numberAt(text)
	text, opens := strings.CutPrefix(text, "{")
	if !ok || !opens || depth > maxClassDepth {
		return nil, text
	}
	c := &Class{Size: size}
	for {
		if rest, closed := strings.CutPrefix(text, "}"); closed {
			return c, rest
		}
		name, rest, named := strings.Cut(strings.TrimPrefix(text, " "), "@")
		m := Member{Name: name}
		if m.Offset, rest, ok = numberAt(rest); !ok || !named {
			return nil, rest
		}
		rest, m.Const = strings.CutPrefix(rest, "c")
		rest, described := strings.CutPrefix(rest, ":")
		if m.Size, text, ok = numberAt(rest); !ok || !described {
			return nil, rest
		}
		if element, isArray := strings.CutPrefix(text, "x"); isArray {
			m.Count, rest, text = m.Size, element, "{"
		}
		if strings.HasPrefix(text, "{") {
			if m.Class, text = classAt(rest, depth+1); m.Class == nil {
				return nil, rest
			}
			if m.Size = m.Class.Size; m.Count > 0 {
				if m.Count > maxCount || m.Size > maxCount {
					return nil, rest
				}
				m.Size *= m.Count
			}
		}
		c.Members = append(c.Members, m)
	}
}

// numberAt parses the number at the start of text, and returns the rest.
func numberAt(text string) (n int64, rest string, ok bool) {
	end := 0
	for end < len(text) && '0' <= text[end] && text[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(text[:end], 10, 64)
	return n, text[end:], err == nil
}
