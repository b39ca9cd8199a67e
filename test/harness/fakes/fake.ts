import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { ActionSchema, Service, ServiceSchema } from 'moleculer';
import type { TableService } from '../../../lib/config/service-names.ts';
import type { Answer, Command, CommandInput } from '../../../lib/contracts/action.ts';
import type {
  ExecutionOutcome,
  lockAssociationCommand,
  Remains,
  unlockAssociationCommand,
} from '../../../lib/contracts/approvals.ts';
import type { Clock } from '../../../lib/node/clock.ts';
import { checkCallers } from '../../../lib/service/check-caller.ts';
import { implementCommand, type CallContext } from '../../../lib/service/implement.ts';
import { testCheck } from '../stated-caller.ts';

/** Faults of a call: the request or the answer is lost, the call is late, or the service is unavailable. */
export type Fault = 'none' | 'request_lost' | 'answer_lost' | 'late' | 'unavailable';

type Handler<C extends Command> = (input: CommandInput<C>, ctx: CallContext) => Answer<C> | Promise<Answer<C>>;

/** Longer than the call timeouts of the harnesses that use it. */
const LATENESS_MS = 400;

/** A service in memory that implements the commands of its contract, for tests of its callers. */
export abstract class Fake {
  /** Time by which a `late` call is delayed before it is executed. */
  lateness_ms = LATENESS_MS;
  readonly #name: TableService;
  readonly #actions: Record<string, ActionSchema> = {};
  readonly #received = new Map<string, unknown[]>();
  readonly #outcomes = new Map<string, unknown[]>();
  readonly #replaced = new Map<string, Handler<Command>>();

  constructor(name: TableService) {
    this.#name = name;
  }

  /**
   * Sets the outcomes of the next calls of a command, in order: a fault, a refusal, this answer, or, for a promise, the
   * normal answer, which is returned only when the promise resolves.
   */
  next<C extends Command>(command: C, ...outcomes: (Fault | Error | Answer<C> | Promise<void>)[]): void {
    entryOf(this.#outcomes, command.name).push(...outcomes);
  }

  /** Replaces the implementation of a command until reset(). */
  answer<C extends Command>(command: C, handle: Handler<C>): void {
    this.#replaced.set(command.name, handle as Handler<Command>);
  }

  /** Returns the inputs of all calls of a command since reset(), including lost calls. */
  received<C extends Command>(command: C): CommandInput<C>[] {
    return entryOf(this.#received, command.name) as CommandInput<C>[];
  }

  /** Removes the settings of a test, and its locks; other data of the service stay. */
  reset(): void {
    this.lateness_ms = LATENESS_MS;
    for (const each of [this.#received, this.#outcomes, this.#replaced]) each.clear();
  }

  /** @param clock of the harness, which states the callers */
  schema(clock?: Clock): ServiceSchema {
    const check = testCheck(this.#name, clock);
    return {
      name: this.#name,
      actions: this.#actions,
      created(this: Service) {
        checkCallers(this, check);
      },
    };
  }

  protected implement<C extends Command>(command: C, handle: Handler<C>): void {
    const action = command.name.slice(this.#name.length + 1);
    this.#actions[action] = implementCommand(command, async (input, ctx) => {
      entryOf(this.#received, command.name).push(structuredClone(input));
      const replaced = this.#replaced.get(command.name) as Handler<C> | undefined;
      return this.#respond(this.#outcomes.get(command.name)?.shift() ?? 'none', async () =>
        (replaced ?? handle)(input, ctx),
      );
    });
  }

  async #respond<A>(outcome: unknown, work: () => Promise<A>): Promise<A> {
    if (outcome instanceof Error) throw outcome;
    if (outcome instanceof Promise) return work().then(async (answer) => outcome.then(() => answer));
    if (typeof outcome === 'object') return outcome as A;
    if (outcome === 'request_lost') throw new Error('the request was lost');
    if (outcome === 'unavailable')
      throw Object.assign(new Error('unavailable'), { type: 'SERVICE_NOT_AVAILABLE', retryable: true });
    // Asynchronous, so that concurrent requests interleave.
    await (outcome === 'late' ? sleep(this.lateness_ms) : setImmediate());
    if (outcome !== 'answer_lost') return work();
    await Promise.allSettled([work()]);
    throw new Error('the answer was lost');
  }
}

/** A fake service that can refuse to lock an association because it still holds something of it. */
export abstract class HoldingFake extends Fake {
  /** What the service holds of every association. */
  remains: Remains = 'nothing';
  /** The answer of a dry run, if different. */
  dry_run_remains: Remains | undefined;
  /** The approvals that have locked an association in this service. */
  readonly association_locks = new Set<string>();
  /** The approvals and departures whose lock was lifted, perhaps before it was set. */
  protected readonly lifted = new Set<string>();

  override reset(): void {
    super.reset();
    this.remains = 'nothing';
    this.dry_run_remains = undefined;
    this.association_locks.clear();
    this.lifted.clear();
  }

  protected implementLocks(
    lock: ReturnType<typeof lockAssociationCommand>,
    unlock: ReturnType<typeof unlockAssociationCommand>,
  ): void {
    this.implement(lock, ({ approval_id, dry_run }) => {
      const remains = (dry_run ? this.dry_run_remains : undefined) ?? this.remains;
      if (remains !== 'nothing' && !this.association_locks.has(approval_id)) return { remains };
      if (!dry_run && this.lifted.has(approval_id)) return { remains: 'something' as const };
      if (!dry_run) this.association_locks.add(approval_id);
      return { remains: 'nothing' as const };
    });
    this.implement(unlock, ({ approval_id }) => {
      this.association_locks.delete(approval_id);
      this.lifted.add(approval_id);
      return { ok: true };
    });
  }
}

/** The answer of the owning service when it is notified of a decision and succeeds. */
export const DONE: ExecutionOutcome = { status: 'done', error: null };

export function failed(error: string): ExecutionOutcome {
  return { status: 'failed', error };
}

function entryOf(map: Map<string, unknown[]>, name: string): unknown[] {
  const found = map.get(name) ?? [];
  map.set(name, found);
  return found;
}
