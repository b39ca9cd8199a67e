import type { Exchange } from './exchange.ts';
import { factsOf, rowsOf } from './facts.ts';
import { isDone, requestsOf, type Request } from './requests.ts';

/** A read that the check of a history needs at its end, when nothing is in flight. */
export interface ClosingRead {
  user: string;
  path: string;
}

/** Returns the reads of all objects of a history. They are sent and recorded like all other requests. */
export function closingReads(history: readonly Exchange[]): ClosingRead[] {
  const requests = requestsOf(history);
  const facts = factsOf(requests);
  const reads = new Map<string, ClosingRead>();
  const add = (user: string, path: string) => {
    if (!reads.has(path)) reads.set(path, { user, path });
  };
  // The newest first: their senders are still members.
  for (const request of requests.filter(isDone).toReversed()) {
    const { user, params, route } = request;
    const { association, meeting } = params;
    if (association !== undefined && facts.memberOf(association, user) !== undefined) {
      const path = `/associations/${association}`;
      for (const where of ['members?limit=200', 'ledger/export', 'governance/approvals?limit=200']) {
        add(user, `${path}/${where}`);
      }
      for (const id of meeting === undefined ? meetingsIn(request) : [meeting]) {
        for (const where of ['', '/dues?limit=200', '/contributions?limit=200', '/settlement']) {
          add(user, `${path}/meetings/${id}${where}`);
        }
      }
    }
    // Only its owner may read a wallet.
    if (route.endsWith('/contribute')) add(user, `/wallets/${String(request.sent['wallet_id'])}`);
    if (route === 'GET /wallets/:wallet') add(user, `/wallets/${params['wallet']!}`);
  }
  return [...reads.values()];
}

function meetingsIn(request: Request): string[] {
  if (request.route !== 'GET /associations/:association/meetings') return [];
  return rowsOf(request).map(({ id }) => id as string);
}
