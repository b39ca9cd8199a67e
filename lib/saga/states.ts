/** A state machine as a table: each state with the states that may follow it, and other facts about it. */
export type StateTable<S extends string, Facts extends object = object> = Readonly<
  Record<S, Facts & { readonly next: readonly S[] }>
>;

/** Returns the states whose facts satisfy a condition. */
export function statesWhere<S extends string, Facts extends object>(
  table: StateTable<S, Facts>,
  isTrue: (facts: Facts & { readonly next: readonly S[] }, state: S) => boolean,
): S[] {
  const states = Object.keys(table) as S[];
  return states.filter((state) => isTrue(table[state], state));
}

/** Returns the states that no other state follows. */
export function finalStates<S extends string>(table: StateTable<S>): S[] {
  return statesWhere(table, ({ next }) => next.length === 0);
}

/** Returns the states that `to` may follow. */
export function statesBefore<S extends string>(table: StateTable<S>, to: S): S[] {
  return statesWhere(table, ({ next }) => next.includes(to));
}

/** @throws RangeError for a move that is not in the table, which is a programming error */
export function requireMove<S extends string>(table: StateTable<S>, from: S, to: S): void {
  if (!table[from].next.includes(to)) throw new RangeError(`A move from ${from} to ${to} is not allowed`);
}

/** Returns states as SQL literals: with parameters, PostgreSQL could not use partial indexes on them. */
export function sqlList(states: readonly string[]): string {
  return states.map((state) => `'${state}'`).join(', ');
}
