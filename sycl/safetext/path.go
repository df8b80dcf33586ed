package safetext

import (
	"io/fs"
	"strings"
)

// IsPath reports whether text is a file path, relative to a directory and with "/", that means the
// same in every context: it has nothing that [Escape] changes, and nothing with a meaning in URLs,
// on Windows, in Markdown or for continuous integration runners.
func IsPath(s string) bool {
	const most = 1000 // bytes
	return len(s) < most && s != "." && fs.ValidPath(s) && Escape(s) == s && !strings.ContainsAny(s, "\\:%\"'<>|?*&#`\n") && strings.TrimSpace(s) == s
}
