import type { CanCall } from '../../lib/actions/call.ts';
import type { Sweep } from '../../lib/saga/sweeper.ts';
import type { Foundation } from '../../lib/service/foundation.ts';
import { DEFAULT_TIMINGS } from './deps.ts';
import type { Timings, TreasuryDeps } from './deps.ts';
import { openLedgerPool } from './persistence/ledger/connection.ts';
import { LedgerWriter } from './persistence/ledger/ledger-writer.ts';
import { CashDepositSaga } from './sagas/cash-deposit-saga.ts';
import { DistributionSaga } from './sagas/distribution-saga.ts';
import type { SagaLog } from './sagas/plan-saga.ts';

export interface TreasuryOptions {
  timings?: Partial<Timings>;
}

/** The treasury's parts, put together. */
export interface Treasury {
  deps: TreasuryDeps;
  sweeps(via: CanCall): Sweep[];
  /** Where the sagas say what they could not finish; before the service has started, nowhere. */
  logTo(log: SagaLog): void;
  /** Resolves when what was to be posted is decided, and the ledger's connections are closed. */
  stop(): Promise<void>;
}

/** @param ledgerUrl the service's database, for the connections that the ledger writer has to itself */
export function openTreasury(foundation: Foundation, ledgerUrl: string, options: TreasuryOptions): Treasury {
  const { runtime, outbox } = foundation;
  const eventsCommitted = () => foundation.eventsCommitted();
  const timings = { ...DEFAULT_TIMINGS, ...options.timings };
  const pool = openLedgerPool(ledgerUrl, foundation.db.availability.Client);
  const ledger = new LedgerWriter({ pool, outbox, runtime, eventsCommitted });
  let target: SagaLog | undefined;
  const log: SagaLog = { warn: (message, fields) => target?.warn(message, fields) };
  const cashDeposits = new CashDepositSaga({ foundation, timings, log }, ledger);
  const distributions = new DistributionSaga({ foundation, timings, log }, ledger);
  const every_ms = timings.sweep_every_ms;
  return {
    deps: { foundation, ledger, cashDeposits, distributions, timings },
    sweeps: (via) => [
      { name: 'cash-deposits', every_ms, sweep: () => cashDeposits.sweep(via) },
      { name: 'distributions', every_ms, sweep: () => distributions.sweep(via) },
    ],
    logTo: (log) => (target = log),
    stop: async () => {
      await ledger.stop();
      await pool.end();
    },
  };
}
