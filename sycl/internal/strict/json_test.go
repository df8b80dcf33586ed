package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

type file struct {
	Count int      `json:"count"`
	Inner *file    `json:"inner,omitempty"`
	List  []string `json:"list,omitempty"`
	Level level    `json:"level,omitempty"`
}

// level is a number that is encoded as text.
type level uint8

func (l *level) UnmarshalText(text []byte) error {
	*l = level(len(text))
	return nil
}

func TestDecode(t *testing.T) {
	var got file
	if err := JSON(strings.NewReader(" {\"count\": 1, \"inner\": {\"count\": 2}, \"list\": [\"a\", \"b\"]}\n"), &got); err != nil {
		t.Fatal(err)
	}
	if want := (file{1, &file{Count: 2}, []string{"a", "b"}, 0}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestInvalidJSON(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		offset           int64
	}{
		{"nothing", "", "the file is empty", 0},
		{"white space", " \n", "the file is empty", 0},
		{"a list", "[]", "not a JSON object", 0},
		{"a number", "1", "not a JSON object", 0},
		{"UTF-16", "\xff\xfe{\x00}\x00", "the file is UTF-16; save it as UTF-8", 0},
		{"a byte order mark", "\ufeff{}", "the file starts with a byte order mark; save it as UTF-8 without one", 0},
		{"invalid UTF-8", "{\"list\": [\"\xff\"]}", "not valid UTF-8", 11},
		{"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n", "this is a Git LFS pointer instead of the file; run 'git lfs pull'", 0},
		{"YAML", "count: 1", "not JSON: invalid character 'c'", 0},
		{"invalid JSON", "{count: 1}", "not JSON: invalid character 'c'", 1},
		{"a truncated file", `{"count": 1`, "unexpected end of JSON", 11},
		{"a mismatched bracket", `{"count": 1]`, "not JSON: invalid character ']'", 11},
		{"a missing value", `{"count"}`, "not JSON: invalid character '}'", 8},
		{"a name that is not a string", `{1: 1}`, "not JSON: ", 1},
		{"a duplicate member", `{"count": 1, "count": 2}`, `duplicate member "count"`, 20},
		{"a nested duplicate member", `{"inner": {"count": 1, "count": 2}}`, `duplicate member "count"`, 30},
		{"a duplicate member with an escape", `{"count": 1, "\u0063ount": 2}`, `duplicate member "count"`, 25},
		{"an uppercase letter", `{"Count": 1}`, `member "Count" must contain only the letters a to z`, 8},
		{"a letter that folds to one in ASCII", `{"liſt": []}`, `member "liſt" must contain only the letters a to z`, 8},
		{"an unknown member", `{"more": 1}`, `unknown member "more"`, 7},
		{"a different type", `{"count": "1"}`, `"count" must not be a string`, 13},
		{"a missing member", `{"list": ["a"]}`, `"count" is missing`, 15},
		{"a nested missing member", `{"count": 1, "inner": {}}`, `"count" is missing`, 24},
		{"null", `{"count": null}`, `"count" must not be null`, 14},
		{"null for an optional member", `{"count": 1, "inner": null}`, `"inner" must not be null`, 26},
		{"null in a list", `{"count": 1, "list": [null]}`, `"list" must not be null`, 26},
		{"deep nesting", strings.Repeat(`{"inner":`, 100), "too many levels of nesting (limit 32)", 289},
		{"data after the end", "{\"count\": 1}\n{}", "unexpected data after the end", 13},
		{"an empty optional member", `{"count": 1, "list": []}`, `"list" must not be empty; remove it`, 23},
		{"a truncated number", `{"count": 1e}`, `not JSON: "1e" is not a number`, 12},
		{"a number out of range", `{"count": 1e99}`, `"count" must not be the number 1e99`, 14},
		{"a line break in a text", "{\"list\": [\"a\nb\"]}", "not JSON: ", 15},
		{"a number instead of a string", `{"count": 1, "level": 7}`, `"level" must not be a number`, 23},
		{"an unknown word", `{"count": nil}`, "not JSON: invalid character 'n'", 10},
		{"a list of a different type", `{"count": [1]}`, `"count" must not be a list`, 11},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := JSON(strings.NewReader(test.text), new(file))
			var fault *Error
			if !errors.As(err, &fault) || !strings.HasPrefix(fault.Msg, test.want) || fault.Offset != test.offset {
				t.Errorf("got %#v, want %q at %d", err, test.want, test.offset)
			}
		})
	}
}

// TestDecodePieces checks readers that return fewer bytes than requested.
func TestDecodePieces(t *testing.T) {
	for _, text := range []string{`{"count": 12345, "list": ["` + strings.Repeat("a", 200_000) + `", "\u00e9\n", "é"]}`, `{"count": 1, "list": ["ab` + "\xff"} {
		var whole, pieces file
		wholeErr, err := JSON(strings.NewReader(text), &whole), JSON(iotest.OneByteReader(strings.NewReader(text)), &pieces)
		if !reflect.DeepEqual(whole, pieces) || !reflect.DeepEqual(err, wholeErr) {
			t.Errorf("in pieces: %v, else %v", err, wholeErr)
		}
	}
	if err := JSON(iotest.TimeoutReader(strings.NewReader(`{"count": 1`)), new(file)); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("got %v", err)
	}
	long := `{"count": 1, "list": ["` + strings.Repeat("a", 2<<20)
	if err := JSON(strings.NewReader(long), new(file)); err == nil || !strings.Contains(err.Error(), "string too long") {
		t.Errorf("got %v", err)
	}
}

// encoding/json accepts all accepted input, which has each member once.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"count": 1, "inner": {"list": ["a"]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want file
		if JSON(bytes.NewReader(data), &got) != nil {
			return
		}
		if err := json.Unmarshal(data, &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, but encoding/json %+v, %v", data, got, want, err)
		}
	})
}
