import type { EntityManager } from 'typeorm';
import { call } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import type { Command, CommandInput } from '../../../lib/contracts/action.ts';
import { requestApproval } from '../../../lib/contracts/governance.ts';
import { callFailure, problem, problemCode, problemExtras } from '../../../lib/errors/problem.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import { faultOf } from '../../../lib/runtime/log.ts';
import { driveEach, SWEEP_MAX_ROWS } from '../../../lib/saga/drive-each.ts';
import { areLocked, membershipSubject, storeUnlocked } from '../../../lib/locks/locks.ts';
import type { Foundation } from '../../../lib/service/foundation.ts';
import { idsOf } from '../../../lib/tracing/trace.ts';
import type { Refusal } from '../domain/posting.ts';
import type { Plan, Plans } from '../persistence/plans.ts';
import type { Timings } from '../deps.ts';

/** What a saga needs of the service's log. */
export interface SagaLog {
  warn(message: string, fields: object): void;
}

export interface SagaDeps {
  foundation: Foundation;
  timings: Timings;
  log: SagaLog;
}

/** The member that a plan concerns, as membership named them. */
export interface Concerned {
  member: { member_id: string; tenure: number };
  /** Asks membership again; throws once the plan may not be stored any more. */
  stillAllowed: () => Promise<unknown>;
}

/** Moves a plan on by one step, from the state that it is in. */
export type Step<P> = (via: CanCall, plan: P) => Promise<P>;

/**
 * A stored plan, driven through its states until it rests. Every step can be repeated, and may be taken by several at
 * once: what it does elsewhere goes by ids of the plan, and its move to the next state happens once.
 */
export abstract class PlanSaga<State extends string, P extends Plan<State>> {
  protected readonly deps: SagaDeps;
  protected readonly plans: Plans<State, P>;
  /** Names the steps that tests stop at: `treasury.<name>.<step>`. */
  readonly #name: string;
  readonly #unfinished: readonly State[];

  protected constructor(name: string, deps: SagaDeps, plans: Plans<State, P>, unfinished: readonly State[]) {
    this.#name = name;
    this.deps = deps;
    this.plans = plans;
    this.#unfinished = unfinished;
  }

  /** The step from each state that is not at rest. */
  protected abstract readonly steps: Partial<Record<State, Step<P>>>;

  /**
   * Turns a plan back of which another service could not even be told, so that the client may simply try again. Gives
   * it as it is where there is no way back.
   */
  protected abstract takeBack(plan: P, refusal: Refusal): Promise<P>;

  /** Why a plan that never was, or soon never will have been, is not: what its client is told. */
  protected abstract refusalOf(plan: P): Refusal | null;

  /**
   * Stores a new plan, unless its association or its member's membership ends, and drives it until it rests.
   * @param resumable whether the client can come back to it with its key: then it is not taken back
   * @throws the refusal of a plan that may not be; what `stillAllowed` throws; `service_unavailable` when another
   *   service is away, or an ending takes too long, and nothing remains; `outcome_unknown` when only a repeat or the sweeper will find out
   */
  async begin(via: CanCall, plan: P, { member, stillAllowed }: Concerned, resumable: boolean): Promise<P> {
    const { foundation, timings } = this.deps;
    const subjects = [plan.association_id, membershipSubject(member)];
    const gate = {
      isLocked: (manager: EntityManager) => areLocked(manager, ...subjects),
      stillAllowed,
      wait_ms: timings.lock_wait_ms,
    };
    await storeUnlocked(foundation, gate, (manager) => this.plans.store(manager, plan));
    await this.reached('stored');
    const driven = this.advance(via, plan).catch((error: unknown) => this.#interrupted(via, plan, error, resumable));
    return this.#accepted(await driven);
  }

  /**
   * Goes on with a plan that an earlier request with the same key may have stored.
   * @returns null if it has not
   * @throws as begin() does
   */
  async resume(via: CanCall, id: string): Promise<P | null> {
    const plan = await this.plans.find(this.deps.foundation.db.manager, { id } as Partial<P>);
    if (plan === null) return null;
    const driven = this.advance(via, plan).catch((error: unknown) => this.#interrupted(via, plan, error, true));
    return this.#accepted(await driven);
  }

  /** Drives a plan until it rests: waits for a decision, or is over. */
  async advance(via: CanCall, plan: P): Promise<P> {
    let current = plan;
    for (;;) {
      const step = this.steps[current.status];
      if (step === undefined) return current;
      current = await step(via, current);
    }
  }

  /** Takes up what was left half done, by a crash or a service that was away. */
  async sweep(via: CanCall): Promise<void> {
    const { foundation, timings, log } = this.deps;
    const { clock } = foundation.runtime;
    const { manager } = foundation.db;
    const before = new Date(clock().getTime() - timings.stale_after_ms);
    const stale = await this.plans.stale(manager, this.#unfinished, before, SWEEP_MAX_ROWS);
    await driveEach(log, this.#name, stale, async (plan) => {
      if (await this.plans.claim(manager, plan, clock())) await this.advance(via, plan);
    });
  }

  protected reached(step: string): Promise<void> {
    return this.deps.foundation.runtime.reached(`treasury.${this.#name}.${step}`);
  }

  /** Moves the plan on, with what is to be told of it, in one transaction; gives it as it is now, whoever moved it. */
  protected async move(plan: P, to: State, changes: Partial<P> = {}, ...facts: Fact[]): Promise<P> {
    const { foundation } = this.deps;
    const { clock } = foundation.runtime;
    const moved = await foundation.transaction(async (manager) => {
      const next = await this.plans.move(manager, plan, to, changes, clock());
      if (next !== null) await foundation.outbox.append(manager, ...facts);
      return next;
    });
    return moved ?? this.#reload(plan);
  }

  /** Opens the plan's approval, once for its id; gives governance's refusal if it will not have it. */
  protected openApproval(via: CanCall, request: CommandInput<typeof requestApproval>): Promise<Refusal | undefined> {
    return this.ask(via, requestApproval, request);
  }

  /** Tells another service to do something; gives its refusal if it will not. */
  protected async ask<C extends Command>(
    via: CanCall,
    contract: C,
    input: CommandInput<C>,
  ): Promise<Refusal | undefined> {
    try {
      await call(via, contract, input, this.deps.timings.peer_timeout_ms);
      return undefined;
    } catch (error) {
      const code = problemCode(error);
      if (code === undefined || callFailure(error) !== 'refused') throw error;
      return { code, extras: problemExtras(error) };
    }
  }

  async #interrupted(via: CanCall, plan: P, error: unknown, resumable: boolean): Promise<P> {
    this.#warn('request interrupted', via, plan, error);
    const current = await this.#reload(plan);
    // Turned back already: only the way back was interrupted, and the sweeper goes on with that.
    if (this.refusalOf(current) !== null) return current;
    if (callFailure(error) !== 'not_run' || resumable) throw problem('outcome_unknown');
    const turned = await this.takeBack(current, { code: 'service_unavailable', extras: {} });
    if (this.refusalOf(turned) === null) throw problem('outcome_unknown');
    return this.advance(via, turned).catch((failure: unknown) => {
      this.#warn('left for a later sweep', via, plan, failure);
      return turned;
    });
  }

  #accepted(plan: P): P {
    const refusal = this.refusalOf(plan);
    if (refusal !== null) throw problem(refusal.code, refusal.extras);
    return plan;
  }

  #warn(what: string, via: CanCall, plan: P, error: unknown): void {
    this.deps.log.warn(what, { saga: this.#name, plan_id: plan.id, ...idsOf(via), ...faultOf(error) });
  }

  async #reload(plan: P): Promise<P> {
    const found = await this.plans.find(this.deps.foundation.db.manager, { id: plan.id } as Partial<P>);
    if (found === null) throw new Error(`The plan ${plan.id} is gone`);
    return found;
  }
}
