import { checkOperations, type Model, type Operation, type Verdict } from '../checker.ts';

/** One object of a history, with what was done to it. */
export interface CheckedObject {
  /** For example `wallet 0190…`. */
  name: string;
  operations: number;
  check: () => Verdict;
}

/** Returns an object whose operations are checked with a model. */
export function checkedObject<State, Input>(
  name: string,
  model: Model<State, Input>,
  operations: readonly Operation<Input>[],
): CheckedObject {
  return { name, operations: operations.length, check: () => checkOperations(model, operations) };
}

/** Returns an object that cannot be checked. */
export function unknownObject(name: string, operations: number, explanation: string): CheckedObject {
  return { name, operations, check: () => ({ outcome: 'unknown', steps: 0, explanation }) };
}

/** Operations by object. */
export type ByObject<Input> = Map<string, Operation<Input>[]>;

export function addTo<Input>(objects: ByObject<Input>, name: string, ...operations: Operation<Input>[]): void {
  const found = objects.get(name);
  if (found === undefined) objects.set(name, operations);
  else found.push(...operations);
}

/**
 * Returns the first operation if it ended before all others of its object were called. It then shows the state in which
 * the history begins.
 */
export function openingOf<Input>(operations: readonly Operation<Input>[]): Operation<Input> | undefined {
  const [first, second] = operations.toSorted((one, other) => one.call - other.call);
  return first !== undefined && first.return < (second?.call ?? Infinity) ? first : undefined;
}
