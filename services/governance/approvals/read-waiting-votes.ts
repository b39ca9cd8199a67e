import { waitingVotes } from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { call } from '../../../lib/service/call.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { GovernanceDeps } from '../deps.ts';
import { isUndecided, waitingVoters } from './approval.rules.ts';
import { findWithVotes } from './approval.store.ts';

/** Returns to other services for whose votes an approval waits. */
export const waitingVotesAction = ({ reads, runtime }: GovernanceDeps) =>
  implementCommand(waitingVotes, async ({ association_id, approval_id }, ctx) => {
    const approval = await findWithVotes(reads, approval_id);
    if (approval?.association_id !== association_id) throw problem('not_found');
    const now = runtime.clock();
    // A decided approval waits for no votes, so the board need not be read.
    const { board } = isUndecided(approval, now)
      ? await call(ctx, membership.board, { association_id })
      : { board: [] };
    const ids = board.map((member) => member.member_id);
    return {
      status: approval.status,
      subject_type: approval.subject_type,
      expires_at: approval.expires_at.toISOString(),
      waiting_member_ids: waitingVoters(approval, approval.votes, ids, now),
    };
  });
