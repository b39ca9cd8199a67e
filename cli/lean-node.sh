#!/bin/sh
# Runs node for a long-running command, so that it starts fast and uses little memory while idle. Node reads both
# variables before any code of the project runs. A variable that is already set stays as it is.

# Keeps compiled code, and TypeScript without its types, for later starts. A directory that cannot be written is ignored.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-.cache/node}"

# glibc returns freed memory beyond this many bytes (1 MiB) to the system. Its default limit grows to the largest block that
# was ever freed, so that 10 MiB of the memory for loading would stay. Other C libraries ignore the variable.
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-1048576}"

exec node "$@"
