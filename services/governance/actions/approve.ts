import { implementWrite } from '../../../lib/service/implement-write.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import type { GovernanceDeps } from '../deps.ts';
import { castVote } from './cast-vote.ts';

/** POST …/governance/approve: a board executive's vote for a request. */
export const approveAction = (deps: GovernanceDeps) =>
  implementWrite(deps.foundation, governance.approve, ({ path, body }, caller, ctx, operation) =>
    castVote(
      deps,
      ctx,
      caller,
      {
        association_id: path.association_id,
        approval_id: body.approval_id,
        pin: body.pin,
        decision: 'approve',
        reason: null,
        seen_payload_hash: body.payload_hash,
      },
      operation,
    ),
  );
