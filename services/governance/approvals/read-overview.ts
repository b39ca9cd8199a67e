import { overview } from '../../../lib/contracts/governance.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { GovernanceDeps } from '../deps.ts';
import { listWaiting } from './approval.store.ts';

/** Returns to membership which approvals wait for the vote of a user in their associations. */
export const overviewAction = ({ reads, runtime }: GovernanceDeps) =>
  implementCommand(overview, async ({ memberships }) => {
    const waiting = await listWaiting(reads, memberships, runtime.clock());
    const byAssociation = Map.groupBy(waiting, ({ association_id }) => association_id);
    return {
      associations: [...byAssociation].map(([association_id, approvals]) => ({
        association_id,
        approvals: approvals.map(({ id, subject_type, subject_id, requested_by_member_id, expires_at }) => ({
          id,
          subject_type,
          subject_id,
          requested_by_member_id,
          expires_at: expires_at.toISOString(),
        })),
      })),
    };
  });
