package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
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

// GitLab writes a result as a Code Quality report. As in [SARIF], each issue is reported for the
// file that it is about. Problems that are not about a file are omitted, because GitLab rejects
// them.
func GitLab(w io.Writer, r *gate.Result, o ScanOptions) error {
	severities := map[gate.Severity]string{gate.Note: "info", gate.Warning: "minor", gate.Error: "critical"}
	issues := []gitlabIssue{}
	add := func(at fileLocation, i gitlabIssue) {
		i.Location = gitlabLocation{gitlabLines{max(at.line, 1)}, at.path}
		issues = append(issues, i)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if at, ok := fileOf(r, f); ok && o.shows(f) {
			add(at, gitlabIssue{CheckName: f.Rule, Description: show.Sentence(message(f)), Fingerprint: f.Fingerprint, Severity: severities[f.Severity]})
		}
	}
	for _, n := range r.Notices {
		if !safetext.IsPath(n.File) {
			continue
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", n.Rule, n.File, n.Text))
		severity := n.Severity
		if n.Fails {
			severity = gate.Error
		}
		add(fileLocation{n.File, n.Line, 0}, gitlabIssue{CheckName: n.Rule, Description: show.Sentence(safetext.Escape(n.Text)), Fingerprint: hex.EncodeToString(sum[:16]), Severity: severities[severity]})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(issues)
}
