package gate

import (
	"encoding/json"
	"io"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

type (
	gitlabIssue struct {
		CheckName   RuleID         `json:"check_name"`
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

// WriteGitLab writes the findings that the policy does not cover as a Code
// Quality report. GitLab compares reports of branches by itself, so known ones
// are there, too. Each issue needs a file: those for which none is known are at
// the fallback.
func WriteGitLab(w io.Writer, r *Result, fallback string) error {
	if !safetext.IsPath(fallback) {
		fallback = "BUILD.bazel"
	}
	severities := map[Severity]string{Note: "info", Warning: "minor", Error: "critical"}
	issues := []gitlabIssue{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Covered() {
			continue
		}
		issue := gitlabIssue{CheckName: f.Rule, Description: stop(upperFirst(f.Message())), Fingerprint: f.Fingerprint, Severity: severities[f.Severity]}
		issue.Location.Path, issue.Location.Lines.Begin = f.Path, max(f.Line, 1)
		if f.Path == "" {
			issue.Location.Path = fallback
		}
		issues = append(issues, issue)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(issues)
}
