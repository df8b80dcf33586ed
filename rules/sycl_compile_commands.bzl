"""The sycl_compile_commands rule and the aspect with the commands of a target."""

load("//rules/private:compat.bzl", "quoted")

_CommandsInfo = provider(
    doc = "The compiles of SYCL sources of a target and of all that it depends on.",
    fields = {
        "commands": "depset of struct(source, arguments): the path of a source, and a command as a tuple of string.",
        "files": "depset of File: generated files that the commands read.",
    },
)

_HOST_SUFFIX = ".host.cpp"

def _after(argv, option):
    return argv[argv.index(option) + 1] if option in argv else ""

def _without_outputs(argv):
    """A compile's command line without the options that name what it writes."""
    kept = []
    skip = False
    for i, argument in enumerate(argv):
        if skip:
            skip = False
        elif argument in ("-o", "-MF"):
            skip = True
        elif argument != "-MD" and (argument != "-c" or i == 0):
            kept.append(argument)
    return kept

def _host_command(actions, source, header):
    """The host compile of a source that DPC++ compiles for devices, None without one.

    Bazel compiles a file that includes the integration header and the source. Editors ask for
    the command of the source.
    """
    wrapper = "/%s%s" % (source.split("/")[-1], _HOST_SUFFIX)
    for action in actions:
        if action.mnemonic != "CppCompile":
            continue
        compiled = _after(action.argv, "-c")
        if compiled.endswith(wrapper) and header in [f.path for f in action.inputs.to_list()]:
            argv = [a for a in _without_outputs(action.argv) if a != compiled]
            return argv + ["-include", header, source]
    return None

def _own_commands(actions):
    """The commands of a target's actions, and the headers that DPC++ makes for them."""

    # The first compile of a source is that for SPIR-V; those for families of GPUs come after it.
    commands, files = {}, []
    for action in actions:
        if action.mnemonic != "SyclCompile":
            continue
        argv = action.argv
        header = _after(argv, "--header")
        if header:
            source = argv[argv.index("--") - 1]
            command = _host_command(actions, source, header)
            files += [f for f in action.outputs.to_list() if f.path == header]
        elif "--library" in argv[:argv.index("--")]:
            # DPC++'s library has no program that an editor could ask.
            continue
        else:
            source = argv[-1]
            command = argv[argv.index("--") + 1:]
        if command:
            commands.setdefault(source, struct(source = source, arguments = tuple(command)))
    return commands.values(), files

_EDGES = ["actual", "data", "deps", "implementation_deps", "srcs", "tests"]

def _below(attributes):
    """The _CommandsInfo of the targets that a target depends on."""
    found = []
    for name in _EDGES:
        value = getattr(attributes, name, None)
        for each in value if type(value) == "list" else [value]:
            if type(each) == "Target" and _CommandsInfo in each:
                found.append(each[_CommandsInfo])
    return found

def _json(commands, workspace, directory):
    """A compilation database.

    Args:
        commands: list of struct(source, arguments).
        workspace: the workspace's folder with a slash, for sources of the workspace.
        directory: the folder that the commands run in.
    """
    entries = []
    for command in commands:
        own = not command.source.startswith("external/") and not command.source.startswith("bazel-out/")
        file = workspace + command.source if own else command.source
        entries.append(json.encode({
            "arguments": [file if a == command.source else a for a in command.arguments],
            "directory": directory,
            "file": file,
        }))
    return "[\n" + ",\n".join(entries) + "\n]\n"

def _aspect_impl(target, ctx):
    own, files = _own_commands(target.actions)
    below = _below(ctx.rule.attr)
    info = _CommandsInfo(
        commands = depset(own, transitive = [b.commands for b in below]),
        files = depset(files, transitive = [b.files for b in below]),
    )
    groups = {}
    if own:
        out = ctx.actions.declare_file(ctx.label.name + ".compile_commands.json")
        ctx.actions.write(out, _json(own, "", "."))
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

_WORKSPACE = "@WORKSPACE@/"
_EXECUTION_ROOT = "@EXECUTION_ROOT@"

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
    ctx.actions.write(template, _json([commands[s] for s in sorted(commands)], _WORKSPACE, _EXECUTION_ROOT))
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, """#!/bin/sh
# Writes compile_commands.json in the workspace, or the file of the first argument.
set -eu
workspace=${BUILD_WORKSPACE_DIRECTORY:?bazel run sets it}
case $0 in
  */bazel-out/*) root=${0%%/bazel-out/*} ;;
  *) echo "$0: not run by bazel run" >&2; exit 2 ;;
esac
# A pattern of sed has some characters of its own.
plain() { printf '%%s' "$1" | sed 's/[&|\\\\]/\\\\&/g'; }
cd "${BUILD_WORKING_DIRECTORY:-$workspace}"
out=${1:-$workspace/compile_commands.json}
trap 'rm -f "$out.tmp"' EXIT
sed -e "s|@WORKSPACE@|$(plain "$workspace")|g" -e "s|%s|$(plain "$root")|g" "$root"/%s > "$out.tmp"
mv "$out.tmp" "$out"
echo "$out: %d sources"
""" % (_EXECUTION_ROOT, quoted(template.path), len(commands)), is_executable = True)
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

`bazel run //:compile_commands` writes the file in the workspace, or where an argument says:
`bazel run //:compile_commands -- $PWD/build/compile_commands.json`. Run it again when
sources are added or options change.

The commands are those of the build, with its flags, definitions and folders of headers.
For sources that stock clang compiles, it is the compile for devices. For ordinary SYCL
programs, it is the host's compile with DPC++'s integration header, which the run builds.
Sources of a `sycl_library` or a `sycl_binary` that DPC++ compiles have no command: its
library is no program.

Commands run in the folder that `bazel info execution_root` prints, which keeps links to
the workspace and to external repositories.
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
