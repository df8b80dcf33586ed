package gate

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rules-sycl/rules_sycl/sycl/internal/yamlnode"
)

// A Policy says what fails the gate. Its patterns match whole names; "*" stands
// for any text. Docs/gate.md describes the file.
type Policy struct {
	File string // as given to ReadPolicy

	Required    []string // patterns of devices: problems are errors
	Supported   []string // warnings
	Informative []string // notes, as problems of devices that no list has

	FailOn         FailOn
	FailOnSeverity Severity // the least that fails
	FailOnEmpty    bool     // no verdict at all is a failure
	FailOnStale    bool     // entries that match nothing or have expired are failures
	Undetermined   Severity // level of the rule of that name
	Rules          map[RuleID]Severity

	Families []Family
	Allow    []Exception

	MaxAllow    int  // entries of the allow list
	MaxBaseline int  // entries of the baseline
	NeverEnds   bool // entries of the allow list may be without an end
}

// FailOn says which problems count.
type FailOn string

const (
	FailOnNew  FailOn = "new"  // those that neither baseline nor base reports have
	FailOnAny  FailOn = "any"  // all
	FailOnNone FailOn = "none" // none: a dry run
)

// ParseFailOn reads a value of "fail-on".
func ParseFailOn(s string) (FailOn, error) {
	switch f := FailOn(s); f {
	case FailOnNew, FailOnAny, FailOnNone:
		return f, nil
	}
	return "", fmt.Errorf("%q is not new, any or none", s)
}

// A Family is a set of kernels of which one that runs on a device is enough.
type Family struct {
	Name    string
	Kernels []string // patterns
	Line    int
}

// Exception is an exception from the rules.
type Exception struct {
	Rule    RuleID
	Kernels []string // patterns of names as people write them or mangled
	Devices []string // patterns, any when empty
	Targets []string // patterns of labels, any when empty
	Detail  string   // pattern of what is required, any when empty
	Reason  string
	Owner   string
	Issue   string
	Expires string // last day that it holds, as 2027-03-31; "" when never
	Line    int
}

// DefaultPolicy is the policy when there is no file: every device is required.
func DefaultPolicy() *Policy {
	return &Policy{Required: []string{"*"}, FailOn: FailOnNew, FailOnSeverity: Error, FailOnEmpty: true, Undetermined: Warning,
		Rules: map[RuleID]Severity{}, MaxAllow: 50, MaxBaseline: 500}
}

// A SyntaxError is a fault of a policy, a baseline or a result, and its place.
type SyntaxError struct {
	File string
	Line int    // from 1, 0 when it is not known
	Key  string // path of keys, may be ""
	Msg  string
}

func (e *SyntaxError) Error() string {
	s := e.File + ": "
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d: ", e.File, e.Line)
	}
	if e.Key != "" {
		s += e.Key + ": "
	}
	return s + e.Msg
}

// BadInput marks the error as caused by a file.
func (*SyntaxError) BadInput() {}

// Limits of a policy file.
const (
	maxPolicy   = 1 << 20
	maxPatterns = 1000 // in one list
	maxPattern  = 1000 // characters
)

// ReadPolicy reads a policy; name is used in errors. It refuses what it does not
// know, what occurs twice, references and tags.
func ReadPolicy(name string, r io.Reader) (*Policy, error) {
	root, err := yamlnode.Read(r, maxPolicy)
	var fault *yamlnode.Fault
	switch {
	case errors.As(err, &fault):
		return nil, &SyntaxError{File: name, Line: fault.Line, Msg: fault.Msg}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case root == nil:
		return nil, &SyntaxError{File: name, Msg: `the file is empty: "version: 1" is needed`}
	}
	p := policyParser{file: name, Policy: DefaultPolicy()}
	p.File, p.Required = name, nil
	if err := p.policy(root); err != nil {
		return nil, err
	}
	return p.Policy, nil
}

// policyParser reads YAML nodes.
type policyParser struct {
	*Policy
	file string
}

func (p *policyParser) errorf(n *yaml.Node, key, format string, args ...any) error {
	return &SyntaxError{File: p.file, Line: n.Line, Key: key, Msg: fmt.Sprintf(format, args...)}
}

// keys are the keys of a mapping with what reads their values.
type keys map[string]func(key string, n *yaml.Node) error

// mapping reads a mapping, whose keys have to be among those given. It returns
// the lines of the keys that there are.
func (p *policyParser) mapping(n *yaml.Node, path string, known keys) (map[string]int, error) {
	if err := p.plain(n, path, yaml.MappingNode, "keys with values"); err != nil {
		return nil, err
	}
	lines := map[string]int{}
	for kv := range slices.Chunk(n.Content, 2) {
		if err := p.plain(kv[0], path, yaml.ScalarNode, "a key"); err != nil {
			return nil, err
		}
		key := kv[0].Value
		at := key
		if path != "" {
			at = path + "." + key
		}
		read, ok := known[key]
		if !ok {
			names := slices.Sorted(func(yield func(string) bool) {
				for k := range known {
					if !yield(k) {
						return
					}
				}
			})
			return nil, p.errorf(kv[0], path, "unknown key %q: %s", key, yamlnode.Meant(key, names))
		}
		if line, ok := lines[key]; ok {
			return nil, p.errorf(kv[0], at, "the key is also on line %d", line)
		}
		lines[key] = kv[0].Line
		if err := read(at, kv[1]); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// plain reports nodes of another kind, references and tags.
func (p *policyParser) plain(n *yaml.Node, path string, kind yaml.Kind, what string) error {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return p.errorf(n, path, "references (& and *) are not allowed")
	case n.Style&yaml.TaggedStyle != 0:
		return p.errorf(n, path, "tags such as %s are not allowed", n.Tag)
	case n.Kind != kind || kind == yaml.ScalarNode && yamlnode.IsNull(n):
		return p.errorf(n, path, "expected %s", what)
	}
	return nil
}

func (p *policyParser) text(to *string) func(string, *yaml.Node) error {
	return func(key string, n *yaml.Node) error {
		if err := p.plain(n, key, yaml.ScalarNode, "a text"); err != nil {
			return err
		}
		*to = n.Value
		if strings.TrimSpace(n.Value) == "" {
			return p.errorf(n, key, "the text is empty")
		}
		return nil
	}
}

func (p *policyParser) boolean(to *bool) func(string, *yaml.Node) error {
	return func(key string, n *yaml.Node) error {
		if err := p.plain(n, key, yaml.ScalarNode, "true or false"); err != nil {
			return err
		}
		if n.Value != "true" && n.Value != "false" {
			return p.errorf(n, key, "expected true or false, not %q", n.Value)
		}
		*to = n.Value == "true"
		return nil
	}
}

func (p *policyParser) number(to *int) func(string, *yaml.Node) error {
	return func(key string, n *yaml.Node) error {
		if err := p.plain(n, key, yaml.ScalarNode, "a number"); err != nil {
			return err
		}
		v, err := strconv.ParseUint(n.Value, 10, 31)
		if err != nil {
			return p.errorf(n, key, "%q is not a number from 0", n.Value)
		}
		*to = int(v)
		return nil
	}
}

func (p *policyParser) severity(to *Severity) func(string, *yaml.Node) error {
	return func(key string, n *yaml.Node) error {
		if err := p.plain(n, key, yaml.ScalarNode, "a severity"); err != nil {
			return err
		}
		s, err := ParseSeverity(n.Value)
		if err != nil {
			return p.errorf(n, key, "%v", err)
		}
		*to = s
		return nil
	}
}

// sequence calls read for each element of a list.
func (p *policyParser) sequence(read func(key string, n *yaml.Node) error) func(string, *yaml.Node) error {
	return func(key string, n *yaml.Node) error {
		if err := p.plain(n, key, yaml.SequenceNode, "a list such as [a, b]"); err != nil {
			return err
		}
		if len(n.Content) > maxPatterns {
			return p.errorf(n, key, "the list has more than %d elements", maxPatterns)
		}
		for i, e := range n.Content {
			if err := read(fmt.Sprintf("%s[%d]", key, i), e); err != nil {
				return err
			}
		}
		return nil
	}
}

func (p *policyParser) patterns(to *[]string) func(string, *yaml.Node) error {
	read := p.sequence(func(key string, n *yaml.Node) error {
		var s string
		if err := p.text(&s)(key, n); err != nil {
			return err
		}
		if len(s) > maxPattern {
			return p.errorf(n, key, "the pattern is longer than %d bytes", maxPattern)
		}
		*to = append(*to, s)
		return nil
	})
	return func(key string, n *yaml.Node) error {
		*to = []string{}
		if err := read(key, n); err != nil {
			return err
		}
		if len(*to) == 0 {
			return p.errorf(n, key, "the list is empty")
		}
		return nil
	}
}

func (p *policyParser) policy(n *yaml.Node) error {
	var version string
	if yamlnode.IsNull(n) {
		return p.errorf(n, "", `the file is empty: "version: 1" is needed`)
	}
	// A file without a version is any other one, and nothing in it is for the eyes of
	// those who read errors.
	if n.Kind == yaml.MappingNode && !slices.ContainsFunc(n.Content, func(k *yaml.Node) bool { return k.Value == "version" }) {
		return p.errorf(n, "", `"version: 1" is missing`)
	}
	lines, err := p.mapping(n, "", keys{
		"version": p.text(&version),
		"devices": func(key string, n *yaml.Node) error {
			_, err := p.mapping(n, key, keys{"required": p.patterns(&p.Required), "supported": p.patterns(&p.Supported), "informative": p.patterns(&p.Informative)})
			return err
		},
		"fail-on": func(key string, n *yaml.Node) error {
			var s string
			if err := p.text(&s)(key, n); err != nil {
				return err
			}
			f, err := ParseFailOn(s)
			if err != nil {
				return p.errorf(n, key, "%v", err)
			}
			p.FailOn = f
			return nil
		},
		"fail-on-severity": func(key string, n *yaml.Node) error {
			if err := p.severity(&p.FailOnSeverity)(key, n); err != nil {
				return err
			}
			if p.FailOnSeverity == Off {
				return p.errorf(n, key, "expected note, warning or error; \"fail-on: none\" makes nothing fail")
			}
			return nil
		},
		"fail-on-empty": p.boolean(&p.FailOnEmpty),
		"fail-on-stale": p.boolean(&p.FailOnStale),
		"undetermined":  p.severity(&p.Undetermined),
		"rules":         p.rules,
		"families":      p.sequence(p.family),
		"allow":         p.sequence(p.allow),
		"limits": func(key string, n *yaml.Node) error {
			_, err := p.mapping(n, key, keys{"max-allow": p.number(&p.MaxAllow), "max-baseline": p.number(&p.MaxBaseline), "allow-without-end": p.boolean(&p.NeverEnds)})
			return err
		},
	})
	switch {
	case err != nil:
		return err
	case lines["version"] == 0:
		return p.errorf(n, "", `"version: 1" is missing`)
	case version != "1":
		return &SyntaxError{File: p.file, Line: lines["version"], Key: "version", Msg: fmt.Sprintf("version %q is not 1: use a newer tool", version)}
	case len(p.Required)+len(p.Supported)+len(p.Informative) == 0:
		p.Required = []string{"*"}
	}
	if len(p.Allow) > p.MaxAllow {
		return &SyntaxError{File: p.file, Line: lines["allow"], Key: "allow", Msg: fmt.Sprintf("the list has %d entries, and limits.max-allow is %d", len(p.Allow), p.MaxAllow)}
	}
	for _, a := range p.Allow {
		if a.Expires == "" && !p.NeverEnds {
			return &SyntaxError{File: p.file, Line: a.Line, Key: "allow", Msg: `"expires" is missing: the last day that the exception holds, as 2027-03-31; "limits: {allow-without-end: true}" makes it optional`}
		}
	}
	return nil
}

// findingRules returns the ids of rules that policies can speak of.
func findingRules() (ids []string) {
	for _, r := range rules {
		if r.Finding {
			ids = append(ids, string(r.ID))
		}
	}
	return ids
}

func (p *policyParser) rules(key string, n *yaml.Node) error {
	known := keys{}
	for _, id := range findingRules() {
		if id == string(Undetermined) {
			continue
		}
		known[id] = func(key string, n *yaml.Node) error {
			var s Severity
			err := p.severity(&s)(key, n)
			p.Rules[RuleID(id)] = s
			return err
		}
	}
	known[string(Undetermined)] = func(key string, n *yaml.Node) error {
		return p.errorf(n, key, `the level of undetermined is the key "undetermined" of the policy`)
	}
	_, err := p.mapping(n, key, known)
	return err
}

func (p *policyParser) family(key string, n *yaml.Node) error {
	f := Family{Line: n.Line}
	need := "any"
	lines, err := p.mapping(n, key, keys{"name": p.text(&f.Name), "kernels": p.patterns(&f.Kernels), "need": p.text(&need)})
	switch {
	case err != nil:
		return err
	case lines["name"] == 0 || lines["kernels"] == 0:
		return p.errorf(n, key, `"name" and "kernels" are needed`)
	case need != "any":
		return p.errorf(n, key, `need is %q, but only "any" has a meaning: one kernel that runs on a device is enough`, need)
	case slices.ContainsFunc(p.Families, func(o Family) bool { return o.Name == f.Name }):
		return p.errorf(n, key, "there is another family %q", f.Name)
	}
	p.Families = append(p.Families, f)
	return nil
}

func (p *policyParser) allow(key string, n *yaml.Node) error {
	a := Exception{Line: n.Line}
	var rule string
	detailKey := ""
	lines, err := p.mapping(n, key, keys{
		"rule":    p.text(&rule),
		"kernels": p.patterns(&a.Kernels),
		"devices": p.patterns(&a.Devices),
		"targets": p.patterns(&a.Targets),
		"detail": func(key string, n *yaml.Node) error {
			known := keys{}
			for _, r := range rules {
				if r.Detail != "" {
					known[r.Detail] = func(key string, n *yaml.Node) error {
						if detailKey != "" {
							return p.errorf(n, key, "there can be one detail")
						}
						detailKey = r.Detail
						return p.text(&a.Detail)(key, n)
					}
				}
			}
			_, err := p.mapping(n, key, known)
			return err
		},
		"reason":  p.text(&a.Reason),
		"owner":   p.text(&a.Owner),
		"issue":   p.text(&a.Issue),
		"expires": p.date(&a.Expires),
	})
	if err != nil {
		return err
	}
	for _, k := range []string{"rule", "kernels", "reason"} {
		if lines[k] == 0 {
			return p.errorf(n, key, "%q is missing", k)
		}
	}
	if a.Rule = RuleID(rule); !slices.Contains(findingRules(), rule) {
		return p.errorf(n, key, "unknown rule %q: %s", rule, yamlnode.Meant(rule, findingRules()))
	}
	if r, _ := LookupRule(a.Rule); detailKey != "" && r.Detail != detailKey {
		return p.errorf(n, key, "findings of %s have no detail %s", rule, detailKey)
	}
	p.Allow = append(p.Allow, a)
	return nil
}

func (p *policyParser) date(to *string) func(string, *yaml.Node) error {
	return func(key string, n *yaml.Node) error {
		if err := p.text(to)(key, n); err != nil {
			return err
		}
		if _, err := time.Parse(dateFormat, n.Value); err != nil {
			return p.errorf(n, key, "%q is not a day such as 2027-03-31", n.Value)
		}
		return nil
	}
}

// level returns what a rule amounts to at most.
func (p *Policy) level(id RuleID) Severity {
	if id == Undetermined {
		return p.Undetermined
	}
	if s, ok := p.Rules[id]; ok {
		return s
	}
	r, _ := LookupRule(id)
	return r.Level
}
