# Sourced by the commands under tools/, once they have gone to the root of the repository: what a command says of itself
# is the comment at its head.
# shellcheck shell=bash

command_file=$(cd "$OLDPWD" && readlink -f "${BASH_SOURCE[-1]}")
readonly command_file

print_usage() { awk 'NR == 1 { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "$command_file"; }

wrong_usage() {
  print_usage >&2
  exit 2
}

# usage MOST ARGUMENTS...: ends the command when it is asked what it does (-h, --help), or has more than MOST arguments.
usage() {
  local most=$1
  shift
  case ${1:-} in
    -h | --help)
      print_usage
      exit 0
      ;;
  esac
  [[ $# -le $most ]] || wrong_usage
}

# usage_of_numbers MOST ARGUMENTS...: the same, and each argument is a number from 1.
usage_of_numbers() {
  usage "$@"
  shift
  for argument in "$@"; do [[ $argument =~ ^[1-9][0-9]*$ ]] || wrong_usage; done
}
