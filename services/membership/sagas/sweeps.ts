import type { Logger } from 'moleculer';
import type { CanCall } from '../../../lib/actions/call.ts';
import { driveEach } from '../../../lib/sagas/drive-each.ts';
import type { Sweep } from '../../../lib/sagas/sweeper.ts';
import { takeStaleClosings } from '../persistence/closings.ts';
import type { SagaDeps } from '../deps.ts';
import { driveClosing } from './closing.ts';

/** What takes up the sagas that were left half done. */
export function sweepsOf(deps: SagaDeps, via: CanCall, log: Logger): Sweep[] {
  return [{ name: 'closings', every_ms: deps.timings.sweep_every_ms, sweep: () => sweepClosings(deps, via, log) }];
}

async function sweepClosings(deps: SagaDeps, via: CanCall, log: Logger): Promise<void> {
  const { foundation, timings } = deps;
  const now = foundation.runtime.clock();
  const before = new Date(now.getTime() - timings.stale_after_ms);
  const closings = await takeStaleClosings(foundation.db.manager, before, now);
  const rows = closings.map((closing) => ({ ...closing, id: closing.approval_id }));
  await driveEach(log, 'closing', rows, (closing) => driveClosing(deps, via, closing));
}
