import { In, LessThan } from 'typeorm';
import type { EntityManager, EntitySchema, FindOptionsOrder, FindOptionsWhere, QueryDeepPartialEntity } from 'typeorm';

/** What the stored plans of cash deposits and distributions have in common. */
export interface Plan<State extends string> {
  id: string;
  association_id: string;
  status: State;
  touched_at: Date;
}

/** The stored plans of one kind, moved from state to state; each move happens once, whoever asks. */
export class Plans<State extends string, P extends Plan<State>> {
  readonly #entity: EntitySchema<P>;
  readonly #transitions: Record<State, readonly State[]>;

  /** @param transitions the state machine: which states may follow which */
  constructor(entity: EntitySchema<P>, transitions: Record<State, readonly State[]>) {
    this.#entity = entity;
    this.#transitions = transitions;
  }

  async store(manager: EntityManager, plan: P): Promise<void> {
    await manager.insert(this.#entity, plan as QueryDeepPartialEntity<P>);
  }

  async find(manager: EntityManager, where: Partial<P>): Promise<P | null> {
    return manager.findOneBy(this.#entity, where as FindOptionsWhere<P>);
  }

  /**
   * Moves a plan on from the state in which it was read.
   * @returns the moved plan, or null if somebody else has moved it since
   * @throws RangeError for a step that the state machine does not have
   */
  async move(manager: EntityManager, plan: P, to: State, changes: Partial<P>, now: Date): Promise<P | null> {
    if (!this.#transitions[plan.status].includes(to)) throw new RangeError(`No way from ${plan.status} to ${to}`);
    const moved = { ...changes, status: to, touched_at: now } as Partial<P>;
    const result = await manager.update(this.#entity, this.#as(plan), moved as QueryDeepPartialEntity<P>);
    return result.affected === 1 ? { ...plan, ...moved } : null;
  }

  /** Plans in one of these states that nobody has touched since `before`, the longest untouched first. */
  async stale(manager: EntityManager, states: readonly State[], before: Date, limit: number): Promise<P[]> {
    return manager.find(this.#entity, {
      where: { status: In(states), touched_at: LessThan(before) } as FindOptionsWhere<P>,
      order: { touched_at: 'ASC' } as FindOptionsOrder<P>,
      take: limit,
    });
  }

  /** Takes a stale plan up: of the nodes that found it, one gets true. */
  async claim(manager: EntityManager, plan: P, now: Date): Promise<boolean> {
    const where = { ...this.#as(plan), touched_at: plan.touched_at } as FindOptionsWhere<P>;
    const result = await manager.update(this.#entity, where, {
      touched_at: now,
    } as Partial<P> as QueryDeepPartialEntity<P>);
    return result.affected === 1;
  }

  #as(plan: P): FindOptionsWhere<P> {
    return { id: plan.id, status: plan.status } as FindOptionsWhere<P>;
  }
}
