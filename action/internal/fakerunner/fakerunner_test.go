package fakerunner

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestCommands(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []Command
		log        int // lines
	}{
		{"text", "hello\nworld\n", nil, 2},
		{"a command", "::error file=a.cpp,line=3::m%0An%25", []Command{{"error", map[string]string{"file": "a.cpp", "line": "3"}, "m\nn%"}}, 0},
		{"after blanks", " \t\u00a0::warning::m", []Command{{"warning", map[string]string{}, "m"}}, 0},
		{"not at the beginning", "a ::warning::m", nil, 1},
		{"the old form", "a ##[warning title=x%3By]m", []Command{{"warning", map[string]string{"title": "x;y"}, "m"}}, 0},
		{"without regard to case", "::ERROR::m", []Command{{"error", map[string]string{}, "m"}}, 0},
		{"not a command", "::nothing::m\n##[nothing]m", nil, 2},
		{"not ended", "::error m\n##[error m", nil, 2},
		{"a bare carriage return", "a\r::error::m\rb\r\nc", []Command{{"error", map[string]string{}, "m"}}, 3},
		{"characters that cannot be seen", "\u200b:\u00ad:error::m", []Command{{"error", map[string]string{}, "m"}}, 0},
		{"properties", "::error file=a%2Cb%3Ac%0Ad,,title=,x::m", []Command{{"error", map[string]string{"file": "a,b:c\nd"}, "m"}}, 0},
		{"the per cent sign comes last", "::error::%250A", []Command{{"error", map[string]string{}, "%0A"}}, 0},
		{"stopped and started", "::stop-commands::tok\n::error::m\n##[error]m\n##[TOK]\n::error::n", []Command{
			{"stop-commands", map[string]string{}, "tok"}, {"tok", map[string]string{}, ""}, {"error", map[string]string{}, "n"}}, 2},
		{"a group", "::group::g\n::endgroup::", []Command{{"group", map[string]string{}, "g"}, {"endgroup", map[string]string{}, ""}}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Read(test.text, "")
			if !reflect.DeepEqual(s.Commands, test.want) || len(s.Log) != test.log {
				t.Errorf("commands %+v, log %q", s.Commands, s.Log)
			}
			if other := Read("", test.text); !reflect.DeepEqual(other.Commands, test.want) {
				t.Errorf("commands on the other stream %+v", other.Commands)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	s := Read(strings.Repeat("::error::m\n::notice::m\n", 12)+"::warning::"+strings.Repeat("x", 4097), "")
	if len(s.Annotations) != 21 || s.Dropped != 4 || len(s.Faults) != 1 || len(s.Annotations[20].Message) != 4096 {
		t.Errorf("%d annotations, %d dropped, faults %q", len(s.Annotations), s.Dropped, s.Faults)
	}
	for n, faults := range map[int]int{1 << 20: 0, 1<<20 + 1: 1} {
		s := new(Seen)
		s.readSummary(strings.Repeat("x", n))
		if len(s.Faults) != faults || (s.Summary == "") != (faults == 1) {
			t.Errorf("%d bytes: %q", n, s.Faults)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, text := range []string{"::set-output name=a::b", "::set-env name=a::b", "##[add-path]/x", "::save-state name=a::b", "::add-matcher::x"} {
		if s := Read(text, ""); len(s.Faults) != 1 {
			t.Errorf("%q: faults %q", text, s.Faults)
		}
	}
	s := Read("::add-mask::secret\na secret\n::error::a secret", "")
	if fmt.Sprint(s.Log) != "[a ***]" || s.Annotations[0].Message != "a ***" {
		t.Errorf("log %q, %+v", s.Log, s.Annotations)
	}
}

func TestOutputs(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"":                                    {},
		"\n\na=b\n":                           {"a": "b"},
		"a=b<<c\n":                            {"a": "b<<c"},
		"a<<E\nx\ny=z\n\nE\nb=c":              {"a": "x\ny=z\n", "b": "c"},
		"a<<E=F\nx\nE=F\n":                    {"a": "x"},
		"a<<E\nE\n":                           {"a": ""},
		"a=1\na=2\n":                          {"a": "2"},
		"a<<E\nx\n":                           nil,
		"a\n":                                 nil,
		"<<E\nx\nE\n":                         nil,
		"a<<\nx\n":                            nil,
		"k<<D\nx\nD\nconclusion=success\nD\n": nil,
	} {
		if got := Outputs(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}
