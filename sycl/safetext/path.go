package safetext

import (
	"io/fs"
	"strings"
)

// IsPath reports whether s is a relative file path with "/" that has the same meaning in every
// context. It must not contain anything that [Escape] changes, or that is special in URLs, on
// Windows, in Markdown or for continuous integration runners.
func IsPath(s string) bool {
	const most = 1000 // bytes
	return len(s) < most && s != "." && fs.ValidPath(s) && Escape(s) == s && !strings.ContainsAny(s, "\\:%\"'<>|?*&#`\n") && strings.TrimSpace(s) == s
}
