/** A state machine as a table: each state with the states that may follow it, and what else is true of it. */
export type StateTable<S extends string, Facts extends object = object> = Readonly<
  Record<S, Facts & { readonly next: readonly S[] }>
>;

/** The states for which something is true. */
export function statesWhere<S extends string, Facts extends object>(
  table: StateTable<S, Facts>,
  isTrue: (facts: Facts & { readonly next: readonly S[] }, state: S) => boolean,
): S[] {
  const states = Object.keys(table) as S[];
  return states.filter((state) => isTrue(table[state], state));
}

/** The states that no other state follows. */
export function finalStates<S extends string>(table: StateTable<S>): S[] {
  return statesWhere(table, ({ next }) => next.length === 0);
}

/** The states that `to` may follow. */
export function statesBefore<S extends string>(table: StateTable<S>, to: S): S[] {
  return statesWhere(table, ({ next }) => next.includes(to));
}

/** @throws RangeError for a move that the table does not have: a mistake of ours */
export function requireMove<S extends string>(table: StateTable<S>, from: S, to: S): void {
  if (!table[from].next.includes(to)) throw new RangeError(`No move leads from ${from} to ${to}`);
}

/** States as SQL literals, not parameters, so that PostgreSQL can use partial indexes on them. */
export function sqlList(states: readonly string[]): string {
  return states.map((state) => `'${state}'`).join(', ');
}
