// Package render shows the results of package gate: as text for a terminal or a log, as Markdown,
// and as SARIF, JUnit and GitLab Code Quality for other programs.
//
// All formats are generated from one [gate.Result], so they agree. An attacker may control all text
// in a result, so each format makes such text visible and inert.
package render
