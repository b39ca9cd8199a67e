import type { Exchange } from './exchange.ts';
import { factsOf, rowsOf } from './facts.ts';
import { isDone, requestsOf, type Request } from './requests.ts';

/** A read that the check of a history needs at its end, when nothing is in flight. */
export interface ClosingRead {
  user: string;
  path: string;
}

const OF_ASSOCIATION = ['members?limit=200', 'ledger/export', 'governance/approvals?limit=200', 'fines?limit=200'];
const OF_MEETING = ['', '/dues?limit=200', '/contributions?limit=200', '/sheets?limit=200', '/settlement'];

/** Returns the reads of all objects of a history. They are sent and recorded like all other requests. */
export function closingReads(history: readonly Exchange[]): ClosingRead[] {
  const requests = requestsOf(history);
  const facts = factsOf(requests);
  const reads = new Map<string, ClosingRead>();
  const add = (user: string, path: string) => reads.set(path, { user, path });
  for (const { user, route, params, sent } of requests) {
    // Only its owner may read a wallet.
    if (route.endsWith('/contribute') || route.endsWith('/pay')) add(user, `/wallets/${String(sent['wallet_id'])}`);
    if (route === 'GET /wallets/:wallet') add(user, `/wallets/${params['wallet']!}`);
  }
  const ofAssociations = requests.filter(({ params }) => params['association'] !== undefined);
  for (const [association, own] of Map.groupBy(ofAssociations, ({ params }) => params['association']!)) {
    // The newest, as its sender is still a member.
    const reader = own.findLast(
      (request) => isDone(request) && facts.memberOf(association, request.user) !== undefined,
    );
    if (reader === undefined) continue;
    const path = `/associations/${association}`;
    for (const where of OF_ASSOCIATION) add(reader.user, `${path}/${where}`);
    for (const meeting of new Set(own.flatMap(meetingsIn))) {
      for (const where of OF_MEETING) add(reader.user, `${path}/meetings/${meeting}${where}`);
    }
  }
  return [...reads.values()];
}

/** Returns the meetings that a request names or shows, also if it was refused or has no answer. */
function meetingsIn(request: Request): string[] {
  const { params, sent, route } = request;
  if (route === 'GET /associations/:association/meetings') return rowsOf(request).map(({ id }) => id as string);
  return [params['meeting'], sent['meeting_id']].filter((id) => typeof id === 'string');
}
