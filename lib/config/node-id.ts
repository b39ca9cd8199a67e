import { hostname } from 'node:os';

/**
 * Returns the id of this process's node. It begins with the login, since NATS lets a login receive the requests only of nodes
 * whose id begins with its name.
 * @param given NODE_ID
 */
export function nodeIdOf(login: string, given: string | undefined): string {
  return `${login}.${given ?? `${hostname().toLowerCase()}-${String(process.pid)}`}`;
}
