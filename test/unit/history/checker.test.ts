import { expect } from 'chai';
import fc from 'fast-check';
import { checkOperations, type Model, type Operation } from '../../faults/history/checker.ts';

/** A register that is written and read. */
type RegisterInput = { write: number } | { read: number };
const register: Model<number, RegisterInput> = {
  initial: 0,
  step: (value, input) => {
    if ('write' in input) return { state: input.write };
    return input.read === value ? { state: value } : { refused: `it is ${String(value)}` };
  },
  show: String,
};

const at = <Input>(call: number, returned: number, input: Input, more: Partial<Operation<Input>> = {}) => {
  return { call, return: returned, input, label: JSON.stringify(input), ...more };
};
const lost = { isOptional: true };

/** An account with two steps of a payment, like a due: an amount is taken, and then paid or given back. */
type AccountInput =
  | { kind: 'add'; amount: number }
  | { kind: 'take' | 'give_back'; amount: number }
  | { kind: 'refused'; amount: number }
  | { kind: 'read'; balance: number };
const account: Model<number, AccountInput> = {
  initial: 2,
  step: (balance, input) => {
    switch (input.kind) {
      case 'add':
      case 'give_back':
        return { state: balance + input.amount };
      case 'take':
        return input.amount > balance ? { refused: 'too little' } : { state: balance - input.amount };
      case 'refused':
        return input.amount > balance ? { state: balance } : { refused: 'enough' };
      case 'read':
        return input.balance === balance ? { state: balance } : { refused: 'another balance' };
    }
  },
  show: String,
};

/** Tries every order of every allowed set of operations. */
function isLinearizable<State, Input>(model: Model<State, Input>, operations: readonly Operation<Input>[]): boolean {
  const follows = (state: State, placed: readonly Operation<Input>[]): boolean => {
    const left = operations.filter((operation) => !placed.includes(operation));
    const isObliged = (one: Operation<Input>) => placed.some(({ obliges = [] }) => obliges.includes(one));
    if (left.every((one) => one.isOptional === true && !isObliged(one)) && inOrder(placed)) return true;
    return left.some((operation) => {
      const { needs = [], neverAfter = [] } = operation;
      if (needs.some((each) => !placed.includes(each)) || neverAfter.some((each) => placed.includes(each)))
        return false;
      const step = model.step(state, operation.input);
      return 'state' in step && follows(step.state, [...placed, operation]);
    });
  };
  return follows(model.initial, []);
}

/** Whether no operation returned before the call of one that stands before it. */
function inOrder<Input>(order: readonly Operation<Input>[]): boolean {
  return order.every((later, place) => order.slice(0, place).every((earlier) => earlier.call <= later.return));
}

/** What one request asks for: a seed of a step, and how long before and after that step it is called and answered. */
interface Asked {
  kind: 'add' | 'pay' | 'pay_in_vain' | 'perhaps_pay_in_vain' | 'read';
  amount: number;
  early: number;
  late: number;
  isLost: boolean;
}
const anyAsked = (kinds: Asked['kind'][]): fc.Arbitrary<Asked> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    amount: fc.integer({ min: 1, max: 3 }),
    early: fc.integer({ min: 0, max: 3 }),
    late: fc.integer({ min: 0, max: 3 }),
    isLost: fc.boolean(),
  });

/** Runs the requests one after the other, and returns their operations with overlapping times. */
function run(asked: readonly Asked[]): Operation<AccountInput>[] {
  let balance = account.initial;
  return asked.flatMap(({ kind, amount, early, late, isLost }, place): Operation<AccountInput>[] => {
    const times = { call: place - early, return: isLost ? Infinity : place + late, isOptional: isLost };
    const operation = (input: AccountInput, more: Partial<Operation<AccountInput>> = {}) => {
      return { ...times, input, label: `${String(place)} ${input.kind}`, ...more };
    };
    if (kind === 'read') return [operation({ kind, balance })];
    if (kind === 'add') {
      balance += amount;
      return [operation({ kind, amount })];
    }
    if (amount > balance) return [operation({ kind: 'refused', amount })];
    const take = operation({ kind: 'take', amount });
    if (kind === 'pay') {
      balance -= amount;
      return [take];
    }
    const giveBack = operation({ kind: 'give_back', amount }, { needs: [take] });
    take.neverAfter = [giveBack];
    if (kind === 'perhaps_pay_in_vain') {
      Object.assign(take, { isOptional: true, obliges: [giveBack] });
      giveBack.isOptional = true;
    }
    return [take, giveBack];
  });
}

/** The number of orders grows with the factorial. */
const MOST_TO_TRY = 6;

const ALL_KINDS: Asked['kind'][] = ['add', 'pay', 'pay_in_vain', 'perhaps_pay_in_vain', 'read'];

describe('the linearizability checker', () => {
  const outcomeOf = (...operations: Operation<RegisterInput>[]) => checkOperations(register, operations).outcome;

  it('accepts a read of either value while a write is in progress', () => {
    for (const read of [0, 1]) expect(outcomeOf(at(0, 10, { write: 1 }), at(2, 3, { read }))).to.equal('ok');
  });

  it('rejects a read of a value that was overwritten before the read began', () => {
    expect(outcomeOf(at(0, 1, { write: 1 }), at(2, 3, { read: 0 }))).to.equal('violation');
  });

  it('rejects a read of the old value after a read of the new one', () => {
    const write = at(0, 10, { write: 1 });
    expect(outcomeOf(write, at(1, 2, { read: 1 }), at(3, 4, { read: 0 }))).to.equal('violation');
    expect(outcomeOf(write, at(1, 3, { read: 1 }), at(2, 4, { read: 0 }))).to.equal('ok');
  });

  it('lets an operation without an answer happen late or never, but only once and not before its call', () => {
    const write = at(1, Infinity, { write: 1 }, lost);
    expect(outcomeOf(write, at(2, 3, { read: 0 }), at(8, 9, { read: 0 }))).to.equal('ok');
    expect(outcomeOf(write, at(2, 3, { read: 0 }), at(8, 9, { read: 1 }))).to.equal('ok');
    expect(outcomeOf(write, at(2, 3, { read: 1 }), at(8, 9, { read: 0 }))).to.equal('violation');
    expect(outcomeOf(write, at(0, 0.5, { read: 1 }))).to.equal('violation');
  });

  it('lets an optional operation happen only before it returns', () => {
    const write = at(0, 2, { write: 1 }, lost);
    expect(outcomeOf(write, at(1, 5, { read: 1 }))).to.equal('ok');
    expect(outcomeOf(write, at(3, 4, { read: 0 }), at(5, 6, { read: 1 }))).to.equal('violation');
  });

  it('keeps the order of the parts of a request', () => {
    const take = at<AccountInput>(0, 9, { kind: 'take', amount: 2 });
    const giveBack = at<AccountInput>(0, 9, { kind: 'give_back', amount: 2 }, { needs: [take] });
    const read = (call: number, balance: number) => at<AccountInput>(call, call + 1, { kind: 'read', balance });
    expect(checkOperations(account, [take, giveBack, read(1, 2), read(3, 0), read(5, 2)]).outcome).to.equal('ok');
    expect(checkOperations(account, [take, giveBack, read(1, 4)]).outcome).to.equal('violation');
  });

  it('says which operations have an order, and why none can follow', () => {
    const { explanation } = checkOperations(register, [
      at(0, 1, { write: 1 }),
      at(2, 3, { read: 1 }),
      at(4, 6, { read: 2 }),
    ]);
    expect(explanation).to.contain('has 2 of 3 operations').and.contain('[4.0, 6.0] {"read":2}: it is 1');
  });

  it('does not say ok or violation if the limit of steps is too small to know, but where the search was', () => {
    const writes = Array.from({ length: 12 }, (_, index) => at(0, 100, { write: index + 1 }));
    const verdict = checkOperations(register, [...writes, at(101, 102, { read: 0 })], 50);
    expect(verdict.outcome).to.equal('unknown');
    expect(verdict.explanation).to.contain('has 12 of 13 operations').and.contain('{"read":0}: it is');
  });

  it('accepts long histories in a few steps for each operation', () => {
    const asked = fc.sample(fc.array(anyAsked(ALL_KINDS), { minLength: 1_000, maxLength: 1_000 }), {
      numRuns: 3,
      seed: 1,
    });
    for (const each of asked) {
      const operations = run(each.map((one) => ({ ...one, isLost: false })));
      const verdict = checkOperations(account, operations);
      expect(verdict.outcome).to.equal('ok');
      expect(verdict.steps).to.be.below(20 * operations.length);
    }
  });

  it('accepts every history of a sequential run whose requests overlap', () => {
    fc.assert(
      fc.property(fc.array(anyAsked(ALL_KINDS), { maxLength: 30 }), (asked) => {
        expect(checkOperations(account, run(asked)).outcome).to.equal('ok');
      }),
      { numRuns: 300 },
    );
  });

  it('decides like a trial of all orders, also if an answer was changed', () => {
    const counts = { ok: 0, violation: 0, unknown: 0 };
    fc.assert(
      fc.property(
        fc.array(anyAsked(ALL_KINDS), { minLength: 1, maxLength: 5 }),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 4 })), { maxLength: 2 }),
        (asked, changes) => {
          const operations = run(asked);
          fc.pre(operations.length <= MOST_TO_TRY);
          for (const [place, figure] of changes) {
            const { input } = operations[place % operations.length]!;
            if (input.kind === 'read') input.balance = figure;
            else input.amount = figure;
          }
          const { outcome } = checkOperations(account, operations);
          counts[outcome] += 1;
          expect(outcome).to.equal(isLinearizable(account, operations) ? 'ok' : 'violation');
        },
      ),
      { numRuns: 3_000 },
    );
    // Otherwise the histories would not tell a right checker from one that has only one answer.
    expect(counts.ok).to.be.above(500);
    expect(counts.violation).to.be.above(300);
  });
});
