"""The sycl_compile_commands rule and the aspect with the commands of a target."""

load("//rules/private:compat.bzl", "quoted")
load("//rules/private:headers.bzl", "is_header")
load("//rules/private:names.bzl", "shown")

_CommandsInfo = provider(
    doc = "The compiles of SYCL sources of a target and of all that it depends on.",
    fields = {
        "commands": "depset of struct(source, arguments): the path of a source, and a command as a tuple of string.",
        "files": "depset of File: generated files that the commands read.",
    },
)

_HEADER_SUFFIX = ".integration.h"

def _after(argv, option):
    return argv[argv.index(option) + 1] if option in argv else ""

def _without_outputs(argv):
    """A compile's command line without the options that name what it writes, and those of g++ that clangd does not know."""
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
    """The host compile of a source that DPC++ compiles for devices, None without one.

    Bazel compiles a file that includes the integration header and the source. Editors ask for
    the command of the source.
    """
    for action, compiled in compiles:
        if compiled == header.removesuffix(_HEADER_SUFFIX):
            argv = [a for a in _without_outputs(action.argv) if a != compiled]
            return struct(action = action, argv = argv + ["-include", header, source], options = argv)
    return None

def _host_commands(rule, compiles, options):
    """The commands of what only the host's compiler reads: sources in C and in assembler, and headers.

    Args:
        rule: the rule of a target.
        compiles: its compiles for the host, with their sources.
        options: the host compile of one of its SYCL sources without the source, or None.
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
    """The inputs that are generated, without those that run the action."""
    inputs = [f for f in action.inputs.to_list() if not f.is_source]
    folders = [f.root.path.rpartition("/")[0] + "/" for f in inputs if f.path == action.argv[0]]
    return [f for f in inputs if not folders or not f.path.startswith(folders[0])]

def _own_commands(rule, actions):
    """The commands of the actions of a rule's target, and the generated files that they read."""

    # The first compile of a source is that for SPIR-V; those for families of GPUs come after it.
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
            # DPC++'s library has no program that an editor could ask.
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
    """The _CommandsInfo of the targets that a target depends on."""
    found = []
    for name in _EDGES:
        value = getattr(attributes, name, None)
        for each in value if type(value) == "list" else [value]:
            if type(each) == "Target" and _CommandsInfo in each:
                found.append(each[_CommandsInfo])
    return found

# What paths of commands begin with, and the folder where it is after other builds, too: Bazel
# links a build's repositories into the folder in which commands run, and takes earlier ones away.
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
    """An argument with the path in it, if there is one, as an absolute path."""
    for prefix, place in _PLACES.items():
        for before in _BEFORE_PATHS:
            if argument.startswith(before + prefix):
                return before + place + argument[len(before + prefix):]
        option, _, path = argument.partition("=")
        if option.startswith("-") and path.startswith(prefix):
            return option + "=" + place + path[len(prefix):]
    return argument

def _json(commands, directory, absolute):
    """A compilation database.

    Args:
        commands: list of struct(source, arguments).
        directory: the folder that the commands run in.
        absolute: whether paths are absolute, but for headers of the workspace.
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
    doc = """Finds how the SYCL sources of a target and of all that it depends on are compiled.

`sycl_compile_commands` uses it on its `deps`. On a command line it writes
`NAME.compile_commands.json` for each target with SYCL sources, with paths relative to the
folder that `bazel info execution_root` prints:

```
bazel build //... --aspects=@rules_sycl//rules:defs.bzl%sycl_compile_commands_aspect --output_groups=compile_commands
```
""",
    attr_aspects = _EDGES,
)

# Writes the database for this machine. Each entry is a line, so that a database of another
# program is known by its lines.
_SCRIPT = r"""#!/bin/sh
# Writes compile_commands.json in the workspace, or the file of the first argument.
set -eu
fail() { echo "sycl_compile_commands: $*" >&2; exit 1; }
workspace=${BUILD_WORKSPACE_DIRECTORY:-}
case $workspace,$0 in
  ,* | *,[!/]*) fail "use it as: bazel run @LABEL@" ;;
  *,*/bazel-out/*) root=${0%%/bazel-out/*} ;;
  *) fail "$0 is not in Bazel's output folder; use it as: bazel run @LABEL@" ;;
esac
# A text within a string of JSON, in the right side of a command of sed.
plain() { printf '%s' "$1" | sed -e 's/[\\"]/\\&/g' -e 's/[&|\\]/\\&/g'; }
files() { sed -n 's/.*,"file":"\(.*\)"},\{0,1\}$/\1/p' "$1" | LC_ALL=C sort; }

cd "${BUILD_WORKING_DIRECTORY:-$workspace}"
out=${1:-$workspace/compile_commands.json}
[ ! -L "$out" ] || out=$(readlink -f "$out") || fail "$1 leads nowhere"
[ ! -d "$out" ] || fail "$out is a folder"
folder=$(printf '%s' "$workspace" | sed -e 's/[\\"]/\\&/g' -e 's/[][\.*^$]/\\&/g')
if [ -s "$out" ] && grep -qv -e '^\[$' -e '^\]$' -e '^{"arguments":\[.*\],"directory":"'"$folder"'","file":"[^"]*"},\{0,1\}$' "$out"; then
  fail "$out has entries of another program, which would be lost: remove it, or name another file: bazel run @LABEL@ -- FILE"
fi
new=$out.rules_sycl-tmp
trap 'rm -f "$new" "$new.old" "$new.new"' EXIT
sed -e "s|@WORKSPACE@|$(plain "$workspace")|g" \
  -e "s|@EXECUTION_ROOT@|$(plain "$root")|g" -e "s|@OUTPUT_BASE@|$(plain "${root%%/execroot/*}")|g" \
  "$root"/@TEMPLATE@ > "$new" || fail "$out cannot be written; name another file: bazel run @LABEL@ -- FILE"
if [ -s "$out" ]; then
  files "$out" > "$new.old"
  files "$new" > "$new.new"
  LC_ALL=C comm -23 "$new.old" "$new.new" | sed 's/^/no entry anymore: /'
fi
mv "$new" "$out"
echo "$out: @COUNT@ files"
"""

def _sycl_compile_commands_impl(ctx):
    infos = [dep[_CommandsInfo] for dep in ctx.attr.deps]
    commands = {}
    for command in depset(transitive = [i.commands for i in infos]).to_list():
        # A source of several targets, or of several configurations, has several commands.
        # Editors take the first.
        commands.setdefault(command.source, command)
    if not commands:
        fail("%s: deps have no SYCL sources: none of them is or depends on a target that compiles some" % ctx.label)
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
    doc = """A `compile_commands.json` for clangd and other editors.

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

writes the file in the workspace, or where an argument says (`-- $PWD/build/compile_commands.json`).
Run it again when sources are added or options change, and after `bazel clean`. It builds
the sources and headers that are generated. Without `--norun_validations`, Bazel also checks
the kernels of `deps` as in any build, and compiles all of them first.

A file with entries of another program, or with your own for another folder, is not overwritten: the run
fails. A run names the sources that have no entry anymore.

The commands are those of the build, with its flags, definitions and folders of headers.
For sources that stock clang compiles, it is the compile for devices. For ordinary SYCL
programs, it is the host's compile with DPC++'s integration header, which the run builds:
a source that does not compile for devices stops the run. Their sources in C and in
assembler, and the headers of a target with sources, have the commands of the host's compiler.
Sources of a `sycl_library` or a `sycl_binary` that DPC++ compiles have no command: its
library is no program.

Commands run in the workspace. Paths of generated files and of external repositories are
absolute, so that they are valid after other builds as well.
""",
    attrs = {
        "deps": attr.label_list(
            allow_empty = False,
            aspects = [sycl_compile_commands_aspect],
            doc = "Targets with SYCL sources, or that depend on some: `sycl_*` and `sycl_cc_*`, `cc_*` and `test_suite`.",
            mandatory = True,
        ),
    },
    executable = True,
)
