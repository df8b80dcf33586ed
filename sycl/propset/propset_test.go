package propset

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// A vector is a line of testdata/vectors.txt.
type vector struct {
	bits    uint64
	payload []byte
	text    string
	meaning string
}

func vectors(t testing.TB) []vector {
	t.Helper()
	f := testkit.Must(os.Open("testdata/vectors.txt"))(t)
	defer f.Close()
	var all []vector
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if strings.HasPrefix(sc.Text(), "#") {
			continue
		}
		f := strings.Fields(sc.Text())
		if len(f) < 4 {
			t.Fatalf("vectors.txt: %q has too few fields", sc.Text())
		}
		bits := testkit.Must(strconv.ParseUint(f[0], 10, 64))(t)
		payload := testkit.Must(hex.DecodeString(strings.TrimPrefix(f[1], "-")))(t)
		all = append(all, vector{bits, payload, f[2], strings.Join(f[3:], " ")})
	}
	if len(all) < 13 {
		t.Fatalf("vectors.txt has %d vectors", len(all))
	}
	return all
}

func TestByteArrayVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.meaning, func(t *testing.T) {
			if got := Bits(v.payload, v.bits).String(); got != v.text {
				t.Errorf("encoded as %s, want %s", got, v.text)
			}
			r := testkit.Must(Parse("", []byte("[s]\nk="+v.text+"\n")))(t)
			got, _ := r.Set("s").Get("k")
			if !bytes.Equal(got.Bytes(), v.payload) || got.BitLen() != v.bits || got.Type() != ByteArray {
				t.Errorf("decoded as %d bits %x, want %d bits %x", got.BitLen(), got.Bytes(), v.bits, v.payload)
			}
		})
	}
}

func TestParse(t *testing.T) {
	const tidy = "[a]\nx=1|1\n[b]\ny=2|IAAAAAAAAAQA\n"
	tests := []struct {
		name, in, want string
	}{
		{"an empty text", "", ""},
		{"only blank lines", "\n\r\n\n", ""},
		{"order of sets and keys", "[b]\nz=1|1\na=1|2\n[a]\n", "[b]\nz=1|1\na=1|2\n[a]\n"},
		{"carriage returns before newlines", "[a]\r\nx=1|1\r\n[b]\r\ny=2|IAAAAAAAAAQA\r\n", tidy},
		{"blank lines", "\n[a]\n\nx=1|1\n\n[b]\ny=2|IAAAAAAAAAQA\n\n", tidy},
		{"no newline at the end", strings.TrimSuffix(tidy, "\n"), tidy},
		{"a set without entries", "[a]\n", "[a]\n"},
		{"a repeated title", "[a]\nx=1|1\n[b]\n[a]\ny=1|2\n", "[a]\nx=1|1\ny=1|2\n[b]\n"},
		{"a repeated key", "[a]\nx=1|1\ny=1|2\nx=1|3\n", "[a]\nx=1|3\ny=1|2\n"},
		{"white space", "[ a ]\n x =1|1\n", "[ a ]\n x =1|1\n"},
		{"a name with brackets", "[a]b]\n", "[a]b]\n"},
		{"a key with a bar and at signs", "[a]\nk|x@y]=1|1\n", "[a]\nk|x@y]=1|1\n"},
		{"the largest number", "[a]\nx=1|4294967295\n", "[a]\nx=1|4294967295\n"},
		{"names outside ASCII", "[ä]\nö=1|1\n\xff=1|2\n", "[ä]\nö=1|1\n\xff=1|2\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := testkit.Must(Parse("f.prop", []byte(tt.in)))(t)
			got := testkit.Must(r.MarshalText())(t)
			if string(got) != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParseLines(t *testing.T) {
	r := testkit.Must(Parse("", []byte("\n[a]\nx=1|1\r\n\n[b]\n[a]\ny=1|1\nx=1|2\n")))(t)
	a := r.Set("a")
	if a.Line != 2 {
		t.Errorf("set a is on line %d, want 2", a.Line)
	}
	want := []Property{{"x", Uint(2), 8}, {"y", Uint(1), 7}}
	if !slices.Equal(a.Properties(), want) {
		t.Errorf("got %v, want %v", a.Properties(), want)
	}
}

// rfc4648 returns payload as encoded by a producer that misinterprets the format.
func rfc4648(payload string) string {
	raw := binary.LittleEndian.AppendUint64(nil, 8*uint64(len(payload)))
	return base64.StdEncoding.EncodeToString(append(raw, payload...))
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"an entry before any title", "\nx=1|1\n", `f.prop:2: the property "x=1|1" comes before the first [set] title`},
		{"an unclosed title", "[a\n", `f.prop:1: the title "[a" has no closing bracket`},
		{"a title without a name", "[]\n", `f.prop:1: the name in the title "[]" is empty`},
		{"a title with NUL", "[a\x00b]\n", `f.prop:1: the name in the title "[a\x00b]" contains a NUL byte`},
		{"text after a title", "[a] # x\n", `f.prop:1: " # x" follows the title [a]`},
		{"no equals sign", "[a]\nx\n", `f.prop:2: [a]: "x" is neither a [set] title nor key=type|value: it has no "="`},
		{"a line of spaces", "[a]\n  \n", `f.prop:2: [a]: "  " is neither a [set] title nor key=type|value: it has no "="`},
		{"an empty key", "[a]\n=1|1\n", `f.prop:2: [a]: the property "=1|1" has no key before "="`},
		{"a key with NUL", "[a]\nx\x00=1|1\n", `f.prop:2: [a] x\x00: the key contains a NUL byte`},
		{"a key with a lone carriage return", "[a]\nx\ry=1|1\n", `f.prop:2: [a] x\ry: the key contains a line break`},
		{"nothing after the equals sign", "[a]\nx=\n", `f.prop:2: [a] x: nothing follows "="; expected type|value`},
		{"no bar", "[a]\nx=11\n", `f.prop:2: [a] x: the value "11" has no "|" between type and value`},
		{"no type", "[a]\nx=|1\n", `f.prop:2: [a] x: the value "|1" has no type before "|"; expected 1 or 2`},
		{"no value", "[a]\nx=1|\n", `f.prop:2: [a] x: no value follows "1|"`},
		{"a type that is not a number", "[a]\nx=one|1\n", `f.prop:2: [a] x: value type "one" is not a number; expected 1 (32-bit number) or 2 (byte array)`},
		{"white space in the type", "[a]\nx= 1|1\n", `f.prop:2: [a] x: value type " 1" is not a number; expected 1 (32-bit number) or 2 (byte array)`},
		{"a type out of range", "[a]\nx=7|1\n", `f.prop:2: [a] x: value type "7" is not 1 (32-bit number) or 2 (byte array)`},
		{"a type of many digits", "[a]\nx=99999999999999999999|1\n", `f.prop:2: [a] x: value type "99999999999999999999" is not 1 (32-bit number) or 2 (byte array)`},
		{"type 0", "[a]\nx=0|1\n", `f.prop:2: [a] x: invalid value type 0; expected 1 (32-bit number) or 2 (byte array)`},
		{"a type with a leading zero", "[a]\nx=01|1\n", `f.prop:2: [a] x: the value type "01" has leading zeros`},
		{"a value that is not a number", "[a]\nx=1|yes\n", `f.prop:2: [a] x: "yes" is not an unsigned decimal number, as required by type 1`},
		{"a signed number", "[a]\nx=1|-1\n", `f.prop:2: [a] x: "-1" is not an unsigned decimal number, as required by type 1`},
		{"white space after a number", "[a]\nx=1|1 \n", `f.prop:2: [a] x: "1 " is not an unsigned decimal number, as required by type 1`},
		{"a 33-bit number", "[a]\nx=1|4294967296\n", `f.prop:2: [a] x: "4294967296" does not fit in 32 bits: the largest value of type 1 is 4294967295`},
		{"a number with a leading zero", "[a]\nx=1|007\n", `f.prop:2: [a] x: the number "007" has leading zeros`},
		{"a character outside the alphabet", "[a]\nx=2|IAAAAA-AAAQA\n", `f.prop:2: [a] x: character '-' at position 7 of the byte array is not a letter, digit, + or /`},
		{"one character left over", "[a]\nx=2|AAAAA\n", `f.prop:2: [a] x: a byte array of 5 characters is truncated: 4 characters encode 3 bytes`},
		{"shorter than the bit count", "[a]\nx=2|AAAAAA\n", `f.prop:2: [a] x: a byte array begins with an 8-byte bit count, but this one has 4 bytes in all`},
		{"more bits than bytes", "[a]\nx=2|JAAAAAAAAAQA\n", `f.prop:2: [a] x: the byte array declares 9 bits but holds 1 bytes`},
		{"a bit count that would overflow", "[a]\nx=2|///////////D\n", `f.prop:2: [a] x: the byte array declares 18446744073709551615 bits but holds 1 bytes`},
		{"surplus bytes", "[a]\nx=2|IAAAAAAAAAQAAAAA\n", `f.prop:2: [a] x: 3 surplus bytes follow the 8 bits of the byte array`},
		{"bits set beyond the last byte", "[a]\nx=2|QAAAAAAAAAQAAQ\n", `f.prop:2: [a] x: the last character 'Q' of the byte array has bits set beyond its last byte`},
		{"bits set beyond the bit count", "[a]\nx=2|DAAAAAAAAAw/\n", `f.prop:2: [a] x: the byte array has bits set beyond its 3 bits`},
		{"RFC 4648 that fails the length rule", "[a]\nx=2|" + rfc4648(strings.Repeat("a", 49)) + "\n", `f.prop:2: [a] x: the byte array declares 1152921504606863394 bits but holds 49 bytes; the text is base64 of RFC 4648: property sets store the least significant bits first and have no padding`},
		{"RFC 4648 that passes as surplus", "[a]\nx=2|" + rfc4648("\x01\x02\x03\x04") + "\n", `f.prop:2: [a] x: 3 surplus bytes follow the 8 bits of the byte array; the text is base64 of RFC 4648: property sets store the least significant bits first and have no padding`},
		{"RFC 4648 that passes but for a bit", "[a]\nx=2|" + rfc4648("\x01") + "\n", `f.prop:2: [a] x: the byte array has bits set beyond its 2 bits; the text is base64 of RFC 4648: property sets store the least significant bits first and have no padding`},
		{"RFC 4648 with padding", "[a]\nx=2|" + rfc4648("ab") + "\n", `f.prop:2: [a] x: character '=' at position 15 of the byte array is not a letter, digit, + or /; the text is base64 of RFC 4648: property sets store the least significant bits first and have no padding`},
		{"RFC 4648 without a bit count", "[a]\nx=2|YXNhbg==\n", `f.prop:2: [a] x: character '=' at position 7 of the byte array is not a letter, digit, + or /; the text looks like base64 of RFC 4648, without a bit count: property sets store the least significant bits first and have no padding, and a 64-bit count of bits comes before the payload`},
		{"an error after a set, which does not name the set", "[a]\n[b\n", `f.prop:2: the title "[b" has no closing bracket`},
		{"a long line, truncated in the message", "[a]\n" + strings.Repeat("x", 500) + "\n", `f.prop:2: [a]: "` + strings.Repeat("x", 100) + `"... is neither a [set] title nor key=type|value: it has no "="`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("f.prop", []byte(tt.in))
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("got error %v, want a SyntaxError", err)
			}
			if err.Error() != tt.want {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
		})
	}
}

func TestParseErrorWithoutFileName(t *testing.T) {
	_, err := Parse("", []byte("[a]\nx=7|1\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "line 2: [a] x: value type") {
		t.Errorf("got %v", err)
	}
}

func TestParseLax(t *testing.T) {
	const in = "[a] # first\nx=01|007\ny=2|IAAAAAAAAAQAAAAA\nz=2|QAAAAAAAAAQAAQ\nx=1|8\nm=2|DAAAAAAAAAw/\n"
	r, warnings, err := ParseLax("f", []byte(in))
	testkit.NoError(t, err)
	if got, want := r.String(), "[a]\nx=1|8\ny=2|IAAAAAAAAAQA\nz=2|QAAAAAAAAAQAAA\nm=2|DAAAAAAAAAwB\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var got []string
	for _, w := range warnings {
		got = append(got, w.Error())
	}
	want := []string{
		`f:1: " # first" follows the title [a]`,
		`f:2: [a] x: the value type "01" has leading zeros`,
		`f:2: [a] x: the number "007" has leading zeros`,
		`f:3: [a] y: 3 surplus bytes follow the 8 bits of the byte array`,
		`f:4: [a] z: the last character 'Q' of the byte array has bits set beyond its last byte`,
		`f:5: [a] x: the key is repeated: this value replaces "1|7" of line 2`,
		`f:6: [a] m: the byte array has bits set beyond its 3 bits`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got warnings\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	_, warnings, err = ParseLax("f", []byte("[a]\n"+strings.Repeat("x=1|1\n", 1+maxWarnings+5)))
	if err != nil || len(warnings) != maxWarnings+1 || warnings[maxWarnings].Error() != "f: 5 more errors like this" {
		t.Errorf("%v, %d warnings, the last one %v", err, len(warnings), warnings[len(warnings)-1])
	}

	for _, in := range []string{"x=1|1", "[a]\nx=1|4294967296", "[a]\nx=2|JAAAAAAAAAQA", "[a]\nx=2|IAAAAAAAAABhc2Fu"} {
		if _, _, err := ParseLax("f", []byte(in)); err == nil {
			t.Errorf("%q accepted", in)
		}
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name, set, key string
		value          Value
		want           string
	}{
		{"an empty set name", "", "k", Uint(1), "propset: the name of the set is empty"},
		{"a newline in a set name", "a\nb", "k", Uint(1), `propset: [a\nb]: the name of the set contains a line break`},
		{"NUL in a set name", "a\x00", "k", Uint(1), `propset: [a\x00]: the name of the set contains a NUL byte`},
		{"an empty key", "a", "", Uint(1), "propset: [a]: the key is empty"},
		{"a key with an equals sign", "a", "k=1|1", Uint(1), `propset: [a] k=1|1: the key contains "=", which ends a key`},
		{"a key that begins like a title", "a", "[k", Uint(1), `propset: [a] [k: the key begins with "[", as titles do`},
		{"a key with a carriage return", "a", "k\r", Uint(1), `propset: [a] k\r: the key contains a line break`},
		{"a key without a value", "a", "k", Value{}, "propset: [a] k: the key has no value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r Registry
			r.Add(tt.set).Put(tt.key, tt.value)
			text, err := r.MarshalText()
			var fault *SyntaxError
			if !errors.As(err, &fault) || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if len(text) != 0 {
				t.Errorf("output %q", text)
			}
			if got := r.String(); got != err.Error() {
				t.Errorf("String() = %q", got)
			}
		})
	}
	t.Run("duplicate set names", func(t *testing.T) {
		var r Registry
		r.Add("a")
		r.Add("b").Name = "a"
		if err := r.Validate(); err == nil || err.Error() != "propset: [a]: two sets have this name" {
			t.Errorf("got %v", err)
		}
	})
}

func TestSetEditing(t *testing.T) {
	var s Set
	s.Put("c", Uint(1))
	s.Put("a", Uint(2))
	s.Put("b", Uint(3))
	s.Put("c", Uint(4))
	if s.Insert("a", Uint(9)) || !s.Insert("d", Uint(5)) {
		t.Error("Insert must keep the first value of a key and add other keys")
	}
	s.Delete("a")
	s.Delete("a") // no longer there
	check := func(want ...string) {
		t.Helper()
		var got []string
		for _, p := range s.Properties() {
			got = append(got, p.Key+"="+p.Value.String())
			if v, ok := s.Get(p.Key); !ok || v != p.Value {
				t.Errorf("Get(%q) = %v, %v", p.Key, v, ok)
			}
		}
		if !slices.Equal(got, want) || s.Len() != len(want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("c=1|4", "b=1|3", "d=1|5")
	s.Sort()
	check("b=1|3", "c=1|4", "d=1|5")
	s.Put("c", Uint(6))
	check("b=1|3", "c=1|6", "d=1|5")
	s.Clear()
	check()
	s.Put("x", Uint(1))
	check("x=1|1")
}

// TestSpecializationConstantOrder checks that the order of specialization constants is kept,
// because their default values are in that order.
func TestSpecializationConstantOrder(t *testing.T) {
	text := "[SYCL/aspects]\nb=1|1\na=1|2\n[SYCL/specialization constants]\nb=1|1\na=1|2\n"
	want := "[SYCL/aspects]\na=1|2\nb=1|1\n[SYCL/specialization constants]\nb=1|1\na=1|2\n"
	r := testkit.Must(Parse("", []byte(text)))(t)
	if got, err := r.SortedText(); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	other := testkit.Must(Parse("", []byte(strings.Replace(text, "constants]\nb=1|1\na=1|2", "constants]\na=1|2\nb=1|1", 1))))(t)
	if r.Equal(other) {
		t.Error("constants in a different order are equal")
	}
}

func TestRegistryEditing(t *testing.T) {
	r := testkit.Must(Parse("", []byte("[b]\ny=1|1\nx=1|2\n[a]\nz=1|3\n")))(t)
	c := r.Clone()
	if !r.Equal(c) {
		t.Error("a clone is not equal")
	}
	c.Sort()
	if got, want := c.String(), "[a]\nz=1|3\n[b]\nx=1|2\ny=1|1\n"; got != want {
		t.Errorf("sorted: got %q, want %q", got, want)
	}
	if !r.Equal(c) || !c.Equal(r) {
		t.Error("Equal depends on the order")
	}
	c.Set("a").Put("z", Uint(4))
	if r.Equal(c) || r.Set("a").Properties()[0].Value != Uint(3) {
		t.Error("clone shares properties")
	}
	if r.Add("a") != r.Set("a") || r.Set("c") != nil || len(r.Sets()) != 2 {
		t.Error("Add does not return the existing set")
	}
	r.Delete("b")
	r.Delete("b") // no longer there
	if r.Set("b") != nil {
		t.Error("Delete did not remove the set")
	}
	var none *Set
	if _, ok := none.Get("k"); ok || none.Len() != 0 || none.Properties() != nil {
		t.Error("a nil set is not empty")
	}
}

func TestEqualFindsDifferences(t *testing.T) {
	parse := func(text string) *Registry {
		r := testkit.Must(Parse("", []byte(text)))(t)
		return r
	}
	base := parse("[a]\nx=1|1\n[b]\n")
	for name, text := range map[string]string{
		"a different number":         "[a]\nx=1|2\n[b]\n",
		"a different type":           "[a]\nx=2|IAAAAAAAAAQA\n[b]\n",
		"a different key":            "[a]\ny=1|1\n[b]\n",
		"an additional key":          "[a]\nx=1|1\ny=1|1\n[b]\n",
		"a different set":            "[a]\nx=1|1\n[c]\n",
		"a missing set":              "[a]\nx=1|1\n",
		"the key in a different set": "[a]\n[b]\nx=1|1\n",
	} {
		if base.Equal(parse(text)) {
			t.Errorf("%s is equal", name)
		}
	}
	if Bits([]byte{1}, 8) == Bits([]byte{1}, 7) {
		t.Error("byte arrays of different lengths are equal")
	}
}

func TestValueViews(t *testing.T) {
	if n, ok := Uint(7).Uint(); n != 7 || !ok {
		t.Errorf("Uint: %d, %v", n, ok)
	}
	if _, ok := String("x").Uint(); ok {
		t.Error("Uint accepts a byte array")
	}
	if n, ok := Uint32s(1, 1<<31).Uint32s(); !slices.Equal(n, []uint32{1, 1 << 31}) || !ok {
		t.Errorf("Uint32s: %d, %v", n, ok)
	}
	if n, ok := Uint64s(1, 1<<63).Uint64s(); !slices.Equal(n, []uint64{1, 1 << 63}) || !ok {
		t.Errorf("Uint64s: %d, %v", n, ok)
	}
	if s, ok := String("ä").Text(); s != "ä" || !ok {
		t.Errorf("Text: %q, %v", s, ok)
	}
	five := Bytes([]byte("12345"))
	if _, ok := five.Uint32s(); ok {
		t.Error("Uint32s accepts 5 bytes")
	}
	if _, ok := Uint32s(1).Uint64s(); ok {
		t.Error("Uint64s accepts 4 bytes")
	}
	for _, v := range []Value{Uint(1), Bytes([]byte{0xff}), Bits([]byte{'a'}, 7)} {
		if s, ok := v.Text(); ok {
			t.Errorf("Text accepts %v as %q", v, s)
		}
	}
	b := []byte("abc")
	v := Bytes(b)
	b[0] = 'x'
	v.Bytes()[1] = 'x'
	if s, _ := v.Text(); s != "abc" {
		t.Errorf("value modified through its slice: %q", s)
	}
	if Uint(1).Bytes() != nil {
		t.Error("Bytes of a number is not nil")
	}
	if b := Bits([]byte{0xff, 0xff}, 11).Bytes(); !bytes.Equal(b, []byte{0xff, 7}) {
		t.Errorf("Bits does not clear unused bits: %x", b)
	}
	defer func() {
		if recover() == nil {
			t.Error("Bits accepts a wrong number of bytes")
		}
	}()
	Bits([]byte{1, 2}, 8)
}

func FuzzParse(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add([]byte("[SYCL/device requirements]\naspects=" + v.text + "\n"))
	}
	f.Add([]byte("[a]\r\n\r\nx=1|4294967295\n[a]b] # c\nx=01|007\ny=2|QAAAAAAAAAQAAQ\nx=1|8"))
	f.Add([]byte("[SYCL/kernel param opt]\nk=2|DAAAAAAAAAQB\n[SYCL/specialization constants]\nc=2|gBAAAAAAAAAAAAAAAAAAAQAAAAA\n"))
	f.Add([]byte("x=1|1\n[\n]\n[]\n=\n|"))
	f.Fuzz(func(t *testing.T, data []byte) {
		strict, err := Parse("f", data)
		lax, warnings, laxErr := ParseLax("f", data)
		if err == nil {
			if laxErr != nil || !strict.Equal(lax) {
				t.Fatalf("ParseLax differs from Parse: %v", laxErr)
			}
		} else if laxErr == nil && len(warnings) == 0 {
			t.Fatalf("ParseLax does not warn about %v", err)
		}
		if laxErr != nil {
			return
		}
		text, err := lax.MarshalText()
		if err != nil {
			t.Fatalf("cannot write the registry: %v", err)
		}
		again, err := Parse("f", text)
		if err != nil {
			t.Fatalf("cannot parse the output: %v\n%s", err, text)
		}
		if !again.Equal(lax) || again.String() != string(text) {
			t.Fatalf("writing and parsing changed the registry:\n%s", text)
		}
		for _, s := range lax.Sets() {
			for _, p := range s.Properties() {
				d, err := Describe(s.Name, p.Key, p.Value)
				if d.Layout == "" || d.Data == nil || (err != nil && !d.Known) {
					t.Fatalf("[%s] %s: %+v, %v", s.Name, p.Key, d, err)
				}
			}
		}
	})
}
