package gate

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rules-sycl/rules_sycl/sycl/internal/strict"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Limits of a policy file.
const (
	maxPolicy   = 1 << 20 // bytes
	maxElements = 1000    // per list
	maxPattern  = 1000    // bytes
)

// ReadPolicy reads a policy; name is used in errors. It rejects unknown and duplicate keys,
// references and tags.
func ReadPolicy(name string, r io.Reader) (*Policy, error) {
	root, err := strict.YAML(r, maxPolicy)
	var syntaxErr *strict.YAMLError
	switch {
	case errors.As(err, &syntaxErr):
		return nil, &SyntaxError{File: name, Line: syntaxErr.Line, Msg: syntaxErr.Msg}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case root == nil:
		return nil, &SyntaxError{File: name, Msg: `empty policy; "version: 1" is required`}
	}
	p := policyReader{Policy: DefaultPolicy()}
	p.File, p.Required, p.locations = name, nil, map[string]policyLocation{}
	if err := p.policy(root); err != nil {
		return nil, err
	}
	return p.Policy, nil
}

// A policyReader builds a policy from YAML nodes.
type policyReader struct{ *Policy }

func (p *policyReader) errorf(n *yaml.Node, path, format string, args ...any) error {
	return &SyntaxError{File: p.File, Line: n.Line, Key: path, Msg: fmt.Sprintf(format, args...)}
}

// A nodeReader reads the value of a key. path holds the keys that lead to it.
type nodeReader func(path string, n *yaml.Node) error

func (p *policyReader) policy(n *yaml.Node) error {
	if strict.IsNull(n) {
		return p.errorf(n, "", `empty policy; "version: 1" is required`)
	}
	// Without a version, this may be an unrelated file. Errors then do not quote it, because it may
	// contain secrets.
	if n.Kind == yaml.MappingNode && !slices.ContainsFunc(n.Content, func(k *yaml.Node) bool { return k.Value == "version" }) {
		return p.errorf(n, "", `missing "version: 1"; add it if this file is a policy`)
	}
	var version string
	lines, err := p.mapping(n, "", map[string]nodeReader{
		"version": p.typed("1", "!!int", func(value string) error { version = value; return nil }),
		"devices": p.keys(map[string]nodeReader{
			"required":    p.devices(&p.Required),
			"supported":   p.devices(&p.Supported),
			"informative": p.devices(&p.Informative),
		}),
		"fail-on": p.scalar("a string", func(value string) (err error) {
			p.FailOn, err = ParseFailOn(value)
			return err
		}),
		"fail-on-severity": p.failOnSeverity,
		"fail-on-empty":    p.boolean(&p.FailOnEmpty),
		"fail-on-stale":    p.boolean(&p.FailOnStale),
		"undetermined":     p.severity(&p.Undetermined),
		"rules":            p.rules,
		"families":         p.sequence(p.family),
		"allow":            p.sequence(p.exception),
		"limits": p.keys(map[string]nodeReader{
			"max-allow":         p.number(&p.MaxAllow),
			"max-baseline":      p.number(&p.MaxBaseline),
			"allow-without-end": p.boolean(&p.NeverEnds),
		}),
		"compare-with-base": p.scalar("required or optional", func(value string) (err error) {
			p.CompareWithBase, err = ParseCompareWithBase(value)
			return err
		}),
	})
	switch {
	case err != nil:
		return err
	case lines["version"] == 0:
		return p.errorf(n, "", `missing "version: 1"; add it if this file is a policy`)
	case version != "1":
		return &SyntaxError{File: p.File, Line: lines["version"], Key: "version", Msg: fmt.Sprintf("unsupported version %q; expected 1, or use a newer tool", version)}
	case len(p.Required)+len(p.Supported)+len(p.Informative) == 0:
		p.Required = []string{"*"}
	}
	return p.checkLimits(lines["allow"])
}

// checkLimits checks the list of exceptions, which starts at line. It runs last because the limits
// may follow the list.
func (p *policyReader) checkLimits(line int) error {
	if len(p.Allow) > p.MaxAllow {
		return &SyntaxError{File: p.File, Line: line, Key: "allow", Msg: fmt.Sprintf("too many entries: %d (limits.max-allow is %d)", len(p.Allow), p.MaxAllow)}
	}
	for _, x := range p.Allow {
		if x.Expires == "" && !p.NeverEnds {
			return &SyntaxError{File: p.File, Line: x.Line, Key: "allow", Msg: `missing "expires", the last day of the exception, as in 2027-03-31; "limits: {allow-without-end: true}" makes it optional`}
		}
	}
	return nil
}

func (p *policyReader) failOnSeverity(path string, n *yaml.Node) error {
	if err := p.severity(&p.FailOnSeverity)(path, n); err != nil {
		return err
	}
	if p.FailOnSeverity == Off {
		return p.errorf(n, path, "expected note, warning or error; to let every check pass, use \"fail-on: none\"")
	}
	return nil
}

// findingRules returns the ids of the rules that policies can name.
func findingRules() (ids []string) {
	for _, r := range rules {
		if r.Finding {
			ids = append(ids, string(r.ID))
		}
	}
	return ids
}

func (p *policyReader) rules(path string, n *yaml.Node) error {
	known := map[string]nodeReader{}
	for _, id := range findingRules() {
		known[id] = func(path string, n *yaml.Node) error {
			var s Severity
			err := p.severity(&s)(path, n)
			p.Rules[RuleID(id)] = s
			return err
		}
	}
	known[string(Undetermined)] = func(path string, n *yaml.Node) error {
		return p.errorf(n, path, `the key "undetermined" of the policy sets the level of this rule`)
	}
	return p.keys(known)(path, n)
}

func (p *policyReader) family(path string, n *yaml.Node) error {
	f := Family{Line: n.Line}
	need := "any"
	lines, err := p.mapping(n, path, map[string]nodeReader{"name": p.text(&f.Name), "kernels": p.patterns(&f.Kernels), "need": p.text(&need)})
	switch {
	case err != nil:
		return err
	case lines["name"] == 0 || lines["kernels"] == 0:
		return p.errorf(n, path, `"name" and "kernels" are required`)
	case need != "any":
		return p.errorf(n, path, `unknown value %q of need; expected any (one kernel that runs on a device is enough)`, need)
	case slices.ContainsFunc(p.Families, func(o Family) bool { return o.Name == f.Name }):
		return p.errorf(n, path, "duplicate family %q", f.Name)
	}
	p.Families = append(p.Families, f)
	return nil
}

func (p *policyReader) exception(path string, n *yaml.Node) error {
	x := Exception{Line: n.Line}
	var rule, detail string
	lines, err := p.mapping(n, path, map[string]nodeReader{
		"rule":    p.text(&rule),
		"kernels": p.patterns(&x.Kernels),
		"devices": p.patterns(&x.Devices),
		"targets": p.patterns(&x.Targets),
		"detail":  p.detail(&detail, &x.Detail),
		"reason":  p.text(&x.Reason),
		"owner":   p.text(&x.Owner),
		"issue":   p.text(&x.Issue),
		"expires": p.date(&x.Expires),
	})
	if err != nil {
		return err
	}
	for _, k := range []string{"rule", "kernels", "reason"} {
		if lines[k] == 0 {
			return p.errorf(n, path, "missing %q; add the key", k)
		}
	}
	if x.Rule = RuleID(rule); !slices.Contains(findingRules(), rule) {
		return p.errorf(n, path, "unknown rule %q; %s", rule, safetext.Suggest(rule, findingRules()))
	}
	if r, _ := LookupRule(x.Rule); detail != "" && r.Detail != detail {
		return p.errorf(n, path, "rule %s has no detail %s", rule, detail)
	}
	if x.isForAll() {
		return p.errorf(n, path, `the exception covers all kernels, devices and targets; restrict it, or turn the rule off: "rules: {%s: off}"`, x.Rule)
	}
	p.Allow = append(p.Allow, x)
	return nil
}

// isForAll reports whether an exception covers all findings of its rule.
func (x *Exception) isForAll() bool {
	all := func(patterns []string, others ...string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			return strings.Trim(p, "*") == "" || slices.Contains(others, strings.TrimRight(p, "*"))
		})
	}
	return all(x.Kernels, "_Z", "_ZTS") && (len(x.Devices) == 0 || all(x.Devices)) && (len(x.Targets) == 0 || all(x.Targets, "//")) &&
		strings.Trim(x.Detail, "*") == ""
}

// maxDays is the maximum number of days until an exception expires.
const maxDays = 731

// CheckEnds returns an error if an exception expires so late that it is effectively permanent.
func (p *Policy) CheckEnds(today time.Time) error {
	last := today.UTC().AddDate(0, 0, maxDays).Format(dateFormat)
	for i := range p.Allow {
		if x := &p.Allow[i]; x.Expires > last && !p.NeverEnds {
			return &SyntaxError{File: p.File, Line: x.Line, Key: "allow", Msg: fmt.Sprintf("%s expires on %s; the latest allowed date is %s, two years from today. \"limits: {allow-without-end: true}\" allows exceptions without an expiry date", x.name(), x.Expires, last)}
		}
	}
	return nil
}

// detail reads a mapping with one key, which is the detail key of a rule.
func (p *policyReader) detail(key, value *string) nodeReader {
	known := map[string]nodeReader{}
	for _, r := range rules {
		if r.Detail == "" {
			continue
		}
		known[r.Detail] = func(path string, n *yaml.Node) error {
			if *key != "" {
				return p.errorf(n, path, "only one detail is allowed")
			}
			*key = r.Detail
			if n.ShortTag() == "!!int" {
				return p.typed("a string", "!!int", func(v string) error {
					*value = v
					_, err := parseNumber(v)
					return err
				})(path, n)
			}
			return p.text(value)(path, n)
		}
	}
	return p.keys(known)
}

// keys reads a mapping, see [policyReader.mapping].
func (p *policyReader) keys(known map[string]nodeReader) nodeReader {
	return func(path string, n *yaml.Node) error {
		_, err := p.mapping(n, path, known)
		return err
	}
}

// mapping reads a mapping with keys from the given set. It returns the lines of the keys that are
// present.
func (p *policyReader) mapping(n *yaml.Node, path string, known map[string]nodeReader) (lines map[string]int, err error) {
	if err := p.checkKind(n, path, yaml.MappingNode, `keys with values; write "key: value"`); err != nil {
		return nil, err
	}
	lines = map[string]int{}
	for kv := range slices.Chunk(n.Content, 2) {
		if err := p.checkKind(kv[0], path, yaml.ScalarNode, "a key"); err != nil {
			return nil, err
		}
		key := kv[0].Value
		read, ok := known[key]
		if !ok {
			return nil, p.errorf(kv[0], path, "unknown key %q; %s", key, safetext.Suggest(key, slices.Sorted(maps.Keys(known))))
		}
		at := strings.TrimPrefix(path+"."+key, ".")
		if line := lines[key]; line > 0 {
			return nil, p.errorf(kv[0], at, "duplicate key, also on line %d; remove one", line)
		}
		lines[key] = kv[0].Line
		if err := read(at, kv[1]); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// checkKind returns an error for nodes of a different kind, references and tags.
func (p *policyReader) checkKind(n *yaml.Node, path string, kind yaml.Kind, what string) error {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return p.errorf(n, path, "references (& and *) are not supported; repeat the value")
	case n.Style&yaml.TaggedStyle != 0:
		return p.errorf(n, path, "tags such as %s are not supported; remove the tag", n.Tag)
	case n.Kind != kind || kind == yaml.ScalarNode && strict.IsNull(n):
		return p.errorf(n, path, "expected %s", what)
	}
	return nil
}

// typed is like scalar for values of the type with a given tag.
func (p *policyReader) typed(what, tag string, set func(value string) error) nodeReader {
	read := p.scalar(what, set)
	return func(path string, n *yaml.Node) error {
		if n.Kind == yaml.ScalarNode && n.ShortTag() != tag && !strict.IsNull(n) && n.Style&yaml.TaggedStyle == 0 {
			return p.errorf(n, path, "expected %s, got %s", what, safetext.Quote(n.Value))
		}
		return read(path, n)
	}
}

// scalar reads a value that is neither a list nor a mapping. set returns an error for an invalid
// value.
func (p *policyReader) scalar(what string, set func(value string) error) nodeReader {
	return func(path string, n *yaml.Node) error {
		if err := p.checkKind(n, path, yaml.ScalarNode, what); err != nil {
			return err
		}
		if err := set(n.Value); err != nil {
			return p.errorf(n, path, "%v", err)
		}
		return nil
	}
}

func (p *policyReader) text(to *string) nodeReader {
	return p.typed("a string", "!!str", func(value string) error {
		*to = value
		if strings.TrimSpace(value) == "" {
			return errors.New("empty string")
		}
		return nil
	})
}

func (p *policyReader) boolean(to *bool) nodeReader {
	return p.typed("true or false", "!!bool", func(value string) error {
		*to = value == "true"
		if value != "true" && value != "false" {
			return fmt.Errorf("expected true or false, got %q", value)
		}
		return nil
	})
}

func (p *policyReader) number(to *int) nodeReader {
	return p.typed("a number", "!!int", func(value string) (err error) {
		*to, err = parseNumber(value)
		return err
	})
}

// parseNumber parses a decimal number. It rejects leading zeros, because 010 is 8 in YAML 1.1 and
// 10 in YAML 1.2.
func parseNumber(value string) (int, error) {
	v, err := strconv.ParseUint(value, 10, 31)
	if err != nil || strconv.FormatUint(v, 10) != value {
		return 0, fmt.Errorf("expected a non-negative decimal number without leading zeros, got %q", value)
	}
	return int(v), nil
}

func (p *policyReader) severity(to *Severity) nodeReader {
	return p.scalar("a severity", func(value string) (err error) {
		*to, err = ParseSeverity(value)
		return err
	})
}

func (p *policyReader) date(to *string) nodeReader {
	return p.scalar("a date", func(value string) error {
		*to = value
		_, err := ParseDate(value)
		return err
	})
}

// sequence calls read for each element of a list.
func (p *policyReader) sequence(read nodeReader) nodeReader {
	return func(path string, n *yaml.Node) error {
		if err := p.checkKind(n, path, yaml.SequenceNode, "a list such as [a, b]"); err != nil {
			return err
		}
		if len(n.Content) > maxElements {
			return p.errorf(n, path, "too many elements (limit %d)", maxElements)
		}
		for i, e := range n.Content {
			if err := read(fmt.Sprintf("%s[%d]", path, i), e); err != nil {
				return err
			}
		}
		return nil
	}
}

// devices is like patterns for device names, and records their locations.
func (p *policyReader) devices(to *[]string) nodeReader {
	read := p.patterns(to)
	return func(path string, n *yaml.Node) error {
		if err := read(path, n); err != nil {
			return err
		}
		for _, e := range n.Content {
			if p.locations[e.Value].key == "" {
				p.locations[e.Value] = policyLocation{path, e.Line}
			}
		}
		return nil
	}
}

func (p *policyReader) patterns(to *[]string) nodeReader {
	read := p.sequence(func(path string, n *yaml.Node) error {
		var s string
		if err := p.text(&s)(path, n); err != nil {
			return err
		}
		if len(s) > maxPattern {
			return p.errorf(n, path, "pattern too long (limit %d bytes)", maxPattern)
		}
		*to = append(*to, s)
		return nil
	})
	return func(path string, n *yaml.Node) error {
		*to = []string{}
		if err := read(path, n); err != nil {
			return err
		}
		if len(*to) == 0 {
			return p.errorf(n, path, "empty list")
		}
		return nil
	}
}
