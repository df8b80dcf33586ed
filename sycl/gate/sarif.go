package gate

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// maxSARIF is how many results GitHub shows of a run.
const maxSARIF = 5000

// HelpURI is where the rules are explained.
const HelpURI = "https://github.com/rules-sycl/rules_sycl/blob/main/docs/gate.md"

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Automation  *sarifAutomation  `json:"automationDetails,omitempty"`
		Bases       map[string]any    `json:"originalUriBaseIds"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
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
		ID      string         `json:"id"`
		Name    string         `json:"name,omitempty"` // "" when it is no other than the id
		Short   sarifText      `json:"shortDescription"`
		Full    sarifText      `json:"fullDescription"`
		Help    sarifText      `json:"help"`
		HelpURI string         `json:"helpUri"`
		Default map[string]any `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
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
		State        State              `json:"baselineState,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   map[string]any     `json:"properties"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
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

const sourceRoot = "SRCROOT"

// WriteSARIF writes a result as SARIF 2.1.0 for code scanning. Findings for which
// no place is known are at the file fallback, such as the report.
func WriteSARIF(w io.Writer, r *Result, fallback string) error {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Bases: map[string]any{sourceRoot: map[string]any{"description": sarifText{"The root of the source tree."}}},
		Results: []sarifResult{}, Invocations: []sarifInvocation{{Successful: true}}}
	run.Tool.Driver = sarifDriver{Name: "rules_sycl compat", Version: r.Generator.Version, InformationURI: HelpURI, Rules: []sarifRule{}}
	if r.Category != "" {
		run.Automation = &sarifAutomation{safetext.Escape(r.Category) + "/"}
	}
	index := map[RuleID]int{}
	for _, rule := range rules {
		if !rule.Finding {
			continue
		}
		index[rule.ID] = len(run.Tool.Driver.Rules)
		long := strings.ReplaceAll(rule.Long, "\n", " ")
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: string(rule.ID), Name: camel(string(rule.ID)),
			Short: sarifText{rule.Short}, Full: sarifText{rule.Short + " " + long}, Help: sarifText{long},
			HelpURI: HelpURI + "#" + string(rule.ID), Default: map[string]any{"level": sarifLevel(rule.Level)}})
	}
	if !safetext.IsPath(fallback) {
		fallback = ""
	}
	hasher := lineHasher{Workspace: r.sources}
	for i := range r.Findings {
		if i == maxSARIF {
			run.note("warning", "", fmt.Sprintf("%d findings more than the %d that are here are left out, the least grave ones", len(r.Findings)-i, maxSARIF), "", 0)
			break
		}
		f := &r.Findings[i]
		result := r.sarifResult(f, index[f.Rule], fallback)
		if hash := hasher.hash(f.Path, f.Line); hash != "" {
			result.Fingerprints["primaryLocationLineHash"] = hash
		}
		run.Results = append(run.Results, result)
	}
	for _, n := range r.Notices {
		run.note(sarifLevel(n.Severity), string(n.Rule), n.Text, n.File, n.Line)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

func (run *sarifRun) note(level, rule, text, file string, line int) {
	n := sarifNotification{Level: level, Message: sarifMessage(safetext.Escape(text))}
	if rule != "" {
		n.Descriptor = &sarifDescriptor{rule}
	}
	if safetext.IsPath(file) {
		n.Locations = []sarifLocation{{Physical: physical(file, line)}}
	}
	run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, n)
}

func (r *Result) sarifResult(f *Finding, rule int, fallback string) sarifResult {
	out := sarifResult{RuleID: string(f.Rule), RuleIndex: rule, Kind: "fail", Level: sarifLevel(f.Severity),
		Message:      sarifMessage(stop(upperFirst(f.Message()))),
		Fingerprints: map[string]string{"syclCompat/v1": f.Fingerprint}}
	if r.Compared {
		out.State = f.State
	}
	switch {
	case f.Covered():
		out.Suppressions = []sarifSuppression{{"external", "accepted", plainWords.status(f)}}
	case f.State != StateNew && !f.Fails:
		out.Suppressions = []sarifSuppression{{"external", "accepted", "known before this change"}}
	}
	var at sarifLocation
	switch {
	case f.Path != "":
		at.Physical = physical(f.Path, f.Line)
	case fallback != "":
		at.Physical = physical(fallback, 1)
	}
	if f.Kernel != "" {
		at.Logical = []sarifLogical{{safetext.Escape(f.Kernel), safetext.Escape(f.Name), "function"}}
	}
	if at.Physical != nil || at.Logical != nil {
		out.Locations = []sarifLocation{at}
	}
	devices := []string{}
	for _, d := range f.Devices {
		devices = append(devices, safetext.Escape(d.ID))
	}
	out.Properties = map[string]any{"devices": devices, "fails": f.Fails, "target": safetext.Escape(f.Target)}
	return out
}

func physical(path string, line int) *sarifPhysical {
	p := &sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: path}).EscapedPath(), sourceRoot}}
	if line > 0 {
		p.Region = &sarifRegion{line}
	}
	return p
}

// sarifMessage makes text a message without links or placeholders.
func sarifMessage(s string) sarifText {
	return sarifText{strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(s)}
}

func sarifLevel(s Severity) string {
	if s == Off {
		return "none"
	}
	return s.String()
}

// camel returns the id of a rule as SARIF wants names, "" when it is one word.
func camel(id string) string {
	if !strings.Contains(id, "-") {
		return ""
	}
	var b strings.Builder
	for part := range strings.SplitSeq(id, "-") {
		b.WriteString(upperFirst(part))
	}
	return b.String()
}
