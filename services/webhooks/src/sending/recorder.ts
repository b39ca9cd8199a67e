/** Records what came of attempts, with what follows for their endpoints. */
import type { Log } from '@association-service/contracts/service';
import type { SqlDatabase, SqlTransaction } from '@association-service/contracts/subscriber';
import { hostOf } from '../addresses/url.rules.ts';
import { addNotice } from '../notices/notice.store.ts';
import {
  failPending,
  lockWebhooks,
  recordAttempts,
  setDisabled,
  setFailingSince,
  type LockedWebhook,
  type Recorded,
} from './attempt.store.ts';
import { byKey } from './by-key.store.ts';
import { healthAfter, type Signs } from './health.rules.ts';

export interface RecorderDeps {
  db: Pick<SqlDatabase, 'transaction'>;
  clock: () => Date;
  newId: () => string;
  log: Log;
}

/** An outcome, with what it says about the endpoint. */
export interface Result extends Recorded, Signs {
  webhook_id: string;
  /** How often the endpoint had been repaired when the attempt began. */
  repairs: number;
  /** False for a success of an endpoint that works already, which changes nothing about it. */
  changesHealth: boolean;
}

export interface Recorder {
  /**
   * Records a result. Results that arrive together share a transaction.
   * @throws what the database throws; nothing of the result is recorded then
   */
  record(result: Result): Promise<void>;
}

/** Bounds the transaction. At the usual load there are a few. */
const BATCH_MAX_RESULTS = 500;

interface Waiting {
  result: Result;
  settle: PromiseWithResolvers<void>;
}

export function createRecorder(deps: RecorderDeps): Recorder {
  const waiting: Waiting[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH_MAX_RESULTS);
      try {
        await write(
          deps,
          batch.map(({ result }) => result),
        );
        for (const { settle } of batch) settle.resolve();
      } catch (error) {
        for (const { settle } of batch) settle.reject(error);
      }
    }
    isWriting = false;
  }

  return {
    record(result) {
      const settle = Promise.withResolvers<void>();
      waiting.push({ result, settle });
      if (!isWriting) void writeAll();
      return settle.promise;
    },
  };
}

async function write({ db, ...deps }: RecorderDeps, results: readonly Result[]): Promise<void> {
  const now = deps.clock();
  const affected = [
    ...new Set(results.filter(({ changesHealth }) => changesHealth).map(({ webhook_id }) => webhook_id)),
  ];
  await byKey(db, async (tx) => {
    // Endpoints before deliveries, as everywhere.
    const webhooks = affected.length === 0 ? [] : await lockWebhooks(tx, affected);
    const isLate = ({ webhook_id, repairs }: Result) =>
      webhooks.some((webhook) => webhook.id === webhook_id && webhook.repairs !== repairs);
    // A 410 from before the endpoint was repaired is no reason to give up the delivery.
    const recorded = results.map((each) =>
      each.isGone && isLate(each) ? ({ ...each, status: 'pending', next_attempt_at: now } as const) : each,
    );
    await recordAttempts(tx, recorded, now);
    const timely = results.filter((each) => !isLate(each));
    for (const webhook of webhooks) await applyHealth(deps, tx, webhook, timely, now);
  });
}

/** Sums up the results of an endpoint; undefined without any. */
function signsOf(results: readonly Result[], webhook_id: string): Signs | undefined {
  const own = results.filter((result) => result.webhook_id === webhook_id);
  if (own.length === 0) return undefined;
  return { succeeded: own.some(({ succeeded }) => succeeded), isGone: own.some(({ isGone }) => isGone) };
}

async function applyHealth(
  { newId, log }: Omit<RecorderDeps, 'db'>,
  tx: SqlTransaction,
  webhook: LockedWebhook,
  results: readonly Result[],
  now: Date,
): Promise<void> {
  const { id, association_id, url, is_enabled, created_by_user_id } = webhook;
  const signs = signsOf(results, id);
  if (signs === undefined) return;
  const { failing_since, disable } = healthAfter(webhook, signs, now);
  if (failing_since?.getTime() !== webhook.failing_since?.getTime()) setFailingSince(tx, id, failing_since);
  if (disable === undefined || !is_enabled) return;
  setDisabled(tx, id, disable, now);
  const notice = { id: newId(), webhook_id: id, association_id, user_id: created_by_user_id };
  addNotice(tx, { ...notice, reason: disable, url_host: hostOf(new URL(url)) }, now);
  await failPending(tx, id, now);
  tx.afterCommit(() => log.info('an endpoint was disabled', { webhook_id: id, reason: disable }));
}
