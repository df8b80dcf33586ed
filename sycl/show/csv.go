package show

import (
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// AppendRow appends a row of a CSV file.
func AppendRow(dst []byte, fields ...string) []byte {
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendField(dst, f)
	}
	return append(dst, "\r\n"...)
}

// AppendField appends a field that every program reads in the same way. It quotes the field unless
// it is plain, because some programs use separators other than commas. No program interprets the
// field as a formula.
func AppendField(dst []byte, s string) []byte {
	s = safetext.Escape(s)
	if start := strings.TrimLeft(s, ` '"`); start != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(start)[0]) {
		s = "'" + s
	}
	plain := true
	for i := range len(s) {
		c := s[i]
		plain = plain && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.:/", c) >= 0)
	}
	if plain {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(s, `"`, `""`)...)
	return append(dst, '"')
}
