import type { Logger } from 'moleculer';
import type { CanCall } from '../../../lib/actions/call.ts';
import { driveEach } from '../../../lib/saga/drive-each.ts';
import type { Sweep } from '../../../lib/saga/sweeper.ts';
import type { ContributionDeps } from '../deps.ts';
import { claimUndecided } from '../persistence/contributions.ts';
import { claimHalfStarted } from '../persistence/cycles.ts';
import { claimPlanned, reopenAbandoned } from '../persistence/settling.ts';
import { resumeContribution } from './contribution-saga.ts';
import { driveCycle } from './cycle-saga.ts';
import { driveSettlement } from './settlement-saga.ts';

/** What takes up the sagas that were left half done, each by asking again under the same id. */
export function sweepsOf(deps: ContributionDeps, via: CanCall, log: Logger): Sweep[] {
  const every_ms = deps.timings.sweep_every_ms;
  return [
    { name: 'contributions', every_ms, sweep: () => sweepContributions(deps, via, log) },
    { name: 'settlements', every_ms, sweep: () => sweepSettlements(deps, via, log) },
    { name: 'cycles', every_ms, sweep: () => sweepCycles(deps, via, log) },
  ];
}

async function sweepContributions(deps: ContributionDeps, via: CanCall, log: Logger): Promise<void> {
  const rows = await deps.foundation.transaction((manager) => claimUndecided(manager, ...staleness(deps)));
  await driveEach(log, 'contribution', rows, (row) => resumeContribution(deps, via, row));
}

async function sweepSettlements(deps: ContributionDeps, via: CanCall, log: Logger): Promise<void> {
  const [now, stale_before] = staleness(deps);
  const rows = await deps.foundation.transaction(async (manager) => {
    await reopenAbandoned(manager, stale_before);
    return claimPlanned(manager, now, stale_before);
  });
  await driveEach(log, 'settlement', rows, (row) => driveSettlement(deps, via, row));
}

async function sweepCycles(deps: ContributionDeps, via: CanCall, log: Logger): Promise<void> {
  const rows = await deps.foundation.transaction((manager) => claimHalfStarted(manager, ...staleness(deps)));
  await driveEach(log, 'cycle', rows, (row) => driveCycle(deps, via, row));
}

function staleness({ foundation, timings }: ContributionDeps): [now: Date, stale_before: Date] {
  const now = foundation.runtime.clock();
  return [now, new Date(now.getTime() - timings.stale_after_ms)];
}
