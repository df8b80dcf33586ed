package show

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
)

// Style is the style sheet of pages.
//
//go:embed page.css
var Style string

// PolicySource returns the hash source of an inline style or script for a content security policy.
func PolicySource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
