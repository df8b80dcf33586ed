# How scripts of this folder build programs of a release; they read it with `source`, in the
# project's folder.

version=$(sed -n 's/^    version = "\(.*\)",$/\1/p' MODULE.bazel)
if ! grep -qx "const Version = \"$version\"" internal/cli/cli.go; then
  echo "${0##*/}: MODULE.bazel has version $version, internal/cli/cli.go has another" >&2
  exit 1
fi

# Keep out of the programs what is not in the source: paths, the state of the checkout,
# the C compiler, settings of the machine.
export CGO_ENABLED=0 GOFLAGS='-trimpath -buildvcs=false' GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT='' GOENV=off GOWORK=off
GOTOOLCHAIN=go$(sed -n 's/^go \(.*\)$/\1/p' go.mod)
export GOTOOLCHAIN
