# Shared by the scripts that build the tools of a release. They read it with `source`, in the
# project's directory.

# MODULE.bazel is the one file that holds the version; .ci/release --prepare writes it.
version=$(sed -n 's/^    version = "\(.*\)",$/\1/p' MODULE.bazel)

# Keep out of the tools what is not in the source: paths, the state of the checkout, the C
# compiler and settings of the system.
export CGO_ENABLED=0 GOFLAGS='-trimpath -buildvcs=false' GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT='' GOENV=off GOWORK=off
GOTOOLCHAIN=go$(sed -n 's/^go \(.*\)$/\1/p' go.mod)
export GOTOOLCHAIN

# go_tool OUTPUT PACKAGE: builds a tool, for GOOS and GOARCH.
go_tool() {
  go build -ldflags="-s -w -buildid= -X github.com/rules-sycl/rules_sycl/internal/cli.linkedVersion=$version" -o "$1" "$2"
}
