import { implementWrite } from '../../../lib/service/implement-write.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import type { GovernanceDeps } from '../deps.ts';
import { castVote } from './cast-vote.ts';

/** POST …/governance/reject: a board executive's vote against a request. */
export const rejectAction = (deps: GovernanceDeps) =>
  implementWrite(deps.foundation, governance.reject, ({ path, body }, caller, ctx, operation) =>
    castVote(
      deps,
      ctx,
      caller,
      {
        association_id: path.association_id,
        approval_id: body.approval_id,
        pin: body.pin,
        decision: 'reject',
        reason: body.reason ?? null,
        seen_payload_hash: undefined,
      },
      operation,
    ),
  );
