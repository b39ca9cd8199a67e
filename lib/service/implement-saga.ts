import type { ActionSchema } from 'moleculer';
import type { Answer, Caller, Endpoint, EndpointInput } from '../contracts/action.ts';
import type { Db } from '../db/db.ts';
import { callFailure, problem, type Refusal } from '../errors/problem.ts';
import type { Operation } from '../idempotency/operation.ts';
import { faultOf } from '../errors/fault.ts';
import type { Attempt, Move, Saga, SagaRow } from '../saga/saga.ts';
import { implementWrite } from './implement-write.ts';
import type { CallContext } from './implement.ts';
import type { ServiceContext } from './service-context.ts';

/** A write whose effect is a saga. */
export interface SagaWrite<E extends Endpoint, S extends string, Row extends SagaRow<S>> {
  saga: Saga<S, Row>;
  /** Checks the request and stores the saga's row under the operation's id. */
  begin: (input: EndpointInput<E>, caller: Caller, ctx: CallContext, operation: Operation) => Promise<Row>;
  /** Returns why the row was refused; null if it was not. */
  refusalOf: (row: Row) => Refusal | null;
  /**
   * Builds the answer for a row that was not refused, and sets status and `Location` on the context.
   * @param db for other data in the answer; it sees what the row's last move has written
   */
  answer: (row: Row, ctx: CallContext, db: Db) => Answer<E> | Promise<Answer<E>>;
  /** Whether an unfinished row is answered with 202 instead of an unknown outcome (504). */
  isAnsweredEarly: boolean;
  /**
   * Returns the move that undoes a row if another service could not be called, so that a client without a key can try again;
   * undefined if that is not possible.
   */
  undo?: (row: Row) => Move<S, Row> | undefined;
  /** Refuses a request because of its content, before its key is claimed. */
  check?: (input: EndpointInput<E>, caller: Caller) => void;
}

/**
 * Builds the Moleculer action of a write whose effect is a saga: implementWrite(), where a repeat with the same key resumes
 * the row that an earlier request has stored. That request was authorized, so it is not checked again.
 */
export function implementSaga<E extends Endpoint, S extends string, Row extends SagaRow<S>>(
  context: ServiceContext,
  contract: E,
  write: SagaWrite<E, S, Row>,
): ActionSchema {
  const { saga, refusalOf } = write;
  return implementWrite(
    context,
    contract,
    async (input, caller, ctx, operation) => {
      const stored = operation.resumed ? await saga.find(operation.id) : undefined;
      const row = stored ?? (await write.begin(input, caller, ctx, operation));
      let kept: { answer: Answer<E> } | undefined;
      const attempt: Attempt<Row> = {
        via: ctx,
        isRecovery: false,
        keepAnswer: operation.isKeyed
          ? async (tx, moved) => {
              if (refusalOf(moved) !== null) return;
              const answer = await write.answer(moved, ctx, tx);
              operation.keepIfHeld(tx, answer);
              tx.afterCommit(() => (kept = { answer }));
            }
          : undefined,
      };
      const reached = await runOrUndo(write, row, attempt, ctx, operation);
      const refusal = refusalOf(reached);
      if (refusal !== null) throw problem(refusal.code, refusal.extras);
      if (!saga.isIdle(reached) && !write.isAnsweredEarly) throw problem('outcome_unknown');
      return kept === undefined ? write.answer(reached, ctx, context.db) : kept.answer;
    },
    { check: write.check },
  );
}

/** Runs the saga until it is idle. If a step fails, recovery continues it later, or it is undone. */
async function runOrUndo<E extends Endpoint, S extends string, Row extends SagaRow<S>>(
  { saga, refusalOf, undo }: SagaWrite<E, S, Row>,
  row: Row,
  attempt: Attempt<Row>,
  ctx: CallContext,
  operation: Operation,
): Promise<Row> {
  const warn = (error: unknown) =>
    ctx.service?.logger.warn('saga interrupted', { saga: saga.name, id: row.id, ...faultOf(error) });
  try {
    return await saga.run(row, attempt);
  } catch (error) {
    warn(error);
    const current = (await saga.find(row.id)) ?? row;
    const undoing = operation.isKeyed || callFailure(error) !== 'not_run' ? undefined : undo?.(current);
    if (undoing === undefined || refusalOf(current) !== null) return current;
    const undone = await saga.move(current, undoing);
    return saga.run(undone, attempt).catch((failure: unknown) => {
      warn(failure);
      return undone;
    });
  }
}
