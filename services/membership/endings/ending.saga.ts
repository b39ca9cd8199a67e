/**
 * The end of an association (closure) or of a membership (leaving, expulsion). Other services that may have its money
 * or requests lock it first. Then membership ends it, or the locks are lifted (ADR 17).
 */
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import { metadataMember } from '../../../lib/contracts/metadata.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { createSaga, type Attempt, type Saga } from '../../../lib/saga/saga.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { changeMemberCount, lockAssociation } from '../associations/association.store.ts';
import { associations, type AssociationRow } from '../associations/association.table.ts';
import { findMemberBindings } from '../cycles/binding.store.ts';
import { lockMemberById } from '../members/member.store.ts';
import { members, type MemberRow } from '../members/member.table.ts';
import type { MembershipTimings } from '../timings.ts';
import { endingRefusal } from './ending.rules.ts';
import { DONE, insertOutcome } from './ending.store.ts';
import { ENDING_STATES, endings, type EndingRow, type EndingStatus } from './ending.table.ts';
import { lockAssociationElsewhere, lockMembershipElsewhere, unlockElsewhere } from './lock-other-services.ts';
import type { LockResult } from './lock-other-services.ts';

export type EndingSaga = Saga<EndingStatus, EndingRow>;

/** Creates the saga that closes associations and ends memberships. */
export function createEndingSaga(context: ServiceContext, timings: MembershipTimings): EndingSaga {
  const saga: EndingSaga = createSaga(context, timings, {
    name: 'ending',
    table: endings,
    states: ENDING_STATES,
    steps: {
      async locking(ending, attempt) {
        const result = await (ending.kind === 'closure'
          ? lockAssociationElsewhere(context, timings, attempt.via, ending)
          : lockMembershipElsewhere(context, attempt.via, ending));
        return {
          commit: () => context.db.transaction((tx) => conclude(context, tx, saga, ending, result, attempt)),
        };
      },
      async unlocking(ending, { via }) {
        await unlockElsewhere(via, ending);
        return {
          to: 'refused',
          also: (tx) => storeOutcome(context, tx, ending, { status: 'failed', error: ending.refusal }),
        };
      },
    },
  });
  return saga;
}

/**
 * Moves an ending to `done` or `unlocking`. Returns undefined if another attempt has already moved it; if that attempt
 * has lifted the locks, this one could not set them any more.
 */
async function conclude(
  context: ServiceContext,
  tx: Transaction,
  saga: EndingSaga,
  ending: EndingRow,
  result: LockResult,
  attempt: Attempt<EndingRow>,
): Promise<EndingRow | undefined> {
  const { association_id, member_id } = ending;
  const association = await lockAssociation(tx, association_id);
  const member = member_id === null ? undefined : await lockMemberById(tx, association_id, member_id);
  const refusal =
    result.refusal ?? endingRefusal(ending.kind, association.status, member, await isBoundSince(tx, ending, result));
  if (refusal !== null) return saga.moveWithin(tx, ending, { to: 'unlocking', set: { refusal } });
  const done = await saga.moveWithin(tx, ending, { to: 'done' });
  if (done === undefined) return undefined;
  await storeOutcome(context, tx, ending, DONE);
  await (member === undefined
    ? closeAssociation(context, tx, ending, association)
    : removeMember(context, tx, ending, member));
  await attempt.keepAnswer?.(tx, done);
  return done;
}

/** Whether a cycle binds the member now, or has bound them since contribution was asked: it may have left arrears. */
async function isBoundSince(tx: Transaction, ending: EndingRow, { bindings }: LockResult): Promise<boolean> {
  if (ending.member_id === null) return false;
  const { open, count } = await findMemberBindings(tx, ending.association_id, ending.member_id);
  return open !== null || count !== bindings;
}

async function closeAssociation(
  { outbox }: ServiceContext,
  tx: Transaction,
  { id: approval_id, association_id }: EndingRow,
  { metadata }: AssociationRow,
): Promise<void> {
  await tx.orm.update(associations, { id: association_id }, { status: 'closed' });
  const data = { approval_id, ...metadataMember(metadata) };
  outbox.append(tx, { type: 'association.closed', association_id, data });
}

async function removeMember(
  { outbox }: ServiceContext,
  tx: Transaction,
  { id: approval_id, association_id, kind }: EndingRow,
  { id: member_id, user_id, tenure }: MemberRow,
): Promise<void> {
  const status = kind === 'leaving' ? 'left' : 'expelled';
  await tx.orm.update(members, { id: member_id }, { status, tenure: tenure + 1 });
  await changeMemberCount(tx, association_id, -1);
  const data = { member_id, user_id };
  outbox.append(
    tx,
    kind === 'leaving'
      ? { type: 'member.left', association_id, data }
      : { type: 'member.expelled', association_id, data: { ...data, approval_id } },
  );
}

/** Stores the outcome of the approval. Leaving has no approval. */
async function storeOutcome(
  { runtime }: ServiceContext,
  tx: Transaction,
  { id: approval_id, association_id, kind }: EndingRow,
  outcome: ExecutionOutcome,
): Promise<void> {
  if (kind !== 'leaving') await insertOutcome(tx, { approval_id, association_id }, outcome, runtime.clock());
}
