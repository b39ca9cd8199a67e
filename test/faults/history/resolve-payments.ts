import { amountOf } from './amounts.ts';
import { rowsOf } from './facts.ts';
import type { Json } from './exchange.ts';
import type { Payment } from './payments.ts';
import { isDone, type Request } from './requests.ts';

const SHEETS = 'POST /associations/:association/meetings/:meeting/sheets/:sheet/submit';
const LIST = 'GET /associations/:association/meetings/:meeting/contributions';

/**
 * Finds out which payments without an answer were paid, from the lists of contributions at the end of the history: of those
 * with the same content, as many as are listed. If one sent later was paid in truth, one sent earlier can take its place in
 * every order, so the earliest count as paid. It makes the search for an order much shorter (seed 285).
 */
export function resolvePayments(payments: readonly Payment[], requests: readonly Request[]): Payment[] {
  const claimed = new Set(payments.map(({ request }) => request.received['id']));
  // The lists show the lines of sheets and other cash alike.
  const withSheets = new Set(requests.filter(({ route }) => route === SHEETS).map(({ params }) => params['meeting']));
  const unknown = payments.filter(
    ({ outcome, wallet, meeting }) => outcome === 'unknown' && (wallet !== null || !withSheets.has(meeting)),
  );
  const resolved = new Map<Payment, Payment>();
  for (const alike of Map.groupBy(unknown, contentOf).values()) {
    const last = lastListOf(alike[0]!.meeting, requests, payments);
    if (last === undefined) continue;
    const listed = rowsOf(last).filter((row) => !claimed.has(row['id']) && contentOfRow(row) === contentOf(alike[0]!));
    const paid = listed.filter(({ status }) => status === 'paid' || status === 'reversed').length;
    if (listed.some(({ status }) => status === 'pending')) continue;
    const inOrder = alike.toSorted((one, other) => one.request.call - other.request.call);
    for (const [place, payment] of inOrder.entries()) {
      const isPaid = place < paid;
      // It may have taken the due for a time: see lostDuring().
      resolved.set(payment, {
        ...payment,
        outcome: isPaid ? 'paid' : 'refused',
        endedBy: isPaid ? last.return : Infinity,
      });
    }
  }
  return payments.map((payment) => resolved.get(payment) ?? payment);
}

const contentOf = ({ meeting, member, wallet, amount }: Payment) => [meeting, member, wallet, amount].join();

function contentOfRow(row: Json): string {
  return [row['meeting_id'], row['member_id'], row['wallet_id'], amountOf(row['amount'])].join();
}

/** Returns the last list of a meeting's contributions, if it is complete and no payment was sent later. */
function lastListOf(meeting: string, requests: readonly Request[], payments: readonly Payment[]): Request | undefined {
  const last = requests.findLast(({ route, params }) => route === LIST && params['meeting'] === meeting);
  if (last === undefined || !isDone(last) || last.received['next_cursor'] !== null) return undefined;
  if (last.query.has('cursor')) return undefined;
  return payments.some((payment) => payment.meeting === meeting && payment.request.call > last.call) ? undefined : last;
}
