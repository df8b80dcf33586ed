#!/usr/bin/env bash
# Finds the program of the action and runs it: the one that the input binary names,
# else the one of the release that has the checksum in checksums.txt, else one that
# is built from the sources of this commit. The inputs are in variables.
set -euo pipefail

# say LEVEL TEXT: prints an annotation. What could be a command, or end one, is not
# printed as it is.
say() {
  printf '::%s title=SYCL compatibility::%s\n' "$1" "$(harmless "$2")"
}

harmless() { printf '%s' "${1//[^A-Za-z0-9 .,:;\/()_+=~@-]/?}"; }

# fail TEXT CODE: ends the step with an error, which the outputs and the summary have.
fail() {
  say error "$1"
  if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
    # shellcheck disable=SC2016 # backquotes of Markdown
    printf '\n## ❌ SYCL compatibility\n\nThe program of the action was not run, so there is no conclusion on this change.\n\n`%s`\n' \
      "$(harmless "$1")" >> "$GITHUB_STEP_SUMMARY"
  fi
  if [ -n "${GITHUB_OUTPUT-}" ]; then
    printf 'conclusion=error\nexit-code=%s\n' "$2" >> "$GITHUB_OUTPUT"
  fi
  exit "$2"
}

has() { command -v "$1" > /dev/null 2>&1; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# platform: prints the system and the architecture as releases name them.
platform() {
  local system=${RUNNER_OS:-$(uname -s)} machine=${RUNNER_ARCH:-$(uname -m)}
  case $system in
    Linux) system=linux ;;
    macOS | Darwin) system=darwin ;;
    Windows | MINGW* | MSYS* | CYGWIN*) system=windows ;;
    *) system=unknown ;;
  esac
  case $machine in
    X64 | x86_64 | amd64) machine=amd64 ;;
    ARM64 | aarch64 | arm64) machine=arm64 ;;
    *) machine=unknown ;;
  esac
  printf '%s-%s\n' "$system" "$machine"
}

# checksum FILE: prints the checksum that a program has to have, nothing when there
# is none.
checksum() {
  local sum file
  while read -r sum file; do
    if [ "${file#\*}" = "$1" ] && [[ $sum =~ ^[0-9a-f]{64}$ ]]; then
      printf '%s\n' "$sum"
      return
    fi
  done < "$here/checksums.txt"
}

# sha256 FILE: prints the checksum of a file, nothing when there is no program for
# it.
sha256() {
  if has sha256sum; then
    sha256sum < "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 < "$1" | cut -d ' ' -f 1
  fi
}

# download ADDRESS FILE: fetches over https, or from this machine.
download() {
  local protocol
  case $1 in
    https://*) protocol='=https' ;;
    http://127.0.0.1:* | http://localhost:*) protocol='=http' ;;
    file:///*) protocol='=file' ;;
    *) fail "input download-base-url: $1 is not an https address" 2 ;;
  esac
  curl --disable --fail --silent --show-error --location --proto "$protocol" --proto-redir '=https' \
    --connect-timeout 20 --max-time 300 --max-filesize 200000000 --retry 2 --output "$2" -- "$1" >&2
}

# own_version: prints the release that the sources are of.
own_version() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^\ +version\ =\ \"([0-9A-Za-z.+-]+)\",$ ]]; then
      printf 'v%s\n' "${BASH_REMATCH[1]}"
      return
    fi
  done < "$here/../MODULE.bazel"
}

# build FILE: builds the program. A Go that is too old for it fetches the one that go.mod names.
build() {
  (cd "$here/.." && CGO_ENABLED=0 GOWORK=off GOFLAGS='' GOTOOLCHAIN=auto go build -mod=readonly -buildvcs=false -o "$1" ./action) >&2
}

if [ -n "${INPUT_BINARY-}" ]; then
  # As the other paths, it is relative to the working directory.
  case $INPUT_BINARY in
    /* | [A-Za-z]:[/\\]*) program=$INPUT_BINARY ;;
    *) program=./${INPUT_WORKING_DIRECTORY:-.}/$INPUT_BINARY ;;
  esac
  if [ ! -f "$program" ] || [ ! -x "$program" ]; then
    fail "input binary: $INPUT_BINARY is not a program${INPUT_WORKING_DIRECTORY:+ in $INPUT_WORKING_DIRECTORY}" 2
  fi
else
  dir=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/sycl-compat.XXXXXX")
  trap 'rm -rf -- "$dir"' EXIT
  platform=$(platform)
  name=sycl-compat-action-$platform
  case $platform in windows-*) name=$name.exe ;; esac
  program=$dir/$name

  wanted=$(checksum "$name")
  found=
  if [ -n "$wanted" ]; then
    base=${INPUT_DOWNLOAD_BASE_URL:-https://github.com/rules-sycl/rules_sycl/releases/download}
    version=${INPUT_VERSION:-$(own_version)}
    if ! has curl; then
      say notice "there is no curl, so the program is built"
    elif download "${base%/}/$version/$name" "$program"; then
      found=$(sha256 "$program")
      if [ -z "$found" ]; then
        fail "there is neither sha256sum nor shasum, so $name cannot be checked" 4
      fi
      if [ "$found" != "$wanted" ]; then
        fail "$name has the checksum $found and not $wanted; it is not run" 4
      fi
      chmod +x "$program"
    else
      say notice "$name of $version cannot be downloaded, so the program is built"
    fi
  fi
  if [ -z "$found" ]; then
    if ! has go; then
      fail "there is no program for $platform, and no go to build it: use actions/setup-go before this action, or its input binary" 4
    fi
    build "$program" || fail "the program of the action cannot be built" 4
  fi
fi

code=0
"$program" || code=$?
exit "$code"
