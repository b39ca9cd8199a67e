#!/bin/sh
# Runs node for a long-running command, so that it starts fast and uses little memory while idle. Node reads both
# variables before any code of ours runs; one that is set already stays as it is.

# Compiled code, and TypeScript without its types, of earlier starts. A directory that cannot be written is ignored.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-.cache/node}"

# glibc gives back freed memory beyond this many bytes (1 MiB). Its default limit grows to as much as was ever freed at
# once, so that 10 MiB of what loading took would stay. Other C libraries ignore the variable.
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-1048576}"

exec node "$@"
