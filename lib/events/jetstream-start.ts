import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorCode, NatsError } from 'nats';

/** A cluster that has just started elects its leader within some 10 s. */
const START_PATIENCE_MS = 20_000;
const ASK_AGAIN_AFTER_MS = 250;

/** JetStream's codes for "no leader yet", and for fewer servers than the replicas asked for: others may be starting. */
const NOT_YET = [10_008, 10_005];

/** Whether JetStream is there but does not work yet, as in a cluster without a leader: it answers nothing, or says so. */
export function isStarting(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  return error.code === (ErrorCode.Timeout as string) || NOT_YET.includes(error.api_error?.err_code ?? 0);
}

/** Asks again, for a while, as long as JetStream is starting: for what may be repeated. */
export async function onceStarted<T>(ask: () => Promise<T>): Promise<T> {
  for (const end_ms = performance.now() + START_PATIENCE_MS; ; await sleep(ASK_AGAIN_AFTER_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!isStarting(error) || performance.now() > end_ms) throw error;
    }
  }
}
