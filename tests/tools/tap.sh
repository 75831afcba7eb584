# TAP for shell scripts: source it, call `check`, end with `plan`.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
tap_count=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# check TEXT COMMAND...: ok if the command succeeds, what it says if it fails.
check() {
  local text=$1 said
  shift
  tap_count=$((tap_count + 1))
  if said=$("$@" 2>&1); then
    echo "ok $tap_count - $text"
  else
    echo "not ok $tap_count - $text"
    printf '%s\n' "$said" | tail -n 40 | sed 's/^/# /'
  fi
}

# A list of words must be empty; else it is what is wrong.
none() {
  printf '%s\n' "$@"
  [ $# -eq 0 ]
}

plan() {
  echo "1..$tap_count"
}

skip_all() {
  echo "1..0 # SKIP $1"
  exit 0
}

# The sanitizers' runtime must be loaded first: foreign programs cannot load
# our libraries then.
skip_if_sanitized() {
  if [ "$SANITIZE" != none ]; then
    skip_all "b_sanitize=$SANITIZE"
  fi
}
