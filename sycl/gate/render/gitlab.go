package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

type (
	gitlabIssue struct {
		CheckName   gate.RuleID    `json:"check_name"`
		Description string         `json:"description"`
		Fingerprint string         `json:"fingerprint"`
		Location    gitlabLocation `json:"location"`
		Severity    string         `json:"severity"`
	}
	gitlabLocation struct {
		Lines gitlabLines `json:"lines"`
		Path  string      `json:"path"`
	}
	gitlabLines struct {
		Begin int `json:"begin"`
	}
)

// GitLab writes the findings that the policy does not cover, and the notices, as a Code
// Quality report. GitLab compares reports of branches by itself, so known ones
// are in it. Each issue needs a file: those for which none is known are at the fallback.
func GitLab(w io.Writer, r *gate.Result, fallback string) error {
	if !safetext.IsPath(fallback) {
		fallback = "BUILD.bazel"
	}
	severities := map[gate.Severity]string{gate.Note: "info", gate.Warning: "minor", gate.Error: "critical"}
	issues := []gitlabIssue{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Covered() {
			continue
		}
		issue := gitlabIssue{CheckName: f.Rule, Description: stop(upperFirst(Message(f))), Fingerprint: f.Fingerprint, Severity: severities[f.Severity]}
		issue.Location.Path, issue.Location.Lines.Begin = f.Path, max(f.Line, 1)
		if f.Path == "" {
			issue.Location.Path = fallback
		}
		issues = append(issues, issue)
	}
	for _, n := range r.Notices {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", n.Rule, n.File, n.Text))
		issue := gitlabIssue{CheckName: n.Rule, Description: stop(upperFirst(safetext.Escape(n.Text))), Fingerprint: hex.EncodeToString(sum[:16]), Severity: severities[n.Severity]}
		if n.Fails {
			issue.Severity = severities[gate.Error]
		}
		issue.Location.Path, issue.Location.Lines.Begin = n.File, max(n.Line, 1)
		if !safetext.IsPath(n.File) {
			issue.Location.Path = fallback
		}
		issues = append(issues, issue)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(issues)
}
