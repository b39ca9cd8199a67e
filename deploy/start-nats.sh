#!/bin/sh
# nats-server cannot read a secret from a file, so nats.conf reads the quoted password from the environment.
set -eu
NATS_PASSWORD=$(sed 's/[\\"]/\\&/g' "$NATS_PASSWORD_FILE")
[ -n "$NATS_PASSWORD" ] || { echo "NATS_PASSWORD_FILE names an empty file" >&2; exit 1; }
export NATS_PASSWORD="\"$NATS_PASSWORD\""
exec nats-server --config "$(dirname "$0")/nats.conf" --store_dir /data "$@"
