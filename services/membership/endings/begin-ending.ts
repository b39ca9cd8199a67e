import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import { lockAssociation } from '../associations/association.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { lockMemberById } from '../members/member.store.ts';
import { endingRefusal } from './ending.rules.ts';
import { DONE, findEnding, findOutcome, insertOutcome } from './ending.store.ts';
import { endings, type EndingRow } from './ending.table.ts';

/** What is to end. */
type Wanted = Pick<EndingRow, 'id' | 'association_id' | 'kind' | 'member_id'>;

/** A stored ending, or, if it is known already, the outcome. */
type Begun = { ending: EndingRow } | { outcome: ExecutionOutcome };

/** Ends what an approval asks for, once for its id. @throws what the saga throws */
export async function endByApproval(deps: MembershipDeps, via: CanCall, wanted: Wanted): Promise<ExecutionOutcome> {
  const begun = await beginEnding(deps, via, wanted);
  if ('outcome' in begun) return begun.outcome;
  const { status, refusal } = await deps.endings.run(begun.ending, { via, isRecovery: false });
  return status === 'done' ? DONE : { status: 'failed', error: refusal };
}

/** Stores the ending, unless it was stored before. */
export async function beginEnding(deps: MembershipDeps, via: CanCall, wanted: Wanted): Promise<Begun> {
  for (;;) {
    const begun = await deps.db.transaction((tx) => storeEnding(deps, tx, wanted));
    if ('outcome' in begun || begun.ending.id === wanted.id) return begun;
    // Another ending of the same is under way. Its result decides whether there is anything left to end.
    await deps.endings.run(begun.ending, { via, isRecovery: false });
  }
}

/** @returns also another ending of the association or membership that is under way */
async function storeEnding({ runtime }: MembershipDeps, tx: Transaction, wanted: Wanted): Promise<Begun> {
  const { id, association_id, kind, member_id } = wanted;
  const association = await lockAssociation(tx, association_id);
  const before = kind === 'leaving' ? null : await findOutcome(tx, id);
  if (before !== null) return { outcome: before };
  const found = await findEnding(tx, wanted);
  if (found !== undefined) return { ending: found };
  const member = member_id === null ? undefined : await lockMemberById(tx, association_id, member_id);
  const now = runtime.clock();
  const refusal = endingRefusal(kind, association.status, member, false);
  if (refusal !== null) {
    const outcome: ExecutionOutcome = { status: 'failed', error: refusal };
    if (kind !== 'leaving') await insertOutcome(tx, { approval_id: id, association_id }, outcome, now);
    return { outcome };
  }
  const ending: EndingRow = {
    ...wanted,
    tenure: member?.tenure ?? null,
    status: 'locking',
    refusal: null,
    last_attempt_at: now,
  };
  await tx.orm.insert(endings, ending);
  return { ending };
}
