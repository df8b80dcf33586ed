# Shared by the scripts that build the tools of a release, which read it with `source` in the project's directory.

# Only MODULE.bazel contains the version; .ci/release --prepare writes it.
version=$(sed -n 's/^    version = "\(.*\)",$/\1/p' MODULE.bazel)

# The tools depend only on the source: not on paths, the state of the checkout, the C compiler or system settings.
export CGO_ENABLED=0 GOFLAGS='-trimpath -buildvcs=false' GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT='' GOENV=off GOWORK=off
GOTOOLCHAIN=go$(sed -n 's/^go \(.*\)$/\1/p' go.mod)
export GOTOOLCHAIN

# go_tool OUTPUT PACKAGE: build a tool for GOOS and GOARCH.
go_tool() {
  go build -ldflags="-s -w -buildid= -X github.com/rules-sycl/rules_sycl/internal/cli.linkedVersion=$version" -o "$1" "$2"
}
