package gate

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

const wholePolicy = `version: 1
devices:
  required: [intel_gpu_pvc, intel_gpu_bmg_g21]
  supported: ["nvidia_gpu_sm_*"]
  informative: ["*"]
fail-on: any
fail-on-severity: warning
fail-on-empty: false
fail-on-stale: true
compare-with-base: required
undetermined: ignore
rules:
  unsupported-sub-group-size: error
  fixed-target-mismatch: off
families:
  - name: gemm
    kernels: ["lib::gemm_fp64<*>", "lib::gemm_fp32<*>"]
    need: any
allow:
  - rule: missing-aspect
    kernels: ["sim::Reduce<double>"]
    devices: [intel_gpu_bmg_g21]
    targets: ["//sim/..."]
    detail: {aspect: fp64}
    reason: fallback path on host
    owner: "@org/sim"
    issue: https://tracker.example/123
    expires: 2027-03-31
limits: {max-allow: 5, max-baseline: 7, allow-without-end: true}
`

func TestReadPolicy(t *testing.T) {
	got, err := ReadPolicy("p.yaml", strings.NewReader(wholePolicy))
	testkit.NoError(t, err)
	want := &Policy{File: "p.yaml", Required: []string{"intel_gpu_pvc", "intel_gpu_bmg_g21"}, Supported: []string{"nvidia_gpu_sm_*"}, Informative: []string{"*"},
		FailOn: FailOnAny, FailOnSeverity: Warning, FailOnStale: true, CompareWithBase: true, Undetermined: Off,
		Rules:    map[RuleID]Severity{"unsupported-sub-group-size": Error, "fixed-target-mismatch": Off},
		Families: []Family{{"gemm", []string{"lib::gemm_fp64<*>", "lib::gemm_fp32<*>"}, 16}},
		Allow: []Exception{{Rule: "missing-aspect", Kernels: []string{"sim::Reduce<double>"}, Devices: []string{"intel_gpu_bmg_g21"}, Targets: []string{"//sim/..."},
			Detail: "fp64", Reason: "fallback path on host", Owner: "@org/sim", Issue: "https://tracker.example/123", Expires: "2027-03-31", Line: 20}},
		MaxAllow: 5, MaxBaseline: 7, NeverEnds: true}
	got.locations = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	short, err := ReadPolicy("p.yaml", strings.NewReader("version: 1\n"))
	if want := DefaultPolicy(); err != nil || !reflect.DeepEqual(short.Required, want.Required) || short.FailOnSeverity != Error || !short.FailOnEmpty {
		t.Errorf("empty policy: %+v, %v", short, err)
	}
}

func TestReadPolicyErrors(t *testing.T) {
	allow := func(s string) string { return "version: 1\nallow:\n  - " + s + "\n" }
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", `p.yaml: empty policy; "version: 1" is required`},
		{"a comment", "# x\n", `"version: 1" is required`},
		{"no version", "fail-on: new\n", `p.yaml:1: missing "version: 1"; add it if`},
		{"an unsupported version", "version: 2\n", `p.yaml:1: version: unsupported version "2"; expected 1, or use a newer tool`},
		{"a list", "- a\n", `p.yaml:1: expected keys with values; write "key: value"`},
		{"an unknown key", "version: 1\nfail_on: new\n", `p.yaml:2: unknown key "fail_on"; did you mean fail-on?`},
		{"a key without a similar name", "version: 1\nx: new\n", `p.yaml:2: unknown key "x"; expected one of allow, `},
		{"a key in a different case", "version: 1\nFail-on: new\n", `unknown key "Fail-on"`},
		{"a duplicate key", "version: 1\nfail-on: new\n\nfail-on: any\n", `p.yaml:4: fail-on: duplicate key, also on line 2; remove one`},
		{"an unknown nested key", "version: 1\ndevices: {reqired: [a]}\n", `p.yaml:2: devices: unknown key "reqired"; did you mean required?`},
		{"an invalid mode", "version: 1\nfail-on: old\n", `p.yaml:2: fail-on: expected new, any or none, got "old"`},
		{"an invalid severity", "version: 1\nfail-on-severity: fatal\n", `unknown severity "fatal"; expected one of off, note, warning, error`},
		{"a disabled threshold", "version: 1\nfail-on-severity: off\n", `to let every check pass, use "fail-on: none"`},
		{"an invalid boolean", "version: 1\nfail-on-stale: yes\n", `fail-on-stale: expected true or false, got "yes"`},
		{"an invalid comparison", "version: 1\ncompare-with-base: always\n", `p.yaml:2: compare-with-base: expected required or optional, got "always"`},
		{"a version in quotation marks", "version: '1'\n", `p.yaml:1: version: expected 1, got "1"`},
		{"a boolean in quotation marks", "version: 1\nfail-on-stale: 'true'\n", `fail-on-stale: expected true or false, got "true"`},
		{"a number in quotation marks", "version: 1\nlimits: {max-allow: '5'}\n", `limits.max-allow: expected a number, got "5"`},
		{"a text without quotation marks", allow("{rule: missing-aspect, kernels: [a], reason: 5}"), `allow[0].reason: expected a string, got "5"`},
		{"a detail that is neither text nor number", allow("{rule: missing-aspect, kernels: [a], reason: r, detail: {aspect: true}}"), `detail.aspect: expected a string, got "true"`},
		{"an unknown rule", "version: 1\nrules: {mising-aspect: off}\n", `rules: unknown key "mising-aspect"; did you mean missing-aspect?`},
		{"undetermined among the rules", "version: 1\nrules: {undetermined: off}\n", `the key "undetermined" of the policy sets`},
		{"an empty list", "version: 1\ndevices: {required: []}\n", "devices.required: empty list"},
		{"an empty pattern", "version: 1\ndevices: {required: ['']}\n", "devices.required[0]: empty string"},
		{"a null pattern", "version: 1\ndevices: {required: [~]}\n", "devices.required[0]: expected a string"},
		{"a long pattern", "version: 1\ndevices: {required: [" + strings.Repeat("a", 2000) + "]}\n", "pattern too long (limit 1000 bytes)"},
		{"many patterns", "version: 1\ndevices: {required: [" + strings.Repeat("a,", 1001) + "]}\n", "too many elements (limit 1000)"},
		{"a family without kernels", "version: 1\nfamilies: [{name: f}]\n", `families[0]: "name" and "kernels" are required`},
		{"a family that requires all kernels", "version: 1\nfamilies: [{name: f, kernels: [a], need: all}]\n", `unknown value "all" of need; expected any`},
		{"a duplicate family", "version: 1\nfamilies: [{name: f, kernels: [a]}, {name: f, kernels: [b]}]\n", `duplicate family "f"`},
		{"an exception without a reason", allow("{rule: missing-aspect, kernels: [a], expires: 2027-01-01}"), `p.yaml:3: allow[0]: missing "reason"; add the key`},
		{"an exception with an empty reason", allow("{rule: missing-aspect, kernels: [a], reason: ' ', expires: 2027-01-01}"), `allow[0].reason: empty string`},
		{"an exception without an expiry date", allow("{rule: missing-aspect, kernels: [a], reason: r}"), `p.yaml:3: allow: missing "expires"`},
		{"a day that does not exist", allow("{rule: missing-aspect, kernels: [a], reason: r, expires: 2027-02-30}"), `invalid date "2027-02-30"`},
		{"a time", allow("{rule: missing-aspect, kernels: [a], reason: r, expires: 2027-02-20T10:00:00Z}"), `invalid date`},
		{"an exception for an unknown rule", allow("{rule: mising-aspect, kernels: [a], reason: r}"), `unknown rule "mising-aspect"; did you mean missing-aspect?`},
		{"an exception for a notice", allow("{rule: policy-weakened, kernels: [a], reason: r}"), `unknown rule "policy-weakened"`},
		{"a detail of a different rule", allow("{rule: missing-aspect, kernels: [a], reason: r, detail: {sub-group-size: 8}}"), "rule missing-aspect has no detail sub-group-size"},
		{"two details", allow("{rule: missing-aspect, kernels: [a], reason: r, detail: {aspect: a, required: b}}"), "only one detail is allowed"},
		{"too many exceptions", "version: 1\nlimits: {max-allow: 0}\n" + strings.TrimPrefix(allow("{rule: missing-aspect, kernels: [a], reason: r, expires: 2027-01-01}"), "version: 1\n"), "p.yaml:3: allow: too many entries: 1 (limits.max-allow is 0)"},
		{"a limit below 0", "version: 1\nlimits: {max-allow: -1}\n", `expected a non-negative decimal number without leading zeros, got "-1"`},
		{"a number that YAML versions read differently", "version: 1\nlimits: {max-allow: 010}\n", `p.yaml:2: limits.max-allow: expected a non-negative decimal number without leading zeros, got "010"`},
		{"a hexadecimal number", "version: 1\nlimits: {max-baseline: 0x10}\n", `without leading zeros, got "0x10"`},
		{"a detail with a leading zero", allow("{rule: unsupported-sub-group-size, kernels: [a], reason: r, expires: 2027-01-01, detail: {sub-group-size: 016}}"), `detail.sub-group-size: expected a non-negative decimal number without leading zeros, got "016"`},
		{"an alias", "version: 1\ndevices: {required: &a [x], supported: *a}\n", "references (& and *) are not supported; repeat the value"},
		{"aliases of aliases", "version: 1\nrules: &a {missing-aspect: off}\nlimits: *a\n", "references (& and *) are not supported; repeat the value"},
		{"a merge key", "version: 1\nlimits: {<<: {max-allow: 1}}\n", `unknown key "<<"`},
		{"a tag", "version: !!str 1\n", "p.yaml:1: version: tags such as !!str are not supported"},
		{"a second document", "version: 1\n---\nversion: 1\n", "p.yaml:2: the file contains more than one YAML document; keep one"},
		{"invalid YAML", "version: 1\n\tx", "; correct the syntax"},
		{"a very long file", "version: 1\n" + strings.Repeat("#", 1<<20), "file too large (limit 1048576 bytes)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadPolicy("p.yaml", strings.NewReader(test.text))
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func wholeBaseline(t testing.TB) string {
	t.Helper()
	b := NewBaseline(Evaluate(Input{Reports: facts(reporttest.Everything()), Today: today}))
	return testkit.Written(t, b.Encode)
}

func TestBaselineFile(t *testing.T) {
	text := wholeBaseline(t)
	testkit.Golden(t, "baseline.json", text)
	b, err := ReadBaseline("b.json", strings.NewReader(text))
	testkit.NoError(t, err)
	var again bytes.Buffer
	if err := b.Encode(&again); err != nil || again.String() != text {
		t.Errorf("%v, written again:\n%s", err, again.String())
	}
}

func TestResultFile(t *testing.T) { testkit.Golden(t, "result.json", encoded(t, whole(t))) }

func TestReadBaselineErrors(t *testing.T) {
	text := wholeBaseline(t)
	replace := func(old, new string) string {
		t.Helper()
		if !strings.Contains(text, old) {
			t.Fatalf("no %q in %s", old, text)
		}
		return strings.Replace(text, old, new, 1)
	}
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "the file is empty"},
		{"an unknown schema", replace("compat-baseline/v1", "compat-baseline/v2"), "not a baseline"},
		{"an unsupported version", replace(`"1.0"`, `"1.1"`), `unsupported version "1.1"; expected 1.0`},
		{"an edited requirement", replace(`"required":"fp64"`, `"required":"fp16"`), "does not match its entry"},
		{"a rule that baselines do not support", replace(`"rule":"missing-aspect"`, `"rule":"coverage-lost"`), "does not match its entry"},
		{"a count below 1", replace(`"count":1`, `"count":0`), "count 0 is out of range (1 to 2147483647)"},
		{"a duplicate member", replace(`"count":1`, `"count":1,"count":2`), `b.json:8: duplicate member "count"`},
		{"an unrelated file", "secret: 'x'", "not a baseline"},
		{"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n", "b.json: this is a Git LFS pointer instead of the file; run 'git lfs pull'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadBaseline("b.json", strings.NewReader(test.text))
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func FuzzReadPolicy(f *testing.F) {
	f.Add(wholePolicy)
	f.Add("version: 1\nlimits: {<<: {max-allow: 1}}\n")
	f.Add("version: 1\nallow: [{rule: undetermined, kernels: ['*'], detail: {required: x}, reason: r, expires: 2027-01-01}]")
	reports := facts(reporttest.Everything())
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ReadPolicy("p.yaml", strings.NewReader(text))
		var syntax *SyntaxError
		if err != nil {
			if !errors.As(err, &syntax) {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		r := Evaluate(Input{Reports: reports, Policy: p, BasePolicy: DefaultPolicy(), Today: today})
		if (r.Conclusion == Failure) != (r.Counts.Failing > 0) {
			t.Error("the conclusion does not match the counts")
		}
	})
}

func FuzzReadBaseline(f *testing.F) {
	f.Add([]byte(wholeBaseline(f)))
	f.Add([]byte(`{"schema":"` + baselineFormat.schema + `","schema-version":"1.0","targets":[{"label":"x","devices":null}]}`))
	reports := facts(reporttest.Everything())
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ReadBaseline("b.json", bytes.NewReader(data))
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		r := Evaluate(Input{Reports: reports, Baseline: b, Today: today})
		var out bytes.Buffer
		testkit.NoError(t, Prune(b, r).Encode(&out))
		if _, err := ReadBaseline("again.json", &out); err != nil {
			t.Errorf("cannot read the pruned baseline: %v", err)
		}
	})
}
