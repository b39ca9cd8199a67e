/** The saga engine: stored plans that are carried out step by step, and survive any crash (ADR 20). */
import type { Logger } from 'moleculer';
import type { Db, Transaction } from '../db/db.ts';
import { columnList, findRow, prepared, updateRow, type Table } from '../db/table.ts';
import { callFailure } from '../errors/problem.ts';
import type { Fact } from '../events/outbox.ts';
import { renewWhile } from '../node/takeover.ts';
import { lostNode, type CanCall } from '../service/call.ts';
import type { ServiceContext } from '../service/service-context.ts';
import { runEach, type RecurringJob } from '../service/recurring-job.ts';
import { countRecovery, measureSaga } from './saga-metrics.ts';
import { requireMove, sqlList, type StateTable } from './states.ts';
import type { SagaTimings } from './timings.ts';

/** The columns that every saga's table has. */
export interface SagaRow<S extends string> {
  id: string;
  status: S;
  /** When a Move was last stored, recovery last claimed the row, or a long step last renewed it. A Commit may leave it. */
  last_attempt_at: Date;
}

/** One run of a saga, by a request or by recovery. */
export interface Attempt<Row> {
  /** Calls other services. */
  via: CanCall;
  isRecovery: boolean;
  /** Keeps the request's answer, in the transaction in which the row reaches a state without a step. */
  keepAnswer?: ((tx: Transaction, row: Row) => void | Promise<void>) | undefined;
}

/** The result of a step: the next state, and what else is written with it. */
export interface Move<S extends string, Row> {
  to: S;
  /** Columns that change with the state. */
  set?: Partial<Row>;
  facts?: Fact[];
  /** What else is written in the same transaction. */
  also?: (tx: Transaction, row: Row) => void | Promise<void>;
}

/**
 * The move of a step with its own statement, which must move the row only if it is still as the step read it. The engine
 * adds nothing: `commit` also writes the events, and calls `keepAnswer` if the row is idle then and was not refused.
 */
export interface Commit<Row> {
  /** @returns the moved row; undefined if another attempt has moved it before */
  commit: () => Promise<Row | undefined>;
}

/**
 * Does the work of one state. It may run several times, also concurrently, so it works under the row's ids.
 * @throws if the outcome is unknown: another attempt finds it
 */
export type Step<S extends string, Row> = (row: Row, attempt: Attempt<Row>) => Promise<Move<S, Row> | Commit<Row>>;

export interface SagaDefinition<S extends string, Row extends SagaRow<S>> {
  /** Names the saga in logs and fault points. */
  name: string;
  table: Table<Row>;
  states: StateTable<S>;
  /** The steps. A state without one is final, or waits for something outside, such as a decision. */
  steps: Partial<Record<S, Step<S, Row>>>;
  /** The SQL condition for rows that recovery may claim; absent if it may claim all. */
  recoverable?: string;
}

export interface Saga<S extends string, Row extends SagaRow<S>> {
  readonly name: string;
  find(id: string): Promise<Row | undefined>;
  /**
   * Runs steps until the row is idle: see isIdle().
   * @throws the error of a step; the row stays in the state of its last move
   */
  run(row: Row, attempt: Attempt<Row>): Promise<Row>;
  /**
   * Stores one move from outside the steps, such as a decision.
   * @returns the row, which another attempt may have moved
   */
  move(row: Row, move: Move<S, Row>): Promise<Row>;
  /** Stores a move in the caller's transaction. Returns undefined if another attempt has moved the row. */
  moveWithin(tx: Transaction, row: Row, move: Move<S, Row>): Promise<Row | undefined>;
  /** Whether there is no step to run: the state is final, or waits for something outside, such as a decision. */
  isIdle(row: Row): boolean;
  /** Returns the job that runs unfinished rows. */
  recovery(via: CanCall, log: Logger): RecurringJob;
  /** Measures unfinished rows. Returns a function that ends it. */
  measure(): () => void;
}

/** How many rows one run of recovery claims and runs in parallel; the others wait for the next run. */
const RECOVERY_MAX_ROWS = 100;

type SagaContext = Pick<ServiceContext, 'service' | 'runtime' | 'db' | 'outbox'>;

/** Builds the saga of a definition. It adds the rows' events to the service's outbox. */
export function createSaga<S extends string, Row extends SagaRow<S>>(
  context: SagaContext,
  timings: SagaTimings,
  definition: SagaDefinition<S, Row>,
): Saga<S, Row> {
  const { service, runtime, db } = context;
  const { name, table, steps } = definition;
  const reached = (point: string) => runtime.reached(`${service}.${name}.${point}`);
  const isIdle = ({ status }: Row) => steps[status] === undefined;

  const find = (id: string) => findRow<Row>(db, table, { id } as Partial<Row>);
  async function load(id: string): Promise<Row> {
    const row = await find(id);
    if (row === undefined) throw new Error(`${name} ${id} no longer exists, but its rows are never deleted`);
    return row;
  }

  const moveWithin = (tx: Transaction, row: Row, move: Move<S, Row>) => moveRow(context, definition, tx, row, move);

  async function store(row: Row, move: Move<S, Row> | Commit<Row>, attempt?: Attempt<Row>): Promise<Row> {
    const moved =
      'commit' in move
        ? await move.commit()
        : await db.transaction(async (tx) => {
            const next = await moveWithin(tx, row, move);
            if (next !== undefined && isIdle(next)) await attempt?.keepAnswer?.(tx, next);
            return next;
          });
    return moved ?? load(row.id);
  }

  const touch = (row: Row, idle_ms = 0) => touchRow(db, table.name, row, new Date(runtime.clock().getTime() - idle_ms));

  async function runSteps(begun: { row: Row }, attempt: Attempt<Row>): Promise<Row> {
    for (;;) {
      const { row } = begun;
      await reached(row.status);
      const step = steps[row.status];
      if (step === undefined) return row;
      const runTwice = () => repeatedIfLost(() => step(row, attempt));
      const move = await renewWhile(() => void touch(row), runTwice, timings.stale_after_ms);
      await reached(`${row.status}.acted`);
      begun.row = await store(row, move, attempt);
    }
  }

  async function run(row: Row, attempt: Attempt<Row>): Promise<Row> {
    const begun = { row };
    try {
      return await runSteps(begun, attempt);
    } catch (error) {
      // The next run of recovery continues what a request leaves unfinished, and what waits for a service (chaos seed 127). What else
      // recovery could not finish has to wait.
      const isNext = !attempt.isRecovery || callFailure(error) === 'not_run';
      if (isNext) await touch(begun.row, timings.stale_after_ms);
      throw error;
    }
  }

  return {
    name,
    find,
    run,
    move: (row, move) => store(row, move),
    moveWithin,
    isIdle,
    recovery: (via, log) => ({
      name: `recovery of ${name}`,
      every_ms: timings.recover_every_ms,
      run: async () => {
        const rows = await claimUnfinished(db, definition, timings.stale_after_ms, runtime.clock());
        await runEach(log, name, rows, (row) => countRecovery(name, run(row, { via, isRecovery: true })));
      },
    }),
    measure: () => measureSaga(db, runtime.clock, definition),
  };
}

/** Stores a move if the row is still in the state from which it begins. */
async function moveRow<S extends string, Row extends SagaRow<S>>(
  { runtime, outbox }: SagaContext,
  { table, states }: SagaDefinition<S, Row>,
  tx: Transaction,
  row: Row,
  move: Move<S, Row>,
): Promise<Row | undefined> {
  const { id, status } = row;
  requireMove(states, status, move.to);
  const expected: Partial<SagaRow<S>> = { id, status };
  const changes: Partial<SagaRow<S>> = { status: move.to, last_attempt_at: runtime.clock() };
  const set = { ...move.set, ...changes } as Partial<Row>;
  const moved = await updateRow<Row>(tx, table, expected as Partial<Row>, set);
  if (moved === undefined) return undefined;
  outbox.append(tx, ...(move.facts ?? []));
  await move.also?.(tx, moved);
  return moved;
}

/**
 * Runs a step, once more if a node that it called was lost.
 * @throws the first error: what the lost node has done is unknown, even if the second call certainly did not run
 */
async function repeatedIfLost<M>(step: () => Promise<M>): Promise<M> {
  try {
    return await step();
  } catch (error) {
    if (!lostNode(error)) throw error;
    return step().catch(() => {
      throw error;
    });
  }
}

/**
 * Tells recovery when the row had an attempt, unless another attempt has moved it. If that fails, the row is run twice or later,
 * which does no harm.
 */
async function touchRow(db: Db, table: string, { id, status }: SagaRow<string>, at: Date): Promise<void> {
  const statement = `UPDATE ${table} SET last_attempt_at = $1 WHERE id = $2 AND status = $3`;
  await db.run(statement, [at, id, status]).catch(() => undefined);
}

/**
 * Claims rows without a recent attempt. Each row is claimed by one node. A time in the future is from a process whose clock is
 * wrong, or was.
 */
function claimUnfinished<S extends string, Row extends SagaRow<S>>(
  db: Db,
  { table, steps, recoverable = 'true' }: SagaDefinition<S, Row>,
  stale_after_ms: number,
  now: Date,
): Promise<Row[]> {
  const [earliest, latest] = [-stale_after_ms, stale_after_ms].map((ms) => new Date(now.getTime() + ms));
  const claim = `
    UPDATE ${table.name} SET last_attempt_at = $1 WHERE id IN (
      SELECT id FROM ${table.name}
      WHERE status IN (${sqlList(Object.keys(steps))}) AND ${recoverable}
        AND (last_attempt_at < $2 OR last_attempt_at > $3)
      ORDER BY last_attempt_at LIMIT $4 FOR UPDATE SKIP LOCKED)
    RETURNING ${columnList(table)}`;
  return db.rows<Row>(prepared(table.name, claim), [now, earliest, latest, RECOVERY_MAX_ROWS]);
}
