#!/usr/bin/env bash
# Finds the action's program and runs it: the program that the input binary names, or else the
# program of the release if it has the checksum in checksums.txt, or else a program that is built
# from the sources of this commit. The inputs are in environment variables.
set -euo pipefail

# say LEVEL TEXT: prints an annotation. Characters that could form or end a command are replaced.
say() {
  printf '::%s title=SYCL compatibility::%s\n' "$1" "$(harmless "$2")"
}

harmless() { printf '%s' "${1//[^A-Za-z0-9 .,:;\/()_+=~@-]/?}"; }

# fail TEXT CODE: ends the step with an error, which is also written to the outputs and the summary.
fail() {
  say error "$1"
  if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
    # shellcheck disable=SC2016 # backquotes of Markdown
    printf '\n## ❌ SYCL compatibility\n\nThe action'"'"'s program did not run, so there is no conclusion on this change.\n\n`%s`\n' \
      "$(harmless "$1")" >> "$GITHUB_STEP_SUMMARY"
  fi
  if [ -n "${GITHUB_OUTPUT-}" ]; then
    printf 'conclusion=error\nexit-code=%s\n' "$2" >> "$GITHUB_OUTPUT"
  fi
  exit "$2"
}

has() { command -v "$1" > /dev/null 2>&1; }

is_absolute() {
  case $1 in
    /* | [A-Za-z]:[/\\]*) ;;
    *) return 1 ;;
  esac
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# platform: prints the system and the architecture in the form used by release files.
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

# checksum FILE: prints the expected checksum of a program, or nothing if checksums.txt has none.
checksum() {
  local sum file
  while read -r sum file; do
    if [ "${file#\*}" = "$1" ] && [[ $sum =~ ^[0-9a-f]{64}$ ]]; then
      printf '%s\n' "$sum"
      return
    fi
  done < "$here/checksums.txt"
}

# sha256 FILE: prints the checksum of a file, or nothing if no checksum program is installed.
sha256() {
  if has sha256sum; then
    sha256sum < "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 < "$1" | cut -d ' ' -f 1
  fi
}

# download ADDRESS FILE: downloads a file over https, or from the local host.
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

# own_version: prints the release that the sources belong to.
own_version() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^\ +version\ =\ \"([0-9A-Za-z.+-]+)\",$ ]]; then
      printf 'v%s\n' "${BASH_REMATCH[1]}"
      return
    fi
  done < "$here/../MODULE.bazel"
}

# build FILE: builds the program. If Go is too old, it downloads the version that go.mod requires.
build() {
  (cd "$here/.." && CGO_ENABLED=0 GOWORK=off GOFLAGS='' GOTOOLCHAIN=auto go build -mod=readonly -buildvcs=false -o "$1" ./action) >&2
}

if [ -n "${INPUT_BINARY-}" ]; then
  # Like other paths, it is relative to the working directory.
  program=$INPUT_BINARY
  is_absolute "$program" || program=${INPUT_WORKING_DIRECTORY:-.}/$program
  is_absolute "$program" || program=./$program
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
      say notice "curl is not installed, so the program is built from source"
    elif download "${base%/}/$version/$name" "$program"; then
      found=$(sha256 "$program")
      if [ -z "$found" ]; then
        fail "cannot verify $name: neither sha256sum nor shasum is installed" 4
      fi
      if [ "$found" != "$wanted" ]; then
        fail "refusing to run $name, because its checksum is $found, not $wanted" 4
      fi
      chmod +x "$program"
    else
      say notice "cannot download $name of $version, so the program is built from source"
    fi
  fi
  if [ -z "$found" ]; then
    if ! has go; then
      fail "no program for $platform, and go is not installed to build it; run actions/setup-go before this action, or set the input binary" 4
    fi
    build "$program" || fail "cannot build the program of the action" 4
  fi
fi

code=0
"$program" || code=$?
exit "$code"
