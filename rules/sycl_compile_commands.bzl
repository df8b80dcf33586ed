"""The rule sycl_compile_commands, and the aspect that collects the commands of a target."""

load("//rules/private/compat:compat.bzl", "quoted")
load("//rules/private/compile:headers.bzl", "is_header")
load("//rules/private/targets:names.bzl", "shown", "user_label")

_CommandsInfo = provider(
    doc = "The compilations of SYCL sources of a target and its dependencies.",
    fields = {
        "commands": "depset of struct(source, arguments): the path of a source, and a command as a tuple of string.",
        "files": "depset of File: generated files that the commands read.",
    },
)

_HEADER_SUFFIX = ".integration.h"

def _after(argv, option):
    return argv[argv.index(option) + 1] if option in argv else ""

def _without_outputs(argv):
    """Returns a command line without output options, and without g++ options that clangd does not support."""
    kept = []
    skip = False
    for i, argument in enumerate(argv):
        if skip:
            skip = False
        elif argument in ("-o", "-MF"):
            skip = True
        elif argument not in ("-MD", "-fno-canonical-system-headers") and (argument != "-c" or i == 0):
            kept.append(argument)
    return kept

def _host_command(compiles, source, header):
    """Returns the host compilation of a source that DPC++ compiles for devices, or None.

    Bazel compiles a file that includes the integration header and the source. Editors need
    the command of the source.
    """
    for action, compiled in compiles:
        if compiled == header.removesuffix(_HEADER_SUFFIX):
            argv = [a for a in _without_outputs(action.argv) if a != compiled]
            return struct(action = action, argv = argv + ["-include", header, source], options = argv)
    return None

def _host_commands(rule, compiles, options):
    """Returns the commands of files that only the host compiler reads: C and assembler sources, and headers.

    Args:
        rule: the rule of a target.
        compiles: its host compilations, with their sources.
        options: the host compilation of one of its SYCL sources without the source, or None.
    Returns:
        dict of path -> struct(action, argv).
    """
    srcs = {f.path: None for f in rule.files.srcs}
    found = {source: struct(action = action, argv = _without_outputs(action.argv)) for action, source in compiles if source in srcs}
    if options:
        for f in rule.files.hdrs + rule.files.srcs:
            if is_header(f):
                found[f.path] = struct(action = options.action, argv = options.options + ["-x", "c++-header", f.path])
    return found

def _generated_inputs(action):
    """Returns the generated inputs, without the programs that run the action."""
    inputs = [f for f in action.inputs.to_list() if not f.is_source]
    directories = [f.root.path.rpartition("/")[0] + "/" for f in inputs if f.path == action.argv[0]]
    return [f for f in inputs if not directories or not f.path.startswith(directories[0])]

def _own_commands(rule, actions):
    """Returns the commands of the actions of a rule's target, and the generated files that they read."""

    # The first compilation of a source is for SPIR-V; compilations for families of GPUs follow.
    compiles = [(a, _after(a.argv, "-c")) for a in actions if a.mnemonic == "CppCompile"]
    commands, files = {}, {}
    host = None
    for action in actions:
        if action.mnemonic != "SyclCompile":
            continue
        argv = action.argv
        header = _after(argv, "--header")
        if header:
            source = argv[argv.index("--") - 1]
            command = _host_command(compiles, source, header)
            host = host or command
        elif "--library" in argv[:argv.index("--")]:
            # DPC++'s library has no program that an editor could use.
            continue
        else:
            source = argv[-1]
            command = struct(action = action, argv = argv[argv.index("--") + 1:])
        if command and source not in commands:
            commands[source] = struct(source = source, arguments = tuple(command.argv))
            files.update({f: None for f in _generated_inputs(command.action)})
    if hasattr(rule.attr, "host_copts"):
        for source, command in _host_commands(rule, compiles, host).items():
            commands[source] = struct(source = source, arguments = tuple(command.argv))
            files.update({f: None for f in _generated_inputs(command.action)})
    return commands.values(), files.keys()

_EDGES = ["actual", "binary", "data", "deps", "implementation_deps", "srcs", "tests"]

def _below(attributes):
    """Returns the _CommandsInfo of the targets that a target depends on."""
    found = []
    for name in _EDGES:
        value = getattr(attributes, name, None)
        for each in value if type(value) == "list" else [value]:
            if type(each) == "Target" and _CommandsInfo in each:
                found.append(each[_CommandsInfo])
    return found

# Prefixes of paths in commands -> the directory that contains the files permanently. Bazel creates
# links to a build's repositories in the directory in which commands run, and removes earlier ones.
_WORKSPACE = "@WORKSPACE@"
_OUTPUT_BASE = "@OUTPUT_BASE@"
_EXECUTION_ROOT = "@EXECUTION_ROOT@"
_PLACES = {
    "../": _OUTPUT_BASE + "/external/",
    "bazel-out/": _EXECUTION_ROOT + "/bazel-out/",
    "external/": _OUTPUT_BASE + "/external/",
}
_BEFORE_PATHS = ["", "-B", "-F", "-I", "-idirafter", "-imacros", "-include", "-iquote", "-isystem", "@"]

def _absolute(argument):
    """Replaces a path in an argument with an absolute path."""
    for prefix, place in _PLACES.items():
        for before in _BEFORE_PATHS:
            if argument.startswith(before + prefix):
                return before + place + argument[len(before + prefix):]
        option, _, path = argument.partition("=")
        if option.startswith("-") and path.startswith(prefix):
            return option + "=" + place + path[len(prefix):]
    return argument

def _json(commands, directory, absolute):
    """Returns a compilation database.

    Args:
        commands: list of struct(source, arguments).
        directory: the directory in which the commands run.
        absolute: whether paths are absolute, except for headers in the workspace.
    """
    entries = []
    for command in commands:
        file, arguments = command.source, command.arguments
        if absolute:
            file = _absolute(command.source)
            if file == command.source:
                file = "%s/%s" % (_WORKSPACE, file)
            arguments = [file if a == command.source else _absolute(a) for a in arguments]
        entries.append(json.encode({
            "arguments": arguments,
            "directory": directory,
            "file": file,
        }))
    return "[\n" + ",\n".join(entries) + "\n]\n"

def _aspect_impl(target, ctx):
    own, files = _own_commands(ctx.rule, target.actions)
    below = _below(ctx.rule.attr)
    info = _CommandsInfo(
        commands = depset(own, transitive = [b.commands for b in below]),
        files = depset(files, transitive = [b.files for b in below]),
    )
    groups = {}
    if own:
        out = ctx.actions.declare_file(ctx.label.name + ".compile_commands.json")
        ctx.actions.write(out, _json(own, ".", absolute = False))
        groups["compile_commands"] = depset([out] + files)
    return [info, OutputGroupInfo(**groups)]

sycl_compile_commands_aspect = aspect(
    implementation = _aspect_impl,
    doc = """Finds the commands that compile the SYCL sources of a target and its dependencies.

`sycl_compile_commands` uses it on its `deps`. On a command line, it writes
`NAME.compile_commands.json` for each target with SYCL sources, with paths relative to the
directory that `bazel info execution_root` prints:

```
bazel build //... --aspects=@rules_sycl//rules:defs.bzl%sycl_compile_commands_aspect --output_groups=compile_commands
```
""",
    attr_aspects = _EDGES,
)

# Writes the database for this system. Each entry is a line, so that the script recognizes a database
# of a different program by its lines.
_SCRIPT = r"""#!/bin/sh
# Writes compile_commands.json in the workspace, or the file in the first argument.
set -eu
fail() { echo "sycl_compile_commands: $*" >&2; exit 1; }
workspace=${BUILD_WORKSPACE_DIRECTORY:-}
case $workspace,$0 in
  ,* | *,[!/]*) fail "run this script with: bazel run @LABEL@" ;;
  *,*/bazel-out/*) root=${0%%/bazel-out/*} ;;
  *) fail "$0 is not in Bazel's output directory; run it with: bazel run @LABEL@" ;;
esac
# Escapes a text within a JSON string, in the replacement of a sed command.
plain() { printf '%s' "$1" | sed -e 's/[\\"]/\\&/g' -e 's/[&|\\]/\\&/g'; }
files() { sed -n 's/.*,"file":"\(.*\)"},\{0,1\}$/\1/p' "$1" | LC_ALL=C sort; }

cd "${BUILD_WORKING_DIRECTORY:-$workspace}"
out=${1:-$workspace/compile_commands.json}
[ ! -L "$out" ] || out=$(readlink -f "$out") || fail "$1 is a dangling symbolic link"
[ ! -d "$out" ] || fail "$out is a directory"
directory=$(printf '%s' "$workspace" | sed -e 's/[\\"]/\\&/g' -e 's/[][\.*^$]/\\&/g')
if [ -s "$out" ] && grep -qv -e '^\[$' -e '^\]$' -e '^{"arguments":\[.*\],"directory":"'"$directory"'","file":"[^"]*"},\{0,1\}$' "$out"; then
  fail "$out has entries of a different program, which would be lost; remove the file, or write to a different file: bazel run @LABEL@ -- FILE"
fi
new=$out.rules_sycl-tmp
trap 'rm -f "$new" "$new.old" "$new.new"' EXIT
sed -e "s|@WORKSPACE@|$(plain "$workspace")|g" \
  -e "s|@EXECUTION_ROOT@|$(plain "$root")|g" -e "s|@OUTPUT_BASE@|$(plain "${root%%/execroot/*}")|g" \
  "$root"/@TEMPLATE@ > "$new" || fail "cannot write $out; write to a different file: bazel run @LABEL@ -- FILE"
if [ -s "$out" ]; then
  files "$out" > "$new.old"
  files "$new" > "$new.new"
  LC_ALL=C comm -23 "$new.old" "$new.new" | sed 's/^/removed: /'
fi
mv "$new" "$out"
echo "$out: @COUNT@ files"
"""

def _sycl_compile_commands_impl(ctx):
    infos = [dep[_CommandsInfo] for dep in ctx.attr.deps]
    commands = {}
    for command in depset(transitive = [i.commands for i in infos]).to_list():
        # A source in several targets or configurations has several commands.
        # Editors use the first.
        commands.setdefault(command.source, command)
    if not commands:
        fail("%s: deps have no SYCL sources: none of them is, or depends on, a target that compiles SYCL sources" % user_label(ctx))
    template = ctx.actions.declare_file(ctx.label.name + ".template.json")
    ctx.actions.write(template, _json([commands[s] for s in sorted(commands)], _WORKSPACE, absolute = True))
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    text = _SCRIPT
    for name, value in {
        "@COUNT@": str(len(commands)),
        "@LABEL@": shown(ctx.label),
        "@TEMPLATE@": quoted(template.path),
    }.items():
        text = text.replace(name, value)
    ctx.actions.write(script, text, is_executable = True)
    return [DefaultInfo(
        executable = script,
        files = depset([template], transitive = [i.files for i in infos]),
        runfiles = ctx.runfiles([template], transitive_files = depset(transitive = [i.files for i in infos])),
    )]

sycl_compile_commands = rule(
    implementation = _sycl_compile_commands_impl,
    doc = """Writes `compile_commands.json` for clangd and editors.

```starlark
sycl_compile_commands(
    name = "compile_commands",
    deps = [
        ":kernels",
        ":program",
    ],
)
```

```
bazel run --norun_validations //:compile_commands
```

writes the file in the workspace, or the file in an argument (`-- $PWD/build/compile_commands.json`).
Run it again after you add sources or change options, and after `bazel clean`. It builds
generated sources and headers. Without `--norun_validations`, Bazel also checks
the kernels of `deps` as in any build, and compiles all of them first.

A file with entries of a different program, or with your own entries for a different directory, is not
overwritten: the run fails. A run lists the sources that no longer have an entry.

The commands are the same as in the build, with its flags, definitions and include directories.
For sources that stock clang compiles, they are device compilations. For ordinary SYCL
programs, they are host compilations with DPC++'s integration header, which the run builds:
a source that does not compile for devices stops the run. C and assembler sources,
and the headers of a target with sources, have the commands of the host compiler.
Sources of a `sycl_library` or a `sycl_binary` that DPC++ compiles have no command, because its
compiler is a library and not a program.

Commands run in the workspace. Paths of generated files and of external repositories are
absolute, so that they remain valid after other builds.
""",
    attrs = {
        "deps": attr.label_list(
            allow_empty = False,
            aspects = [sycl_compile_commands_aspect],
            doc = "Targets with SYCL sources, or that depend on such targets: `sycl_*`, `sycl_cc_*`, `cc_*` and `test_suite`.",
            mandatory = True,
        ),
    },
    executable = True,
)
