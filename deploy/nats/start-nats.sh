#!/bin/sh
# nats-server cannot read a secret from a file, so the configuration reads the quoted passwords from the environment: that of
# a login is in the file nats-<login>-password. With NATS_PEERS, the names of all servers, the server is one of a cluster. With
# the file nats-tls-cert, it requires TLS.
set -eu
here=$(dirname "$0")
secrets=${NATS_SECRETS_DIR:-/run/secrets}

for file in "$secrets"/nats-*-password; do
  login=$(basename "$file" -password | cut -c 6- | tr 'a-z-' 'A-Z_')
  password=$(sed 's/[\\"]/\\&/g' "$file")
  [ -n "$password" ] || { echo "$file is empty" >&2; exit 1; }
  export "NATS_${login}_PASSWORD=\"$password\""
done

config=nats
if [ -n "${NATS_PEERS:-}" ]; then
  config=cluster
  # As a URL needs it, each byte in hexadecimal.
  password=$(head -n 1 "$secrets/nats-route-password" | tr -d '\r\n' | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g')
  routes=
  for peer in $NATS_PEERS; do routes="$routes\"nats-route://route:$password@$peer\", "; done
  export NATS_ROUTES="[ $routes]" NATS_CLUSTER_LISTEN="\"${NATS_CLUSTER_LISTEN:-0.0.0.0:6222}\""
fi
if [ -f "$secrets/nats-tls-cert" ]; then
  [ "$config" = nats ] && config=tls || config=cluster-tls
  for file in cert key ca; do
    export "NATS_TLS_$(echo "$file" | tr 'a-z' 'A-Z')_FILE=\"$secrets/nats-tls-$file\""
  done
fi
exec nats-server --config "$here/$config.conf" --store_dir "${NATS_STORE_DIR:-/data}" "$@"
