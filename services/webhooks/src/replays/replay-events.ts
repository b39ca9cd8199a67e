import { invalid } from '@association-service/contracts';
import { implementWrite } from '@association-service/contracts/moleculer';
import type { SqlTransaction } from '@association-service/contracts/subscriber';
import type { ActionSchema } from 'moleculer';
import type { WebhookEndpoints } from '../contracts.ts';
import { lockEnabled } from '../deliveries/send-again.ts';
import type { AuthorizeOwner, Deps } from '../endpoints/deps.ts';
import { refusal } from '../errors.ts';
import { REPLAYS_COUNT_FOR_MS, REPLAYS_MAX } from '../limits.rules.ts';
import { addReplay, countReplays, findReplay, type Replay } from './replay.store.ts';

/** Begins to send the events of a time range again. */
export function replayEventsAction(
  deps: Deps,
  contract: WebhookEndpoints['replay'],
  authorize: AuthorizeOwner,
): ActionSchema {
  const { db, clock } = deps;
  return implementWrite(
    deps.parts,
    contract,
    async ({ path, body }, caller, ctx, operation) => {
      const { association_id } = await authorize(ctx, caller, path);
      const { webhook_id } = path;
      return db.transaction(async (tx) => {
        await lockEnabled(tx, { association_id, webhook_id });
        const now = clock();
        const from_at = new Date(body.from);
        // Later events are delivered anyway.
        const to_at = new Date(Math.min(now.getTime(), body.to === undefined ? Infinity : Date.parse(body.to)));
        const replay = { id: operation.id, webhook_id, from_at, to_at, created_at: now };
        const earlier = await findReplay(tx, replay.id);
        if (earlier === undefined) await begin(tx, { ...replay, association_id });
        const answer = showReplay(earlier ?? replay);
        await operation.keep(tx, answer);
        tx.afterCommit(deps.continueReplays);
        return answer;
      });
    },
    {
      check({ body: { from, to } }) {
        if (Date.parse(from) > clock().getTime()) {
          throw invalid({ pointer: '/from', code: 'too_large', detail: 'This must not be in the future.' });
        }
        if (to === undefined || Date.parse(from) < Date.parse(to)) return;
        throw invalid({ pointer: '/to', code: 'too_small', detail: 'This must be later than `from`.' });
      },
    },
  );
}

/** @throws webhook_replay_running, webhook_replay_limit */
async function begin(tx: SqlTransaction, replay: Replay & { association_id: string | null }): Promise<void> {
  if (!(await addReplay(tx, replay))) throw refusal('webhook_replay_running');
  // Counted with this one, under the lock of its endpoint.
  const since = new Date(replay.created_at.getTime() - REPLAYS_COUNT_FOR_MS);
  if ((await countReplays(tx, replay, since)) > REPLAYS_MAX) throw refusal('webhook_replay_limit');
}

function showReplay({ id, webhook_id, from_at, to_at, created_at }: Replay) {
  return {
    id,
    webhook_id,
    from: from_at.toISOString(),
    to: to_at.toISOString(),
    created_at: created_at.toISOString(),
  };
}
