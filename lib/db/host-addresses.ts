/** Connections to a database's host do not depend on DNS once the host is known. */
import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { Socket, type LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { dnsFailures } from '../telemetry/metrics.ts';

/** DNS answers within milliseconds. The system's resolver repeats a lost question only after 5 s, as long as callers wait. */
const ANSWER_MAX_MS = 500;

/** Finds all addresses of a host. */
export type Resolve = (host: string, options: LookupOptions) => Promise<LookupAddress[]>;

/**
 * Wraps a resolver: if it fails, or does not answer in time, the host's last addresses are used. The DNS of a container network may
 * do both for a moment while other containers start and stop.
 * @throws the resolver's error, if the host has not been found before
 */
export function rememberAddresses(resolve: Resolve): Resolve {
  const known = new Map<string, LookupAddress[]>();
  const asked = new Map<string, Promise<LookupAddress[]>>();

  // One question at a time: each takes a thread of the few that also decrypt PINs.
  function ask(host: string, options: LookupOptions): Promise<LookupAddress[]> {
    const asking = resolve(host, options)
      .then((found) => {
        known.set(host, found);
        return found;
      })
      .finally(() => asked.delete(host));
    asked.set(host, asking);
    return asking;
  }

  return async (host, options) => {
    const answer = asked.get(host) ?? ask(host, options);
    const last = known.get(host);
    if (last === undefined) return answer;
    const late = delay(ANSWER_MAX_MS, undefined, { ref: false });
    const found = await Promise.race([answer.catch(() => undefined), late]);
    if (found === undefined) dnsFailures.inc();
    return found ?? last;
  };
}

/** Returns what makes sockets for the driver, which connects them to a host and port, or to a path. */
export function socketsTo(addressesOf: Resolve): () => Socket {
  const lookUp: LookupFunction = (host, options, done) => {
    addressesOf(host, options).then(
      (addresses) => done(null, addresses),
      (error: NodeJS.ErrnoException) => done(error, []),
    );
  };
  return () => {
    const socket = new Socket();
    const connect = socket.connect.bind(socket) as (to: object) => Socket;
    const connectTo = (port: number | string, host?: string) =>
      connect(typeof port === 'string' ? { path: port } : { port, host, autoSelectFamily: true, lookup: lookUp });
    return Object.assign(socket, { connect: connectTo });
  };
}

/** The sockets of all connections to databases. */
export const socketToHost = socketsTo(rememberAddresses((host, options) => lookup(host, { ...options, all: true })));
