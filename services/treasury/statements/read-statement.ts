import { dayOf } from '../../../lib/calendar/calendar.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { implement, type CallContext } from '../../../lib/service/implement.ts';
import type { Answer, Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import { statementFacts } from '../../../lib/contracts/contribution.ts';
import type { MeetingReference } from '../../../lib/contracts/fields.ts';
import { zoneOf, type MemberReference, type Terms } from '../../../lib/contracts/membership.ts';
import { statement, STATEMENT_MAX_MOVEMENTS } from '../../../lib/contracts/treasury.ts';
import { invalid, problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { TreasuryDeps } from '../deps.ts';
import { associationChain } from '../ledger/chain.rules.ts';
import { boundsOf, sumUp } from './statement.rules.ts';
import { readChainHead } from '../ledger/ledger-reads.store.ts';
import { readBalanceBefore, listMovements } from './statement.store.ts';

/** Three quarters of the 8 MB that the embedded NATS server accepts in one message. References can be long. */
const STATEMENT_MAX_BYTES = 6 * 1024 * 1024;

/** The earliest time zone is UTC+14. A day that has begun there is not in the future. */
const AHEAD_OF_UTC_MAX_MS = 14 * 60 * 60 * 1_000;

type Input = EndpointInput<typeof statement>;

/** Makes a statement of a member's movements: for the member, even if they have left, and for the board. */
export const statementAction = ({ reads, runtime }: TreasuryDeps) =>
  implement(statement, async ({ path: { association_id }, query }, caller, ctx) => {
    requirePeriod(query, runtime.clock());
    const { member, terms } = await authorizeReader(association_id, query.member_id, caller, ctx);
    const made_at = runtime.clock().toISOString();
    const chain_id = associationChain(association_id);
    const ledger_head = await readChainHead(reads, chain_id);
    const scope = { chain_id, member_id: member.member_id, up_to_seq: ledger_head.seq };
    const bounds = boundsOf(query, zoneOf(terms));
    const movements = await listMovements(reads, scope, bounds, STATEMENT_MAX_MOVEMENTS + 1);
    if (movements.length > STATEMENT_MAX_MOVEMENTS) throw tooLong();
    const opening = bounds.since === null ? 0n : await readBalanceBefore(reads, scope, bounds.since);
    // A statement without arrears would be wrong, so there is none while contribution cannot answer.
    const transfer_ids = [...new Set(movements.map((movement) => movement.transfer_id))];
    const facts = await call(ctx, statementFacts, { association_id, member_id: member.member_id, transfer_ids });
    const shown = {
      ...sumUp(opening, movements, meetingsByTransfer(facts), terms.currency),
      ...debtsOf(facts, terms.currency),
    };
    if (Buffer.byteLength(JSON.stringify(shown)) > STATEMENT_MAX_BYTES) throw tooLong();
    return {
      association: { id: association_id, name: terms.name },
      member: { id: member.member_id, user_id: member.user_id, display_name: member.display_name },
      currency: terms.currency,
      time_zone: zoneOf(terms),
      from: query.from ?? null,
      to: query.to ?? null,
      ...shown,
      ledger_head,
      made_at,
    };
  });

type Facts = Answer<typeof statementFacts>;

function meetingsByTransfer({ meetings }: Facts): Map<string, MeetingReference> {
  return new Map(meetings.flatMap(({ meeting, transfer_ids }) => transfer_ids.map((id) => [id, meeting] as const)));
}

function debtsOf({ owes_minor, is_owed_minor, arrears, fines = [], fines_minor = 0 }: Facts, currency: string) {
  const major = (minor: number) => toMajor(BigInt(minor), currency);
  return {
    owes: major(owes_minor),
    is_owed: major(is_owed_minor),
    arrears: arrears.map(({ meeting, since, ...round }) => {
      return { meeting, owes: major(round.owes_minor), is_owed: major(round.is_owed_minor), since };
    }),
    fines_outstanding: major(fines_minor),
    fines: fines.map(({ outstanding_minor, ...fine }) => ({ ...fine, outstanding: major(outstanding_minor) })),
  };
}

/** Returns the member that the statement is about: the caller, or the member that a board member asks for. */
async function authorizeReader(
  association_id: string,
  member_id: string | undefined,
  caller: Caller,
  ctx: CallContext,
): Promise<{ member: MemberReference; terms: Terms }> {
  const own = await authorizeCaller(ctx, caller, association_id, 'read_own_statement');
  if (member_id === undefined || member_id === own.member.member_id) return own;
  const asked = await authorizeCaller(ctx, caller, association_id, 'read_any_statement', { member_ids: [member_id] });
  const member = asked.members.find((each) => each.member_id === member_id);
  if (member === undefined) throw problem('not_found');
  return { member, terms: asked.terms };
}

/**
 * Checks the period. Days are compared as text, `YYYY-MM-DD`.
 * @throws validation_failed
 */
function requirePeriod({ from, to }: Input['query'], now: Date): void {
  if (from === undefined) return;
  const refused = (detail: string) => invalid({ pointer: 'from', code: 'date', detail });
  if (to !== undefined && from > to) throw refused('The period ends before it begins.');
  if (from > dayOf(new Date(now.getTime() + AHEAD_OF_UTC_MAX_MS))) throw refused('The period has not begun yet.');
}

function tooLong() {
  const detail = `A statement has at most ${String(STATEMENT_MAX_MOVEMENTS)} movements, fewer with long references.`;
  return invalid({ pointer: 'from', code: 'too_many', detail });
}
