# Shared by remote-cache and remote-execution, which read it with `source`, after lib.sh.

# The servers run in the development root, which contains the device compilers and Bazel.
export RULES_SYCL_DEVROOT=always

# Targets of the example workspace: SYCLBINs that clang compiles, some of them linked or with values for
# specialization constants; an ordinary program and a library that DPC++ compiles; and reports.
remote_targets=(
  //:linear //:linear_test
  //linking:combined //linking:linked //linking:compat
  //properties:specialized
  //apps:mandelbrot //apps:color
)

# example DIRECTORY: copy the example workspace, and build the programs that the rules run.
example() {
  mkdir -p "$1"
  tar -C "$project/examples/workspace" --exclude='./bazel-*' -cf - . | tar -C "$1" -xf -
  sed -i "s|path = \"../..\"|path = \"$project\"|" "$1/MODULE.bazel"
  built_tools "$1"
}

# timed WHAT COMMAND...: run a command and print its duration.
timed() {
  local what=$1 start=$SECONDS
  shift
  "$@"
  printf '%4d s  %s\n' $((SECONDS - start)) "$what"
}

# free_port: print an unused port of the loopback interface.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

servers=()

# Printed at the end if the script fails.
hint=

# serve PORT COMMAND...: run a server until the script exits, and wait until it accepts connections. Its output is
# in $scratch/servers.log.
serve() {
  local port=$1 i
  shift
  "$@" >> "$scratch/servers.log" 2>&1 &
  servers+=($!)
  for ((i = 0; i < 240; i++)); do
    if (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then return; fi
    if ! kill -0 "${servers[-1]}" 2> /dev/null; then break; fi
    sleep 0.5
  done
  echo "$1 does not listen on port $port" >&2
  exit 1
}

# end_remote: stop the servers, and clean up like scratch.
end_remote() {
  local status=$?
  if [ "$status" != 0 ] && [ -s "$scratch/servers.log" ]; then
    echo "The servers' last messages:" >&2
    tail -n 20 "$scratch/servers.log" >&2
  fi
  if [ "$status" != 0 ] && [ "$hint" ]; then echo "${0##*/}: $hint" >&2; fi
  if [ ${#servers[@]} != 0 ]; then
    kill "${servers[@]}" 2> /dev/null || true
    wait "${servers[@]}" 2> /dev/null || true
  fi
  # The Bazel server may still run, although the script used a different one last.
  if [ -d "$scratch/base" ]; then output_base=$scratch/base; fi
  end_scratch
}
