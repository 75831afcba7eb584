# The lock of a build folder, for shell scripts: source it, call `lock_build`.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
no_locks=

# lock_build BUILD [--now | --shared]: locks BUILD until the shell closes file 9. A command
# that may leave programs behind gets `9>&-`.
# It waits for others; with --now it returns 1 where there are any. --shared lets others
# run what is in BUILD, but change nothing. It returns 2, and says why, where nothing can
# be written. Where the file system has no locks it says so once and goes on: flock(1)
# returns 1 only for a lock that another has.
lock_build() {
  local build=$1 how=${2:-} kind=--exclusive path said status=0
  [ "$how" != --shared ] || kind=--shared
  mkdir -p "$build" || return 2
  for path in "$build" "$build/.lock"; do
    if [ -e "$path" ] && [ ! -w "$path" ]; then
      echo "$path cannot be written; it belongs to $(stat -c %U "$path")." >&2
      return 2
    fi
  done
  exec 9>"$build/.lock" # opened again, it has given back what it had
  said=$(flock -n "$kind" 9 2>&1) || status=$?
  if [ $status -eq 1 ]; then
    [ "$how" != --now ] || return 1
    echo "Waiting for another command to be done with $build." >&2
    flock "$kind" 9
  elif [ $status -ne 0 ] && [ ! "$no_locks" ]; then
    no_locks=1
    echo "$build cannot be locked (${said:-status $status}): start nothing else that uses it." >&2
  fi
}
