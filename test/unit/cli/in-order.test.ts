import { expect } from 'chai';
import { repeatInOrder } from '../../../cli/repair/in-order.ts';

interface Transfer {
  id: string;
  chain_id: string;
  at: Date;
  from: string;
  to: string;
  amount: number;
}

const transfer = (id: string, at_ms: number, from: string, to: string, amount: number): Transfer => {
  return { id, chain_id: id.slice(0, 1), at: new Date(at_ms), from, to, amount };
};

describe('transfers that are repeated in order', () => {
  /** Repeats transfers between accounts that may not fall below zero. @returns what was posted, and what was given up */
  async function repeat(transfers: Transfer[], balances: Record<string, number>) {
    const posted: string[] = [];
    const given_up: string[] = [];
    const attempt = ({ id, from, to, amount }: Transfer): Promise<boolean> => {
      if (from !== 'bank' && (balances[from] ?? 0) < amount) return Promise.resolve(false);
      balances[from] = (balances[from] ?? 0) - amount;
      balances[to] = (balances[to] ?? 0) + amount;
      posted.push(id);
      return Promise.resolve(true);
    };
    await repeatInOrder(transfers, attempt, ({ id }) => void given_up.push(id));
    return { posted, given_up };
  }

  it('follow the order of time, also between chains', async () => {
    // If b1 came first, a1 would have nothing to spend, and a2, which brings it back, would wait for a1.
    const transfers = [
      transfer('a1', 1, 'wallet', 'pool', 10),
      transfer('a2', 2, 'pool', 'wallet', 10),
      transfer('b1', 3, 'wallet', 'other', 10),
    ];
    expect(await repeat(transfers.toReversed(), { wallet: 10 })).to.deep.equal({
      posted: ['a1', 'a2', 'b1'],
      given_up: [],
    });
  });

  it('wait for what they need, with all that follow in their chain', async () => {
    const transfers = [
      transfer('a1', 1, 'wallet', 'pool', 10),
      transfer('a2', 1, 'bank', 'pool', 1),
      transfer('b1', 1, 'bank', 'wallet', 10),
    ];
    expect(await repeat(transfers, {})).to.deep.equal({ posted: ['b1', 'a1', 'a2'], given_up: [] });
  });

  it('are given up if nothing makes them possible, and the others go on', async () => {
    const transfers = [
      transfer('a1', 1, 'wallet', 'pool', 10),
      transfer('a2', 2, 'bank', 'pool', 1),
      transfer('a3', 3, 'wallet', 'pool', 20),
      transfer('b1', 4, 'pool', 'other', 1),
    ];
    expect(await repeat(transfers, {})).to.deep.equal({ posted: ['a2', 'b1'], given_up: ['a1', 'a3'] });
  });
});
