# What several scripts of this folder share; they read it with `source`.

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${RULES_SYCL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rules_sycl}

# All workspaces have one output base, one after the other, so that gazelle is compiled once
# and DPC++ is unpacked once. Another one is given as `output_base=FOLDER bazel ...`.
output_base=${RULES_SYCL_CI_OUTPUT_BASE:-$cache/bazel/ci-$(printf %s "$project" | cksum | cut -d' ' -f1)}

# bazel FOLDER ARGUMENT...: runs Bazel in a folder.
bazel() {
  mkdir -p "$output_base"
  (cd "$1" && shift && "$project/bazelw" --output_base="$output_base" "$@")
}

# scratch NAME: makes a folder that is gone when the script ends, and sets $scratch. Bazel's
# sandbox does not show what is below /tmp.
scratch() {
  mkdir -p "$cache"
  scratch=$(mktemp -d "$cache/$1.XXXXXX")
  trap end_scratch EXIT
}

end_scratch() {
  # A server whose output base is in the folder would go on, also after a failure.
  if [ "${output_base#"$scratch"/}" != "$output_base" ] && [ -d "$output_base" ]; then
    bazel "$project" shutdown > /dev/null 2>&1 || true
  fi
  chmod -R u+w "$scratch"
  rm -rf "$scratch"
}

# Options of a build, so that Bazel prints only errors and warnings.
quiet=(--noshow_progress --show_result=0 --ui_event_filters=-info,-debug,-stdout)

# built_tools FOLDER: forgets what was built, gives a workspace a package that needs the
# programs which the rules run, and builds it, so that a later build has them whatever cache
# it uses.
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
