# Sourced by the commands under tools/: steps that say one line, keep their output in a file, and show
# it when they fail. The caller is in the root of the repository and sets `command`, the name its lines
# begin with.
# shellcheck shell=bash

: "${command:?the command that sources this file}"
readonly logs=.naval/log
mkdir -p "$logs"
running_step=

say() { echo "$command: $*"; }

# step NAME COMMAND...: prints "NAME, 3 s". With an error it prints the end of the output and returns the error. Runs in
# the background, in a process group of its own, so that a signal to the command is answered at once and stop_step ends
# all of it. What must be seen before the step ends goes to file 3; what is to run on must close it.
step() {
  local name=$1 log status=0
  log=$logs/$command-${name//[^a-zA-Z0-9]/-}.log
  shift
  local start=$SECONDS
  set -m
  "$@" 3>&2 >"$log" 2>&1 </dev/null &
  set +m
  running_step=$!
  wait "$running_step" || status=$?
  running_step=
  if [[ $status -ne 0 ]]; then
    say "$name failed (exit code $status); the end of $log:" >&2
    tail -n 60 "$log" >&2
    return "$status"
  fi
  say "$name, $((SECONDS - start)) s"
}

stop_step() {
  [[ -n $running_step ]] || return 0
  kill -TERM -- "-$running_step" 2>/dev/null || true
  wait "$running_step" 2>/dev/null || true
  running_step=
}

# build PRESET [TARGET...]: configures, for the preset may have changed, and builds the targets, or everything. Two
# builds in one folder would write the same files: the second waits, and says so to file 3. Call it in a subshell, as
# step does: the lock is held until that ends, and by nothing that it starts.
build() {
  local preset=$1 targets=() lock
  shift
  [[ $# -eq 0 ]] || targets=(--target "$@")
  mkdir -p .naval/build
  exec {lock}>".naval/build/$preset.lock"
  if ! flock --nonblock "$lock"; then
    say "waits for another build of $preset in this checkout" >&3
    flock "$lock"
  fi
  cmake --preset "$preset" 3>&- {lock}>&-
  cmake --build --preset "$preset" "${targets[@]}" 3>&- {lock}>&-
}
