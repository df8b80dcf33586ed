package strictjson

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

type file struct {
	Count int      `json:"count"`
	Inner *file    `json:"inner,omitempty"`
	List  []string `json:"list,omitempty"`
}

func TestUnmarshal(t *testing.T) {
	var got file
	if err := Unmarshal([]byte(" {\"count\": 1, \"inner\": {\"count\": 2}, \"list\": [\"a\", \"b\"]}\n"), &got); err != nil {
		t.Fatal(err)
	}
	if want := (file{1, &file{Count: 2}, []string{"a", "b"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// What is wrong with text that is no JSON, encoding/json says, each release in its words.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		offset           int64
	}{
		{"nothing", "", "the file is empty", 0},
		{"white space", " \n", "the file is empty", 0},
		{"a list", "[]", "not a JSON object", 0},
		{"a number", "1", "not a JSON object", 0},
		{"no UTF-8", "{\"list\": [\"\xff\"]}", "not valid UTF-8", 0},
		{"YAML", "count: 1", "not JSON: invalid character 'c'", 0},
		{"no JSON", "{count: 1}", "not JSON: invalid character 'c'", 1},
		{"half of a file", `{"count": 1`, "not JSON: ", 11},
		{"the wrong bracket", `{"count": 1]`, "not JSON: invalid character ']'", 11},
		{"no value", `{"count"}`, "not JSON: invalid character '}'", 8},
		{"a name that is no string", `{1: 1}`, "not JSON: ", 1},
		{"a member twice", `{"count": 1, "count": 2}`, `member "count" occurs twice`, 20},
		{"a member twice, further in", `{"inner": {"count": 1, "count": 2}}`, `member "count" occurs twice`, 30},
		{"a member twice, once as an escape", `{"count": 1, "\u0063ount": 2}`, `member "count" occurs twice`, 25},
		{"a capital letter", `{"Count": 1}`, `member "Count" has letters other than a to z`, 8},
		{"a letter that folds to one in ASCII", `{"liſt": []}`, `member "liſt" has letters other than a to z`, 8},
		{"an unknown member", `{"more": 1}`, `unknown member "more"`, 7},
		{"another type", `{"count": "1"}`, `"count" must not be a string`, 13},
		{"a member that is missing", `{"list": []}`, `"count" is missing`, 11},
		{"a member that is missing, further in", `{"count": 1, "inner": {}}`, `"count" is missing`, 23},
		{"null", `{"count": null}`, `"count" must not be null`, 14},
		{"null for what may be missing", `{"count": 1, "inner": null}`, `"inner" must not be null`, 26},
		{"null in a list", `{"count": 1, "list": [null]}`, `"list" must not be null`, 26},
		{"deep nesting", strings.Repeat(`{"inner":`, 100), "more than 32 levels of nesting", 289},
		{"data after the end", "{\"count\": 1}\n{}", "there is data after the end", 12},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Unmarshal([]byte(test.text), new(file))
			var fault *Error
			if !errors.As(err, &fault) || !strings.HasPrefix(fault.Msg, test.want) || fault.Offset != test.offset {
				t.Errorf("got %#v, want %q at %d", err, test.want, test.offset)
			}
		})
	}
}

// What is accepted is what encoding/json reads, and has each member once.
func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"count": 1, "inner": {"list": ["a"]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want file
		if Unmarshal(data, &got) != nil {
			return
		}
		if err := json.Unmarshal(data, &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, and encoding/json %+v, %v", data, got, want, err)
		}
	})
}
