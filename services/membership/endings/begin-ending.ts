import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import { lockAssociation } from '../associations/association.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { lockMemberById } from '../members/member.store.ts';
import { endingRefusal } from './ending.rules.ts';
import { DONE, findEnding, findOutcome, insertOutcome } from './ending.store.ts';
import { endings, type EndingRow } from './ending.table.ts';

/** The association or membership to end, under the id of the request. */
type EndingRequest = Pick<EndingRow, 'id' | 'association_id' | 'kind' | 'member_id'>;

/** The stored ending, or the outcome if that is certain without one. */
type BeginResult = { ending: EndingRow } | { outcome: ExecutionOutcome };

/**
 * Ends the association or membership that an approval names, once for the approval's id.
 * @throws what the saga throws
 */
export async function endByApproval(
  deps: MembershipDeps,
  via: CanCall,
  request: EndingRequest,
): Promise<ExecutionOutcome> {
  const result = await beginEnding(deps, via, request);
  if ('outcome' in result) return result.outcome;
  const { status, refusal } = await deps.endings.run(result.ending, { via, isRecovery: false });
  return status === 'done' ? DONE : { status: 'failed', error: refusal };
}

/**
 * Stores the ending, unless it is already stored or cannot begin.
 * @param hold see Operation
 */
export async function beginEnding(
  deps: MembershipDeps,
  via: CanCall,
  request: EndingRequest,
  hold?: Operation['hold'],
): Promise<BeginResult> {
  for (;;) {
    const result = await deps.db.transaction(async (tx) => {
      await hold?.(tx);
      return storeEnding(deps, tx, request);
    });
    if ('outcome' in result || result.ending.id === request.id) return result;
    // Another ending of the same association or membership is under way. Its result decides whether this one can begin.
    await deps.endings.run(result.ending, { via, isRecovery: false });
  }
}

/** Stores the ending, or returns another ending of the same association or membership that is under way. */
async function storeEnding({ runtime }: MembershipDeps, tx: Transaction, request: EndingRequest): Promise<BeginResult> {
  const { id, association_id, kind, member_id } = request;
  const association = await lockAssociation(tx, association_id);
  const before = kind === 'leaving' ? null : await findOutcome(tx, id);
  if (before !== null) return { outcome: before };
  const found = await findEnding(tx, request);
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
    ...request,
    tenure: member?.tenure ?? null,
    status: 'locking',
    refusal: null,
    last_attempt_at: now,
  };
  await tx.orm.insert(endings, ending);
  return { ending };
}
