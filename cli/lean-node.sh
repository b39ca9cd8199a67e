#!/bin/sh
# Runs node for a command that stays, so that it starts fast and keeps little memory while idle. Node reads both
# variables before any code of ours runs; one that is set already is left as it is.

# Compiled code, and TypeScript without its types, of earlier starts. A directory that can't be written is no obstacle.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-.cache/node}"

# glibc gives back freed memory beyond this many bytes (1 MiB). By itself it raises the limit to as much as was ever
# freed at once, and 10 MiB of what loading took would stay. Other C libraries don't know the variable.
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-1048576}"

exec node "$@"
