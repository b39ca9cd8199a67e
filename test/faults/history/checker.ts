/**
 * Decides whether a history of concurrent operations on one object is linearizable: whether each operation can have taken
 * effect at one instant between its call and its return, so that a sequential model gives all answers. The algorithm is
 * that of Wing and Gong with Lowe's memory of configurations, as in Porcupine.
 */

/** A part of a request that takes effect at one instant. */
export interface Operation<Input> {
  /** Times of one monotonic clock. An operation without an answer returns at Infinity. */
  call: number;
  return: number;
  input: Input;
  /** Whether it may also have had no effect, as that of a request whose answer was lost. */
  isOptional?: boolean;
  /** Operations of the same object that must have taken effect before this one. */
  needs?: Operation<Input>[];
  /** Operations of the same object after which this one can no longer take effect. */
  neverAfter?: Operation<Input>[];
  /** Optional operations of the same object that must take effect too if this one does. */
  obliges?: Operation<Input>[];
  /** For people who read why a history was rejected. */
  label: string;
}

/** The state after an operation, or why the operation cannot have this answer in the state. */
export type Step<State> = { state: State } | { refused: string };

/** The sequential behaviour of an object. States are never changed in place. */
export interface Model<State, Input> {
  initial: State;
  step: (state: State, input: Input) => Step<State>;
  /** Returns different texts for different states after the same set of operations. */
  show: (state: State) => string;
}

export interface Verdict {
  /** `unknown`: the limit of steps was reached before all orders were tried. */
  outcome: 'ok' | 'violation' | 'unknown';
  /** How many steps of the model were tried. */
  steps: number;
  /** Unless it is `ok`: the longest prefix for which an order was found, and why operations cannot follow it. */
  explanation?: string;
}

/** About three seconds; histories of a correct object take a few steps for each operation. */
const STEPS_MAX = 1_000_000;

/** How many operations of the longest prefix an explanation shows. */
const SHOWN_OPERATIONS = 15;

/** An operation with its place in the order of calls. Its relations are places too. */
interface Entry<Input> {
  operation: Operation<Input>;
  place: number;
  isOptional: boolean;
  needs: number[];
  neverAfter: number[];
  obliges: number[];
  obligedBy: number[];
  /** Whether another operation's relations name it, or it has some. */
  isRelated: boolean;
}

/** A configuration on the way to an order of all operations. */
interface Node<State, Input> {
  state: State;
  /** The operation that led here; undefined at the start. */
  entry: Entry<Input> | undefined;
  /** The latest call among the operations so far: optional operations that returned before it are over. */
  latestCall: number;
  candidates: Entry<Input>[];
  next: number;
}

/** Checks the operations of one object. */
export function checkOperations<State, Input>(
  model: Model<State, Input>,
  operations: readonly Operation<Input>[],
  stepsMax = STEPS_MAX,
): Verdict {
  const search = startSearch(model, operations);
  let steps = 0;
  let longest: Node<State, Input>[] = [];
  const seen = new Set<string>();
  const path: Node<State, Input>[] = [search.nodeOf(model.initial, undefined, -Infinity)];
  for (;;) {
    const node = path.at(-1);
    if (node === undefined) return { outcome: 'violation', steps, explanation: explain(model, search, longest) };
    if (search.isComplete()) return { outcome: 'ok', steps };
    const entry = node.candidates[node.next];
    if (entry === undefined) {
      if (path.length > longest.length) longest = [...path];
      path.pop();
      if (node.entry !== undefined) search.restore(node.entry);
      continue;
    }
    node.next += 1;
    if (steps >= stepsMax) {
      for (const { entry: placed } of path.toReversed()) if (placed !== undefined) search.restore(placed);
      const best = path.length > longest.length ? path : longest;
      return { outcome: 'unknown', steps, explanation: explain(model, search, best) };
    }
    steps += 1;
    const step = model.step(node.state, entry.operation.input);
    if ('refused' in step) continue;
    search.remove(entry);
    const configuration = `${search.shownRest()}|${model.show(step.state)}`;
    if (seen.has(configuration)) {
      search.restore(entry);
      continue;
    }
    seen.add(configuration);
    path.push(search.nodeOf(step.state, entry, Math.max(node.latestCall, entry.operation.call)));
  }
}

/** Keeps which operations have not been placed yet, in a list that an operation leaves and enters again in constant time. */
function startSearch<State, Input>(model: Model<State, Input>, operations: readonly Operation<Input>[]) {
  const entries = entriesOf(operations);
  const count = entries.length;
  const after = Array.from({ length: count + 1 }, (_, place) => (place + 1) % (count + 1));
  const before = Array.from({ length: count + 1 }, (_, place) => (place + count) % (count + 1));
  // The list is circular; this place is its beginning and end.
  const end = count;
  const isPlaced = new Array<boolean>(count).fill(false);
  let mandatoryLeft = entries.filter((entry) => !entry.isOptional).length;
  const mayBeMissing = ({ isOptional, obligedBy }: Entry<Input>) =>
    isOptional && !obligedBy.some((place) => isPlaced[place]);

  function* rest(): Generator<Entry<Input>> {
    for (let place = after[end]!; place !== end; place = after[place]!) yield entries[place]!;
  }

  const mayFollow = ({ needs, neverAfter }: Entry<Input>) =>
    needs.every((place) => isPlaced[place]) && !neverAfter.some((place) => isPlaced[place]);

  /** Returns the operations that may be next: those called before any other operation of the rest has returned. */
  function listCandidates(latestCall: number): Entry<Input>[] {
    const found: Entry<Input>[] = [];
    let firstReturn = Infinity;
    for (const entry of rest()) {
      const { operation } = entry;
      if (operation.call > firstReturn) break;
      if (!mayBeMissing(entry)) firstReturn = Math.min(firstReturn, operation.return);
      if (operation.return >= latestCall && mayFollow(entry)) found.push(entry);
    }
    // First what must be placed soonest, and last what need not be placed: the first order that is tried is mostly right.
    const mandatory = found.filter((entry) => !mayBeMissing(entry));
    mandatory.sort((one, other) => one.operation.return - other.operation.return);
    return [...mandatory, ...found.filter(mayBeMissing)];
  }

  /**
   * An operation that changes nothing here can be placed here if it can be placed anywhere later, so no other one has to
   * be tried first, unless that ends an optional operation.
   */
  function isFree(state: State, entry: Entry<Input>): boolean {
    if (entry.isOptional || entry.isRelated) return false;
    const step = model.step(state, entry.operation.input);
    if ('refused' in step || model.show(step.state) !== model.show(state)) return false;
    for (const other of rest()) {
      if (other.operation.call > entry.operation.call) break;
      if (other.isOptional && other.operation.return < entry.operation.call) return false;
    }
    return true;
  }

  /** Returns how many operations can no longer be missing once this one is placed. */
  const countNewlyObliged = ({ obliges }: Entry<Input>) =>
    obliges.filter((place) => isPlaced[place] !== true && mayBeMissing(entries[place]!)).length;

  return {
    isComplete: () => mandatoryLeft === 0,
    rest,
    nodeOf(state: State, entry: Entry<Input> | undefined, latestCall: number): Node<State, Input> {
      const candidates = listCandidates(latestCall);
      const free = candidates.find((candidate) => isFree(state, candidate));
      return { state, entry, latestCall, candidates: free === undefined ? candidates : [free], next: 0 };
    },
    remove(entry: Entry<Input>): void {
      const { place } = entry;
      if (!mayBeMissing(entry)) mandatoryLeft -= 1;
      mandatoryLeft += countNewlyObliged(entry);
      after[before[place]!] = after[place]!;
      before[after[place]!] = before[place]!;
      isPlaced[place] = true;
    },
    /** Undoes the last remove() that is not undone yet. */
    restore(entry: Entry<Input>): void {
      const { place } = entry;
      after[before[place]!] = place;
      before[after[place]!] = place;
      isPlaced[place] = false;
      mandatoryLeft -= countNewlyObliged(entry);
      if (!mayBeMissing(entry)) mandatoryLeft += 1;
    },
    /** Returns a text that is the same for the same set of placed operations. */
    shownRest(): string {
      const left: number[] = [];
      // All operations after the last placed one are left, so they need not be named.
      let last = count - 1;
      while (last >= 0 && isPlaced[last] !== true) last -= 1;
      for (let place = after[end]!; place < last; place = after[place]!) left.push(place);
      return `${String(last)}:${left.join()}`;
    },
  };
}

function entriesOf<Input>(operations: readonly Operation<Input>[]): Entry<Input>[] {
  const sorted = operations.toSorted((one, other) => one.call - other.call);
  const places = new Map(sorted.map((operation, place) => [operation, place]));
  const placesOf = (named: readonly Operation<Input>[] = []) =>
    named.map((operation) => {
      const place = places.get(operation);
      if (place === undefined) throw new Error(`${operation.label} is named by an operation, but not in the history`);
      return place;
    });
  const entries = sorted.map((operation, place): Entry<Input> => {
    const needs = placesOf(operation.needs);
    const neverAfter = placesOf(operation.neverAfter);
    const obliges = placesOf(operation.obliges);
    const isRelated = needs.length + neverAfter.length + obliges.length > 0;
    const isOptional = operation.isOptional === true;
    return { operation, place, isOptional, needs, neverAfter, obliges, obligedBy: [], isRelated };
  });
  for (const { place, needs, neverAfter, obliges } of entries) {
    for (const other of [...needs, ...neverAfter, ...obliges]) entries[other]!.isRelated = true;
    for (const other of obliges) entries[other]!.obligedBy.push(place);
  }
  return entries;
}

function explain<State, Input>(
  model: Model<State, Input>,
  search: ReturnType<typeof startSearch<State, Input>>,
  longest: readonly Node<State, Input>[],
): string {
  const last = longest.at(-1);
  const placed = new Set(longest.map(({ entry }) => entry));
  const state = last?.state ?? model.initial;
  const shown = longest.slice(1).slice(-SHOWN_OPERATIONS);
  const lines = shown.map((node) => `  ${timesOf(node.entry!.operation)} -> ${model.show(node.state)}`);
  const left = [...search.rest()].filter((entry) => !placed.has(entry));
  const firstReturn = Math.min(...left.filter((entry) => !entry.isOptional).map(({ operation }) => operation.return));
  const next = left.filter(({ operation }) => operation.call <= firstReturn);
  const refusals = next.map(({ operation, isOptional }) => {
    const step = model.step(state, operation.input);
    const why = 'refused' in step ? step.refused : 'possible, but no order of all was found after it';
    return `  ${timesOf(operation)}${isOptional ? ' (no answer)' : ''}: ${why}`;
  });
  return [
    `The longest order has ${String(longest.length - 1)} of ${String(longest.length - 1 + left.length)} operations, ` +
      `and ends in ${model.show(state)}:`,
    ...lines,
    'What was called in time to be next:',
    ...refusals,
  ].join('\n');
}

const timeOf = (time: number) => (Number.isFinite(time) ? time.toFixed(1) : '?');

function timesOf<Input>({ call, return: returned, label }: Operation<Input>): string {
  return `[${timeOf(call)}, ${timeOf(returned)}] ${label}`;
}
