import type pg from 'pg';
import { gather } from '../../../lib/db/group-commit.ts';
import type { Clock } from '../../../lib/node/runtime.ts';
import type { ContributionRow } from './contribution.entity.ts';
import { markAllPaid } from './decide-contribution.ts';
import type { MovedContribution } from './decide-contribution.ts';
import { findPayableMeetings } from './find-payable-meeting.ts';
import type { MeetingOfAssociation, PayableMeeting } from './find-payable-meeting.ts';
import { takeDue, takeDues } from './take-due.ts';
import type { NewContribution, TakeResult } from './take-due.ts';

/** The statements of a payment into a pool, gathered: what comes at the same time goes together. */
export interface GatheredStatements {
  /** The meeting of this association; undefined if it has none of that id. */
  findPayableMeeting(asked: MeetingOfAssociation): Promise<PayableMeeting | undefined>;
  /** Takes the amount of the due and stores the contribution, or neither. */
  takeDue(contribution: NewContribution): Promise<TakeResult>;
  /**
   * Counts a pending contribution as paid and tells of it; undefined if it was decided before.
   * @param contribution its `keep`, if any, runs in the same transaction
   */
  markPaid(contribution: Paid): Promise<ContributionRow | undefined>;
}

type Paid = MovedContribution & Due;

type Due = Pick<ContributionRow, 'meeting_id' | 'member_id'>;

/** Both statements that write count on meeting each due once. */
const dueOf = ({ meeting_id, member_id }: Due) => `${meeting_id}/${member_id}`;

/** @param pool for what has to wait by itself */
export function gatherStatements(batches: pg.Pool, pool: pg.Pool, clock: Clock): GatheredStatements {
  const takeTogether = gather((contributions: NewContribution[]) => takeDues(batches, contributions), {
    alone: (contribution) => takeDue(pool, contribution),
    keyOf: dueOf,
  });
  return {
    findPayableMeeting: gather((asked) => findPayableMeetings(batches, asked)),
    takeDue: async (contribution) => (await takeTogether(contribution)) ?? takeDue(pool, contribution),
    markPaid: gather((moved: Paid[]) => markAllPaid(batches, moved, clock()), {
      alone: async (moved) => (await markAllPaid(pool, [moved], clock()))[0],
      keyOf: dueOf,
    }),
  };
}
