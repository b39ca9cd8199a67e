import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { ActionSchema, ServiceSchema } from 'moleculer';
import type { TableService } from '../../../lib/config/service-names.ts';
import type { Answer, Command, CommandInput } from '../../../lib/contracts/action.ts';
import type {
  ExecutionOutcome,
  lockAssociationCommand,
  Remains,
  unlockAssociationCommand,
} from '../../../lib/contracts/approvals.ts';
import { implementCommand, type CallContext } from '../../../lib/service/implement.ts';

/** Faults of a call: the request or the answer is lost, the call is late, or the service is unavailable. */
export type Mishap = 'none' | 'request_lost' | 'answer_lost' | 'late' | 'away';

type Handler<C extends Command> = (input: CommandInput<C>, ctx: CallContext) => Answer<C> | Promise<Answer<C>>;

/** Longer than the call timeouts of the services under test. */
const LATENESS_MS = 400;

/** A service in memory that implements the commands of its contract, for tests of its callers. */
export abstract class Fake {
  /** Time by which a `late` call is delayed before it is executed. */
  lateness_ms = LATENESS_MS;
  readonly #name: TableService;
  readonly #actions: Record<string, ActionSchema> = {};
  readonly #received = new Map<string, unknown[]>();
  readonly #fates = new Map<string, unknown[]>();
  readonly #replaced = new Map<string, Handler<Command>>();

  constructor(name: TableService) {
    this.#name = name;
  }

  /**
   * Sets the outcomes of the next calls of a command, in order: a fault, a refusal, this answer, or, for a promise, the
   * normal answer, which is returned only when the promise resolves.
   */
  next<C extends Command>(command: C, ...fates: (Mishap | Error | Answer<C> | Promise<void>)[]): void {
    entryOf(this.#fates, command.name).push(...fates);
  }

  /** Replaces the implementation of a command until reset(). */
  answer<C extends Command>(command: C, handle: Handler<C>): void {
    this.#replaced.set(command.name, handle as Handler<Command>);
  }

  /** Returns the inputs of all calls of a command since reset(), including lost calls. */
  received<C extends Command>(command: C): CommandInput<C>[] {
    return entryOf(this.#received, command.name) as CommandInput<C>[];
  }

  /** Removes the settings of a test; the data of the service stay. */
  reset(): void {
    this.lateness_ms = LATENESS_MS;
    for (const each of [this.#received, this.#fates, this.#replaced]) each.clear();
  }

  schema(): ServiceSchema {
    return { name: this.#name, actions: this.#actions };
  }

  protected play<C extends Command>(command: C, handle: Handler<C>): void {
    const action = command.name.slice(this.#name.length + 1);
    this.#actions[action] = implementCommand(command, async (input, ctx) => {
      entryOf(this.#received, command.name).push(structuredClone(input));
      const replaced = this.#replaced.get(command.name) as Handler<C> | undefined;
      return this.#meet(this.#fates.get(command.name)?.shift() ?? 'none', async () => (replaced ?? handle)(input, ctx));
    });
  }

  async #meet<A>(fate: unknown, work: () => Promise<A>): Promise<A> {
    if (fate instanceof Error) throw fate;
    if (fate instanceof Promise) return work().then(async (answer) => fate.then(() => answer));
    if (typeof fate === 'object') return fate as A;
    if (fate === 'request_lost') throw new Error('the request was lost');
    if (fate === 'away') throw Object.assign(new Error('away'), { type: 'SERVICE_NOT_AVAILABLE', retryable: true });
    // Every answer is asynchronous, so that concurrent requests interleave.
    await (fate === 'late' ? sleep(this.lateness_ms) : setImmediate());
    if (fate !== 'answer_lost') return work();
    await Promise.allSettled([work()]);
    throw new Error('the answer was lost');
  }
}

/** A fake service that can refuse to lock an association because it still holds something of it. */
export abstract class HoldingFake extends Fake {
  /** What the service holds of every association. */
  remains: Remains = 'nothing';
  /** The answer of a dry run, if different. */
  remains_at_first: Remains | undefined;
  /** The approvals that have locked an association in this service. */
  readonly association_locks = new Set<string>();

  override reset(): void {
    super.reset();
    this.remains = 'nothing';
    this.remains_at_first = undefined;
    this.association_locks.clear();
  }

  protected playLocks(
    lock: ReturnType<typeof lockAssociationCommand>,
    unlock: ReturnType<typeof unlockAssociationCommand>,
  ): void {
    this.play(lock, ({ approval_id, dry_run }) => {
      const remains = (dry_run ? this.remains_at_first : undefined) ?? this.remains;
      if (remains !== 'nothing' && !this.association_locks.has(approval_id)) return { remains };
      if (!dry_run) this.association_locks.add(approval_id);
      return { remains: 'nothing' as const };
    });
    this.play(unlock, ({ approval_id }) => {
      this.association_locks.delete(approval_id);
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
