# Shared by the scripts in this directory, which read it with `source`.

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${RULES_SYCL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rules_sycl}

# All workspaces use one output base, one at a time, so that gazelle is compiled once and DPC++
# is unpacked once. `output_base=DIRECTORY bazel ...` selects a different one.
output_base=${RULES_SYCL_CI_OUTPUT_BASE:-$cache/bazel/ci-$(printf %s "$project" | cksum | cut -d' ' -f1)}

# bazel DIRECTORY ARGUMENT...: runs Bazel in a directory.
bazel() {
  mkdir -p "$output_base"
  find "$1" -maxdepth 1 -type l -name 'bazel-*' ! -lname "$(cd -P "$output_base" && pwd)/*" -delete
  (cd "$1" && shift && "$project/bazelw" --output_base="$output_base" "$@")
}

# remove_links: removes the links of all workspaces to their outputs. Bazel would treat links to a different output base
# as packages.
remove_links() {
  find "$project/e2e" "$project/examples" "$project/rules/tests" -type l -name 'bazel-*' -delete
}

# dpcpp: prints the directory of DPC++, which the example workspace has fetched.
dpcpp() {
  local driver
  driver=$(bazel "$project/examples/workspace" cquery --noshow_progress --ui_event_filters=-info --output=files @sycl_dpcpp//:cpu_driver)
  echo "$output_base/${driver%/lib/*}"
}

# scratch NAME: creates a directory that is removed when the script ends, and sets $scratch. It is
# not below /tmp, which is not visible in Bazel's sandbox.
scratch() {
  mkdir -p "$cache"
  scratch=$(mktemp -d "$cache/$1.XXXXXX")
  trap end_scratch EXIT
}

end_scratch() {
  # Stop the server whose output base is in the directory, even after a failure.
  if [ "${output_base#"$scratch"/}" != "$output_base" ] && [ -d "$output_base" ]; then
    bazel "$project" shutdown > /dev/null 2>&1 || true
  fi
  chmod -R u+w "$scratch"
  rm -rf "$scratch"
  remove_links
}

# need PROGRAM...: installs the Debian packages of the programs that are missing, or fails.
need() {
  local program missing=() packages=()
  for program in "$@"; do
    if command -v "$program" > /dev/null; then continue; fi
    missing+=("$program")
    case $program in
      go) packages+=(golang-go) ;;
      ninja) packages+=(ninja-build) ;;
      node | npm) packages+=(nodejs npm) ;;
      python3) packages+=(python3 python3-pip python3-venv) ;;
      *) packages+=("$program") ;;
    esac
  done
  if [ ${#missing[@]} = 0 ]; then return; fi
  if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    echo "${0##*/}: cannot find ${missing[*]}; install the Debian packages ${packages[*]}, or their equivalents" >&2
    exit 4
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "${packages[@]}" > /dev/null
}

# python_tool REQUIREMENTS: installs the wheels of a requirements file with hashes, once, and sets
# $python_tool to their directory.
python_tool() {
  python_tool=$cache/$(basename "$1" .txt)-$(cksum < "$1" | cut -d' ' -f1)
  if [ -d "$python_tool" ]; then return; fi
  rm -rf "$python_tool.new"
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
    --root-user-action ignore --requirement "$1" --target "$python_tool.new"
  mv "$python_tool.new" "$python_tool"
}

# syclcxx_environment DIRECTORY [WHEEL]: creates a Python environment with syclc++ from the wheel, DPC++ from PyPI, as
# with sycl.dpcpp, LLVM and the build tools of the examples. Without WHEEL, it builds one, with a driver that g++
# compiles. What it downloads is kept in the cache; the environment is a copy made of links.
syclcxx_environment() {
  local requirements kept wheel
  requirements=$(python3 - "$project/rules/private/repositories/sycl_runtime_versions.bzl" << 'PYTHON'
import sys

versions = {}
exec(open(sys.argv[1]).read(), versions)
for name, (version, checksum) in versions["RUNTIMES"][versions["DEFAULT_RUNTIME"]][1].items():
    print("%s==%s --hash=sha256:%s" % (name, version, checksum))
PYTHON
)
  requirements+=$'\n'$(cat "$project/.ci/without-bazel.txt" "$project/.ci/llvm.txt")
  kept=$cache/without-bazel/$( (python3 -VV; echo "$requirements") | sha256sum | cut -c -16)
  if [ ! -e "$kept/complete" ]; then
    echo "${0##*/}: downloads and installs DPC++"
    rm -rf "$kept"
    python3 -m venv "$kept"
    "$kept/bin/python" -m pip --quiet --disable-pip-version-check install --no-deps --only-binary :all: --require-hashes \
      --requirement <(echo "$requirements")
    touch "$kept/complete"
  fi
  mkdir -p "$(dirname "$1")"
  cp -al "$kept" "$1"
  wheel=${2-}
  if [ -z "$wheel" ]; then
    "$project/.ci/syclcxx" --machine "$1/wheel" > /dev/null
    wheel=$(echo "$1"/wheel/*.whl)
  fi
  "$1/bin/python" -m pip --quiet --disable-pip-version-check install --no-index "$wheel"
  echo "${0##*/}: ${wheel##*/} is installed"
}

# Build options that restrict output to errors and warnings.
quiet=(--noshow_progress --show_result=0 '--ui_event_filters=-info,-debug,-stdout')

# built_tools DIRECTORY: cleans a workspace, then adds and builds a package that depends on the
# tools that the rules run, so that a later build has them regardless of its cache.
built_tools() {
  bazel "$1" clean
  mkdir -p "$1/ci_tools"
  cat > "$1/ci_tools/BUILD.bazel" << 'END'
genrule(
    name = "ci_tools",
    outs = ["tools.txt"],
    cmd = "touch $@",
    tools = ["@rules_sycl//tools/" + tool for tool in ["aot", "aspectfilter", "compat", "devicec", "packager", "postlink"]],
)
END
  bazel "$1" build "${quiet[@]}" --remote_download_outputs=all //ci_tools
}
