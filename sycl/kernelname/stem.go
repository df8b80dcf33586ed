package kernelname

import "strings"

// Stem splits the name of a kernel in front of its template arguments or parameters.
func Stem(name string) (stem, arguments string) {
	for i := 1; i < len(name); i++ {
		if name[i] == '<' && !strings.HasSuffix(name[:i], "operator") || name[i] == '(' && !strings.HasPrefix(name[i:], "(anonymous") {
			return name[:i], name[i:]
		}
	}
	return name, ""
}
