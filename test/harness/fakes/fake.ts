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

/** What can happen to a call: it gets lost on the way, or its answer does, it comes late, or the service is not there. */
export type Mishap = 'none' | 'request_lost' | 'answer_lost' | 'late' | 'away';

type Handler<C extends Command> = (input: CommandInput<C>, ctx: CallContext) => Answer<C> | Promise<Answer<C>>;

/** Longer than the services under test wait for an answer. */
const LATENESS_MS = 400;

/** Another service as its contract tells it, in memory, for the tests of those that call it. */
export abstract class Fake {
  /** How long a `late` call takes before it is even done. */
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
   * What the next calls of a command meet, in this order: a mishap, a refusal, this answer, or, for a promise, the answer
   * as it is now, but only then.
   */
  next<C extends Command>(command: C, ...fates: (Mishap | Error | Answer<C> | Promise<void>)[]): void {
    entryOf(this.#fates, command.name).push(...fates);
  }

  /** Answers a command in another way until reset(). */
  answer<C extends Command>(command: C, handle: Handler<C>): void {
    this.#replaced.set(command.name, handle as Handler<Command>);
  }

  /** The calls of a command that came here since reset(), lost ones too. */
  received<C extends Command>(command: C): CommandInput<C>[] {
    return entryOf(this.#received, command.name) as CommandInput<C>[];
  }

  /** Forgets what a test has set; what the service has done stays. */
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
    if (fate === 'request_lost') throw new Error('the request got lost');
    if (fate === 'away') throw Object.assign(new Error('away'), { type: 'SERVICE_NOT_AVAILABLE', retryable: true });
    // Even without a mishap an answer comes later, so that concurrent requests interleave.
    await (fate === 'late' ? sleep(this.lateness_ms) : setImmediate());
    if (fate !== 'answer_lost') return work();
    await Promise.allSettled([work()]);
    throw new Error('the answer got lost');
  }
}

/** A service that may still hold something of an association which is to be closed. */
export abstract class HoldingFake extends Fake {
  /** What it holds of every association. */
  remains: Remains = 'nothing';
  /** What it tells in a dry run, if not the same. */
  remains_at_first: Remains | undefined;
  /** The approvals that have locked an association here. */
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

/** What the owner of a subject answers when it is told how its approval ended. */
export const DONE: ExecutionOutcome = { status: 'done', error: null };

export function failed(error: string): ExecutionOutcome {
  return { status: 'failed', error };
}

function entryOf(map: Map<string, unknown[]>, name: string): unknown[] {
  const found = map.get(name) ?? [];
  map.set(name, found);
  return found;
}
