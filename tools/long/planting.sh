# Sourced by the commands that plant faults: a copy of the repository, in which each of them is tried. The caller is in
# the root of the repository, has sourced tools/dev/steps.sh, and has set `tree`, where the copy stands, and `faults`,
# the file they are written in; it gives `try NUMBER SENSE`, which builds what was planted and says who noticed.
#
# A block in the file is a fault: what it does, then the file, the lines as they are (-) and as they become (+), each
# whole. Lines that do not follow each other, or stand in several files, follow as they come.
# shellcheck shell=bash

: "${tree:?the copy}" "${faults:?the file of the faults}" "${command:?}"

# The copy is brought up to date without touching what is the same: the next run builds little.
copy() {
  mkdir -p "$tree"
  git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do
      [[ ! -f $file ]] || cmp -s "$file" "$tree/$file" || cp --parents "$file" "$tree"
    done
  mkdir -p "$tree/.naval"
  ln -sfn "$PWD/.naval/npm" "$tree/.naval/npm"
}

configure() { (cd "$tree" && cmake --preset "$1"); }
compile() { (cd "$tree" && cmake --build --preset "$1" --target "${@:2}"); }

# replace FILE OLD NEW, in the copy: OLD must be there once, with whole lines.
replace() {
  local text old=$'\n'$2 new=$'\n'$3 rest
  text=$'\n'$(<"$tree/$1")$'\n'
  rest=${text#*"$old"}
  if [[ $rest == "$text" || $rest == *"$old"* ]]; then
    say "fault $number: $1 must have these lines once, mend $faults:$old" >&2
    return 1
  fi
  text=${text/"$old"/"$new"}
  text=${text#$'\n'}
  printf '%s' "$text" >"$tree/$1"
}

# The lines of the block that is read.
planted_files=() old_lines=() new_lines=()

# Tries the block, with the next number.
run_block() {
  local sense=$1 status=0 i
  number=$((number + 1))
  [[ ${#wanted[@]} -eq 0 || " ${wanted[*]} " == *" $number "* ]] || return 0
  tried=$((tried + 1))
  for i in "${!planted_files[@]}"; do
    replace "${planted_files[i]}" "${old_lines[i]}" "${new_lines[i]}" || exit 2
  done
  try "$number" "$sense" </dev/null || status=$?
  for i in "${!planted_files[@]}"; do cp "${planted_files[i]}" "$tree/${planted_files[i]}"; done
  [[ $status -ne 2 ]] || exit 2
  unnoticed=$((unnoticed + status))
}

# run_blocks [NUMBER...]: all faults, or these. Fails when one goes unnoticed.
run_blocks() {
  local line sense='' file='' last=-1
  unnoticed=0 tried=0 number=0 wanted=("$@")
  while IFS= read -r line || [[ -n $line ]]; do
    case $line in
      '#'*) ;;
      '')
        [[ $last -lt 0 ]] || run_block "$sense"
        sense='' planted_files=() old_lines=() new_lines=() last=-1
        ;;
      -*)
        if [[ $last -lt 0 || -n ${new_lines[last]} || ${planted_files[last]} != "$file" ]]; then
          last=$((last + 1))
          planted_files+=("$file") old_lines+=('') new_lines+=('')
        fi
        old_lines[last]+=${line#-}$'\n'
        ;;
      +*) new_lines[last]+=${line#+}$'\n' ;;
      lib/* | services/* | tests/*) file=$line ;;
      *) sense=$line ;;
    esac
  done < <(cat "$faults" && echo)
  say "$((tried - unnoticed)) of $tried faults are noticed"
  [[ $unnoticed -eq 0 ]]
}
