package cli

import (
	"runtime/debug"
	"strings"
)

// linkedVersion is set by the linker, from MODULE.bazel, in builds by Bazel and by .ci/release.
var linkedVersion string

// Version is the version of every tool in this module: the version that the linker set, the
// version of the Go module if "go install" built the tool, or "devel".
var Version = version(linkedVersion, debug.ReadBuildInfo)

func version(linked string, read func() (*debug.BuildInfo, bool)) string {
	if linked != "" {
		return linked
	}
	if info, ok := read(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "devel"
}
