// Package render shows what package gate comes to: as text for a terminal or a log, as
// Markdown, and in the formats that other programs read: SARIF, JUnit and GitLab's
// Code Quality.
//
// All are made from one [gate.Result], so that they agree. Everything in it may have
// been written by an attacker: each rendering makes such text visible and inert.
package render
