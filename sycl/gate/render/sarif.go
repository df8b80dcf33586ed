package render

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// maxSARIF is the maximum number of results that GitHub shows per run.
const maxSARIF = 5000

// URLs of the pages that explain the gate and its rules. TestPaths in tools/lint checks that the
// pages exist.
const (
	gateURI = "https://github.com/rules-sycl/rules_sycl/blob/main/docs/check/policies.md"
	helpURI = "https://github.com/rules-sycl/rules_sycl/blob/main/docs/reference/gate-rules.md"
)

// sourceRoot is the base of relative paths.
const sourceRoot = "SRCROOT"

// ScanOptions select the problems that code scanners receive.
type ScanOptions struct {
	// All includes known problems that do not fail, and problems that the policy allows. GitHub
	// code scanning opens an alert even for a suppressed result.
	All bool
}

// shows reports whether a problem is included.
func (o ScanOptions) shows(f *gate.Finding) bool {
	return o.All || f.Fails || !f.IsCovered() && f.State == gate.StateNew
}

// SARIF writes a result as SARIF 2.1.0 for code scanning. Each result has a location in the file
// that it is about. A problem that is not about a file becomes a notification.
func SARIF(w io.Writer, r *gate.Result, o ScanOptions) error {
	s := sarif{Result: r, index: map[gate.RuleID]int{}, lines: lineIndex{r.Workspace, map[string][]sourceLine{}}}
	s.run = sarifRun{ColumnKind: "utf16CodeUnits", Bases: map[string]sarifBase{sourceRoot: {sarifText{"The root of the source tree."}}},
		Results: []sarifResult{}, Invocations: []sarifInvocation{{Successful: true}}}
	if r.Category != "" {
		s.run.Automation = &sarifAutomation{safetext.Escape(r.Category) + "/"}
	}
	s.run.Tool.Driver = sarifDriver{Name: "rules_sycl compat", Version: r.Generator.Version, InformationURI: gateURI, Rules: []sarifRule{}}
	for _, rule := range gate.Rules() {
		if rule.Finding {
			s.rule(rule)
		}
	}
	left := 0
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case !o.shows(f):
		case len(s.run.Results) == maxSARIF:
			left++
		default:
			s.result(f)
		}
	}
	if left > 0 {
		s.note("warning", "", fmt.Sprintf("omitted the %d least severe findings, because a run can have at most %d", left, maxSARIF), nil)
	}
	for _, n := range r.Notices {
		var at []sarifLocation
		if safetext.IsPath(n.File) {
			at = []sarifLocation{{Physical: s.physical(fileLocation{n.File, n.Line, 0})}}
		}
		s.note(sarifLevel(n.Severity), string(n.Rule), n.Text, at)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{s.run}})
}

// A sarif builds the run of a log.
type sarif struct {
	*gate.Result
	run   sarifRun
	index map[gate.RuleID]int // of rules in the run
	lines lineIndex
}

func (s *sarif) rule(r gate.Rule) {
	driver := &s.run.Tool.Driver
	s.index[r.ID] = len(driver.Rules)
	long := strings.ReplaceAll(r.Long, "\n", " ")
	driver.Rules = append(driver.Rules, sarifRule{ID: string(r.ID), Name: camel(string(r.ID)),
		Short: sarifText{r.Short}, Full: sarifText{r.Short + " " + long}, Help: sarifText{long},
		HelpURI: helpURI + "#" + string(r.ID), Default: sarifConfiguration{sarifLevel(r.Level)}})
}

func (s *sarif) note(level, rule, text string, at []sarifLocation) {
	n := sarifNotification{Level: level, Message: sarifMessage(safetext.Escape(text)), Locations: at}
	if rule != "" {
		n.Descriptor = &sarifDescriptor{rule}
	}
	s.run.Invocations[0].Notifications = append(s.run.Invocations[0].Notifications, n)
}

func (s *sarif) result(f *gate.Finding) {
	sentence := show.Sentence(message(f))
	at, ok := fileOf(s.Result, f)
	if !ok {
		s.note(sarifLevel(f.Severity), string(f.Rule), sentence, nil)
		return
	}
	out := sarifResult{RuleID: string(f.Rule), RuleIndex: s.index[f.Rule], Kind: "fail", Level: sarifLevel(f.Severity),
		Message:      sarifMessage(sentence),
		Locations:    []sarifLocation{{Physical: s.physical(at)}},
		Fingerprints: map[string]string{"syclCompat/v1": f.Fingerprint},
		Properties:   sarifProperties{Devices: []string{}, Fails: f.Fails, Target: safetext.Escape(f.Target)}}
	if f.Kernel != "" {
		out.Locations[0].Logical = []sarifLogical{{safetext.Escape(f.Kernel), safetext.Escape(f.Name), "function"}}
	}
	if s.Compared {
		out.State = f.State
	}
	switch {
	case f.IsCovered():
		out.Suppressions = []sarifSuppression{{"external", "accepted", plainWords.disposition(f)}}
	case f.State != gate.StateNew && !f.Fails:
		out.Suppressions = []sarifSuppression{{"external", "accepted", "known before this change"}}
	}
	if line := s.lines.line(at.path, at.line); line.hash != "" {
		out.Fingerprints["primaryLocationLineHash"] = line.hash
	}
	for _, d := range f.Devices {
		out.Properties.Devices = append(out.Properties.Devices, safetext.Escape(d.ID))
	}
	s.run.Results = append(s.run.Results, out)
}

// physical returns a location with the four numbers that code scanning requires. A problem of a
// whole file is reported at its first line.
func (s *sarif) physical(at fileLocation) *sarifPhysical {
	line, column := max(at.line, 1), max(at.column, 1)
	end := max(s.lines.line(at.path, line).length, column) + 1
	return &sarifPhysical{Artifact: sarifArtifact{relativeURI(at.path), sourceRoot}, Region: sarifRegion{line, column, line, end}}
}

// relativeURI returns a path as a relative URI. A colon could end a scheme.
func relativeURI(path string) string {
	return strings.ReplaceAll((&url.URL{Path: path}).EscapedPath(), ":", "%3A")
}

// sarifMessage returns text as a message without links or placeholders.
func sarifMessage(s string) sarifText {
	return sarifText{strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(s)}
}

func sarifLevel(s gate.Severity) string {
	if s == gate.Off {
		return "none"
	}
	return s.String()
}

// camel returns a rule id in camel case, as SARIF requires for names, or "" if it is a single word.
func camel(id string) string {
	if !strings.Contains(id, "-") {
		return ""
	}
	var b strings.Builder
	for part := range strings.SplitSeq(id, "-") {
		b.WriteString(show.UpperFirst(part))
	}
	return b.String()
}

// Parts of SARIF 2.1.0 that a log uses, in the order of their members. The types of go-sarif have
// all parts, but write empty lists for unused parts.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool            `json:"tool"`
		Automation  *sarifAutomation     `json:"automationDetails,omitempty"`
		Bases       map[string]sarifBase `json:"originalUriBaseIds"`
		Invocations []sarifInvocation    `json:"invocations"`
		ColumnKind  string               `json:"columnKind"`
		Results     []sarifResult        `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string             `json:"id"`
		Name    string             `json:"name,omitempty"` // "" if equal to the id
		Short   sarifText          `json:"shortDescription"`
		Full    sarifText          `json:"fullDescription"`
		Help    sarifText          `json:"help"`
		HelpURI string             `json:"helpUri"`
		Default sarifConfiguration `json:"defaultConfiguration"`
	}
	sarifConfiguration struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifBase struct {
		Description sarifText `json:"description"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Descriptor *sarifDescriptor `json:"descriptor,omitempty"`
		Level      string           `json:"level"`
		Message    sarifText        `json:"message"`
		Locations  []sarifLocation  `json:"locations,omitempty"`
	}
	sarifDescriptor struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Kind         string             `json:"kind"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		State        gate.State         `json:"baselineState,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   sarifProperties    `json:"properties"`
	}
	sarifProperties struct {
		Devices []string `json:"devices"`
		Fails   bool     `json:"fails"`
		Target  string   `json:"target"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"` // after the last character
	}
	sarifLogical struct {
		Name      string `json:"name"`
		Qualified string `json:"fullyQualifiedName"`
		Kind      string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
)
