// Package render shows the results of package gate: as text for a terminal or a log, as Markdown,
// and as SARIF, JUnit and GitLab Code Quality for other programs.
//
// All formats are generated from one [gate.Result], so that they agree. Everything in a result may
// be written by an attacker: each format makes such text visible and inert.
package render
