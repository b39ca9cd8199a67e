import { authorized } from '../../../lib/actions/authorized.ts';
import { implement } from '../../../lib/actions/implement.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import type { Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import type { MemberReference, Terms } from '../../../lib/contracts/membership.ts';
import { statement } from '../../../lib/contracts/treasury.ts';
import { dayOf } from '../../../lib/calendar/calendar.ts';
import { invalid, problem } from '../../../lib/errors/problem.ts';
import type { TreasuryDeps } from '../deps.ts';
import { associationChain } from '../domain/accounts.ts';
import { boundsOf, sumUp } from '../domain/statement.ts';
import { chainHead } from '../persistence/ledger-reads.ts';
import { balanceBefore, movementsOf } from '../persistence/statement-reads.ts';

/** Some 4 MB of JSON; nobody reads more at once, and longer ones are to be asked for by period. */
const STATEMENT_MAX_MOVEMENTS = 10_000;

/** Three quarters of what NATS takes in one message: reasons can be long. */
const STATEMENT_MAX_BYTES = 6 * 1024 * 1024;

/** UTC+14: who asks from today on where it is a day already that has not begun in UTC is not refused. */
const AHEAD_OF_UTC_MAX_MS = 14 * 60 * 60 * 1_000;

type Input = EndpointInput<typeof statement>;

/** A member's movements in the association: his own also when he has left, another's for the board. */
export const statementAction = (deps: TreasuryDeps) =>
  implement(statement, async ({ path: { association_id }, query }, caller, ctx) => {
    assertPeriod(query, deps.foundation.runtime.clock());
    const { member, terms } = await subjectOf(association_id, query.member_id, caller, ctx);
    const { manager, pool } = deps.foundation.db;
    const made_at = deps.foundation.runtime.clock().toISOString();
    const chain_id = associationChain(association_id);
    const ledger_head = await chainHead(pool, chain_id);
    const scope = { chain_id, member_id: member.member_id, up_to_seq: ledger_head.seq };
    const bounds = boundsOf(query);
    const movements = await movementsOf(manager, scope, bounds, STATEMENT_MAX_MOVEMENTS + 1);
    if (movements.length > STATEMENT_MAX_MOVEMENTS) throw tooLong();
    const opening = bounds.since === null ? 0n : await balanceBefore(manager, scope, bounds.since);
    const sums = sumUp(opening, movements, terms.currency);
    if (Buffer.byteLength(JSON.stringify(sums)) > STATEMENT_MAX_BYTES) throw tooLong();
    return {
      association: { id: association_id, name: terms.name },
      member: { id: member.member_id, user_id: member.user_id, display_name: member.display_name },
      currency: terms.currency,
      from: query.from ?? null,
      to: query.to ?? null,
      ...sums,
      ledger_head,
      made_at,
    };
  });

/** Whom the statement is about: the caller himself, or whom the board asks for. */
async function subjectOf(
  association_id: string,
  member_id: string | undefined,
  caller: Caller,
  ctx: CallContext,
): Promise<{ member: MemberReference; terms: Terms }> {
  const own = await authorized(ctx, caller, association_id, 'read_own_statement');
  if (member_id === undefined || member_id === own.member.member_id) return own;
  const asked = await authorized(ctx, caller, association_id, 'read_any_statement', { member_ids: [member_id] });
  const member = asked.members.find((each) => each.member_id === member_id);
  if (member === undefined) throw problem('not_found');
  return { member, terms: asked.terms };
}

/** Days are written so that they sort as text. */
function assertPeriod({ from, to }: Input['query'], now: Date): void {
  if (from === undefined) return;
  const refused = (detail: string) => invalid({ pointer: 'from', code: 'date', detail });
  if (to !== undefined && from > to) throw refused('The period ends before it begins.');
  if (from > dayOf(new Date(now.getTime() + AHEAD_OF_UTC_MAX_MS))) throw refused('The period has not begun yet.');
}

function tooLong() {
  const detail = `A statement has at most ${String(STATEMENT_MAX_MOVEMENTS)} movements, fewer with long references.`;
  return invalid({ pointer: 'from', code: 'too_many', detail });
}
