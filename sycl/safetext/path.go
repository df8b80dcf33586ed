package safetext

import (
	"io/fs"
	"strings"
)

// IsPath reports whether text is the path of a file in a folder, relative to it and
// with "/", that means the same wherever it is shown: it has nothing that [Escape]
// changes, and nothing with a meaning in URLs, on Windows, in Markdown or for the
// runners of continuous integration.
func IsPath(s string) bool {
	const most = 1000 // bytes
	return len(s) < most && s != "." && fs.ValidPath(s) && Escape(s) == s && !strings.ContainsAny(s, "\\:%\"'<>|?*&#`\n") && strings.TrimSpace(s) == s
}
