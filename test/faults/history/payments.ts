import { amountOf } from './amounts.ts';
import type { Facts } from './facts.ts';
import { isDone, isOpen, type Request } from './requests.ts';

/** A request to pay a member's due of a meeting, from a wallet or in cash. */
export interface Payment {
  request: Request;
  meeting: string;
  member: string;
  /** Null for cash. */
  wallet: string | null;
  amount: bigint;
  /**
   * `paid`, `given_back`: the due was taken, and then this. `open`: it was taken, the end is unknown. `unknown`: whether it
   * was taken is unknown too. `refused`: it was not taken.
   */
  outcome: 'paid' | 'given_back' | 'open' | 'unknown' | 'refused';
  /** When the end can have begun, and when it was seen. */
  endsFrom: number;
  endedBy: number;
  /** What is left of the due, in the answer to a payment or to a refusal. */
  outstanding: bigint | undefined;
}

/** Refusals by the ledger, which come after the due was taken. */
export const BY_LEDGER: ReadonlySet<string> = new Set([
  'insufficient_funds',
  'wallet_currency_mismatch',
  'balance_limit_exceeded',
]);
/** Refusals by the meeting and its due. */
const BY_DUE = new Set(['meeting_not_open', 'contribution_exceeds_due']);

const CONTRIBUTE = 'POST /associations/:association/meetings/:meeting/contribute';
const CASH = 'POST /associations/:association/cash-contribution';

/** Returns the payments of a history, without those that were refused for a reason that no meeting, due or wallet has. */
export function paymentsOf(requests: readonly Request[], facts: Facts): Payment[] {
  return requests.flatMap((request): Payment[] => {
    const { route, params, sent, user } = request;
    const isCash = route === CASH && typeof sent['meeting_id'] === 'string';
    if (route !== CONTRIBUTE && !isCash) return [];
    const outcome = endOf(request, facts, isCash);
    if (outcome === undefined) return [];
    const named = isCash ? sent['member_id'] : sent['for_member_id'];
    const member = named ?? facts.memberOf(params['association']!, user);
    // A user who is no member in any answer has paid nothing.
    if (outcome.outcome === 'unknown' && member === undefined) return [];
    if (typeof member !== 'string') throw new Error(`${request.id}: no list of members shows who ${user} is`);
    const ended = isCash
      ? decidedBy(outcome, request.received['approval_id'], requests)
      : { ...outcome, endsFrom: request.call };
    const { outstanding } = request.received;
    const payment = {
      request,
      meeting: isCash ? (sent['meeting_id'] as string) : params['meeting']!,
      member,
      wallet: isCash ? null : (sent['wallet_id'] as string),
      amount: amountOf(sent['amount']),
      outstanding: outstanding === undefined || isOpen(request) ? undefined : amountOf(outstanding),
    };
    return [{ ...payment, ...ended }];
  });
}

type End = Pick<Payment, 'outcome' | 'endedBy'>;

const GOVERNANCE = '/associations/:association/governance';
const DECIDING = [
  `POST ${GOVERNANCE}/approve`,
  `POST ${GOVERNANCE}/reject`,
  `POST ${GOVERNANCE}/approvals/:approval/cancel`,
];

/** Cash ends after the board's decision, and before an answer shows that the decision was executed. */
export function decidedBy(
  end: End,
  approval_id: unknown,
  requests: readonly Request[],
): End & Pick<Payment, 'endsFrom'> {
  const isOwn = ({ params, sent, received }: Request) =>
    [params['approval'], sent['approval_id'], received['id']].includes(approval_id);
  const decisions = requests.filter(
    (each) => DECIDING.includes(each.route) && (isDone(each) || isOpen(each)) && isOwn(each),
  );
  const executed = requests.filter((each) => isDone(each) && isOwn(each) && isExecuted(each));
  return {
    outcome: end.outcome,
    endsFrom: Math.min(...decisions.map(({ call }) => call)),
    endedBy: Math.min(end.endedBy, ...executed.map((each) => each.return)),
  };
}

function isExecuted({ received }: Request): boolean {
  const { execution } = received as { execution?: { status?: string } };
  return execution?.status === 'done';
}

/** Returns how a payment ended; undefined if it ended before it reached the due. */
function endOf(request: Request, facts: Facts, isCash: boolean): End | undefined {
  const { code } = request;
  const known = facts.endOfContribution(String(request.received['id']));
  if (isDone(request) && !isCash) return { outcome: 'paid', endedBy: request.return };
  if (isOpen(request) || isDone(request)) {
    if (known !== undefined) return { outcome: known.status === 'paid' ? 'paid' : 'given_back', endedBy: known.seenAt };
    // An accepted request has taken the due; one without an answer perhaps not.
    return { outcome: request.status === 0 ? 'unknown' : 'open', endedBy: Infinity };
  }
  if (BY_DUE.has(code)) return { outcome: 'refused', endedBy: request.return };
  if (BY_LEDGER.has(code) && !isCash) return { outcome: 'given_back', endedBy: request.return };
  return undefined;
}
