import { expect } from 'chai';
import { limitLongAnswers, spendLines } from '../../../services/gateway/http/long-answers.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const OF_USER = 8;
const ALL = 32;

describe('exports and statements', () => {
  /** Begins some that last until end() is called. */
  function begin() {
    const limit = limitLongAnswers();
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const make = (user: string) => limit.make(user, () => promise);
    return { limit, make, end };
  }

  it('are eight at a time for a user, and can be made again when one has ended', async () => {
    const { limit, make, end } = begin();
    const first = Array.from({ length: OF_USER }, () => make('a'));
    expect(await outcomeOf(make('a'))).to.equal('rate_limited');
    const other = make('b');
    end();
    await Promise.all([...first, other]);
    await limit.make('a', () => Promise.resolve());
  });

  it('are thirty-two at a time for all', async () => {
    const { make, end } = begin();
    const all = Array.from({ length: ALL }, (_, index) => make(String(index)));
    expect(await outcomeOf(make('another'))).to.equal('overloaded');
    end();
    await Promise.all(all);
    await make('another');
  });

  it('no longer count when they have failed', async () => {
    const { limit } = begin();
    for (let attempt = 0; attempt <= OF_USER; attempt += 1) {
      const failed = limit.make('a', () => Promise.reject(new Error('failed')));
      expect(await failed.catch((error: Error) => error.message)).to.equal('failed');
    }
  });

  it('count as a request for every fifty lines', () => {
    let spent = 0;
    const $spend = (requests: number) => (spent += requests);
    spendLines({ $spend }, 49);
    expect(spent).to.equal(0);
    spendLines({ $spend }, 10_000);
    expect(spent).to.equal(200);
    spendLines({}, 10_000);
  });
});
