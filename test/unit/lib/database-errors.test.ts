import { expect } from 'chai';
import { isContentFault, isUnavailable } from '../../../lib/db/errors.ts';

const error = (code: string) => Object.assign(new Error('from PostgreSQL'), { code });

describe('an error of PostgreSQL', () => {
  for (const [code, what] of [
    ['08006', 'a lost connection'],
    ['57P01', 'a shutdown'],
    ['57P03', 'a start'],
    ['53100', 'a full disk'],
    ['25006', 'a read-only server'],
    ['25P03', 'a transaction that was idle for too long'],
  ] as const) {
    it(`means that it is unavailable for ${what}`, () => {
      expect(isUnavailable(error(code))).to.equal(true);
      expect(isContentFault(error(code))).to.equal(false);
    });
  }

  for (const code of ['23505', '22P02', '40P01', '25001', '42601']) {
    it(`is not of its availability with ${code}`, () => {
      expect(isUnavailable(error(code))).to.equal(false);
    });
  }
});
