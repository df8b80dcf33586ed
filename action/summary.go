package main

import (
	"errors"
	"fmt"
	"os"
)

// maxSummary is the file size above which the runner drops the whole summary of a step.
const maxSummary = 1 << 20

// ownSummary limits the action's part of the summary, in bytes. The report has the details.
const ownSummary = 100_000

// A summaryDraft writes a summary in at most limit bytes. It returns an error that wraps
// [errTooLong] if that is impossible.
type summaryDraft func(limit int) (string, error)

// errTooLong is returned if a text cannot be shortened enough.
var errTooLong = errors.New("the text is too long")

// summary appends the first draft that fits to the summary of the step, which may have content from
// elsewhere. It returns the index of the draft.
func (r *runner) summary(drafts ...summaryDraft) (int, error) {
	const variable = "GITHUB_STEP_SUMMARY"
	path := r.getenv(variable)
	if path == "" {
		return 0, fmt.Errorf("the variable %s is not set", variable)
	}
	var used int64
	if info, err := os.Stat(path); err == nil {
		used = info.Size()
	}
	const margin = 1 << 10
	limit := min(maxSummary-margin-used, ownSummary)
	if limit < 200 {
		return 0, fmt.Errorf("earlier parts of the step used all %d bytes of the summary", used)
	}
	for i, draft := range drafts {
		text, err := draft(int(limit))
		if err == nil && int64(len(text)) > limit {
			err = errTooLong
		}
		if errors.Is(err, errTooLong) {
			continue
		}
		if err != nil {
			return i, err
		}
		return i, r.fileCommand("step-summary", "\n"+text)
	}
	return 0, errTooLong
}
