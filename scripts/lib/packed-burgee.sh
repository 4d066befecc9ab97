#!/bin/sh
# Runs Burgee from an unpacked archive, on the Node next to this file. The shell is replaced by that Node: a signal to
# this process ends the server.
file=$0
while [ -L "$file" ]; do
  target=$(readlink "$file")
  case $target in
    /*) file=$target ;;
    *) file=$(dirname "$file")/$target ;;
  esac
done
bin=$(cd "$(dirname "$file")" && pwd -P)
exec "$bin/node" "$bin/../scripts/burgee.cjs" "$@"
