import type { Logger } from 'moleculer';
import type { CanCall } from '../../../lib/service/call.ts';
import { driveEach } from '../../../lib/saga/drive-each.ts';
import type { Sweep } from '../../../lib/saga/recurring-job.ts';
import { takeStaleEndings } from '../endings/ending.store.ts';
import type { SagaDeps } from '../deps.ts';
import { driveEnding } from '../endings/ending.saga.ts';

/** What takes up the sagas that were left half done. */
export function sweepsOf(deps: SagaDeps, via: CanCall, log: Logger): Sweep[] {
  return [{ name: 'endings', every_ms: deps.timings.sweep_every_ms, sweep: () => sweepEndings(deps, via, log) }];
}

async function sweepEndings(deps: SagaDeps, via: CanCall, log: Logger): Promise<void> {
  const { foundation, timings } = deps;
  const now = foundation.runtime.clock();
  const before = new Date(now.getTime() - timings.stale_after_ms);
  const endings = await takeStaleEndings(foundation.db.manager, before, now);
  await driveEach(log, 'ending', endings, (ending) => driveEnding(deps, via, ending));
}
