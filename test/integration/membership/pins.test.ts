import { expect } from 'chai';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { resetPin, setPin } from '../../../lib/contracts/membership.ts';
import { useMembership } from '../../harness/membership.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

const MINUTE_MS = 60_000;
const RIGHT = '246810';
const WRONG = '135790';

describe('PINs', () => {
  const bench = useMembership();
  let association_id: string;
  let user: string;
  before(async () => {
    ({ id: association_id } = await bench.found('host', { max_members: 200 }));
  });
  beforeEach(async () => {
    user = await bench.newMember(association_id);
  });

  const send = (pin: string, as = user) => bench.pay(association_id, as, pin);
  const give = async (pin: string, as = user) => send(await bench.seal(pin), as);
  const refusedWith = async (attempt: Promise<unknown>) => {
    const { code, extras } = await refusalOf(attempt);
    return [code, extras];
  };
  const set = (pin: string, current_pin?: string, as = user) =>
    bench.as(as, setPin, { body: current_pin === undefined ? { pin } : { pin, current_pin } });
  const invalid = (attempts_left: number) => ['pin_invalid', { attempts_left }];
  const locked = (minutes: number) => ['pin_locked', { retry_after_s: minutes * 60 }];
  const isUsed = async (sealed: string) => {
    const digest = createHash('sha256').update(Buffer.from(sealed, 'base64')).digest();
    return (await bench.sql('SELECT FROM used_ciphertexts WHERE digest = $1', digest)).length === 1;
  };

  describe('judging one', () => {
    beforeEach(() => bench.setPin(user, RIGHT));

    it('lets the right one pass, again and again', async () => {
      for (let n = 0; n < 7; n += 1) await give(RIGHT);
    });

    it('keeps no user waiting for the attempts of another', async () => {
      const other = await bench.newMember(association_id, RIGHT);
      const holder = new pg.Client({ connectionString: bench.database.migrationUrl });
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT FROM pins WHERE user_id = $1 FOR UPDATE', [user]);
      let hasPassed = false;
      const waiting = give(RIGHT).then(() => (hasPassed = true));
      await Promise.all([give(RIGHT, other), give(RIGHT, other)]);
      expect(hasPassed).to.equal(false);
      await holder.query('COMMIT');
      await holder.end();
      expect(await waiting).to.equal(true);
    });

    it('takes base64 and base64url, with padding or without', async () => {
      const spellings = [
        (text: string) => text.replace(/=+$/, ''),
        (text: string) => Buffer.from(text, 'base64').toString('base64url'),
        (text: string) => text.replaceAll('+', '-').replaceAll('/', '_'),
      ];
      for (const spell of spellings) await send(spell(await bench.seal(RIGHT)));
    });

    it('says that no key opens it, however often it comes, and does not count that', async () => {
      const sealed = await bench.seal(RIGHT);
      const unreadable = ['', 'not base64!', 'A'.repeat(60_000), 'AAAA', RIGHT, sealed.slice(0, 40)];
      for (const text of [...unreadable, ...unreadable]) {
        expect(await refusedWith(send(text))).to.deep.equal(['pin_unreadable', {}]);
      }
      await send(sealed);
      expect(await refusedWith(give(WRONG))).to.deep.equal(invalid(4));
    });

    it('uses up what could be a ciphertext, though no key opens it', async () => {
      const broken = Buffer.from(await bench.seal(RIGHT), 'base64');
      broken[100] = (broken[100] ?? 0) ^ 1;
      expect(await refusedWith(send(broken.toString('base64')))).to.deep.equal(['pin_unreadable', {}]);
      expect(await refusedWith(send(broken.toString('base64')))).to.deep.equal(['pin_replayed', {}]);
    });

    it('counts what opens and is no PIN', async () => {
      expect(await refusedWith(give('12a4'))).to.deep.equal(invalid(4));
    });

    it('counts wrong ones in a row: the right one starts anew', async () => {
      for (let n = 0; n < 4; n += 1) expect(await refusedWith(give(WRONG))).to.deep.equal(invalid(4 - n));
      await give(RIGHT);
      expect(await refusedWith(give(WRONG))).to.deep.equal(invalid(4));
    });

    it('locks for 15 minutes after five, also against the right one, and doubles', async () => {
      let at_ms = 0;
      for (const minutes of [15, 30, 60]) {
        bench.clock.stopped_at = new Date(Date.now() + at_ms);
        for (const left of [4, 3, 2, 1, 0]) expect(await refusedWith(give(WRONG))).to.deep.equal(invalid(left));
        expect(await refusedWith(give(RIGHT))).to.deep.equal(locked(minutes));
        expect(await refusedWith(give(WRONG))).to.deep.equal(locked(minutes));
        // What came in during the lock was not counted.
        at_ms += minutes * MINUTE_MS + 1_000;
      }
      bench.clock.stopped_at = undefined;
      bench.clock.offset_ms = at_ms;
      await give(RIGHT);
      for (let n = 0; n < 5; n += 1) await refusalOf(give(WRONG));
      const { extras } = await refusalOf(give(RIGHT));
      expect(extras.retry_after_s).to.be.within(15 * 60 - 5, 15 * 60);
    });

    it('keeps the count and the lock over a restart', async () => {
      for (let n = 0; n < 4; n += 1) await refusalOf(give(WRONG));
      await bench.restart();
      expect(await refusedWith(give(WRONG))).to.deep.equal(invalid(0));
      await bench.restart();
      expect(await outcomeOf(give(RIGHT))).to.equal('pin_locked');
    });

    it('counts exactly five of 30 wrong guesses at once, then locks', async () => {
      const guesses = await Promise.all(Array.from({ length: 30 }, () => bench.seal(WRONG)));
      const refusals = await Promise.all(guesses.map((guess) => refusalOf(send(guess))));
      const left = refusals.filter(({ code }) => code === 'pin_invalid').map(({ extras }) => extras.attempts_left);
      expect(left.toSorted()).to.deep.equal([0, 1, 2, 3, 4]);
      expect(refusals.filter(({ code }) => code === 'pin_locked')).to.have.length(25);
      const [row] = await bench.sql('SELECT failed_attempts, lock_count FROM pins WHERE user_id = $1', user);
      expect(row).to.deep.equal({ failed_attempts: 0, lock_count: 1 });
    });

    it('never refuses a right one because others, wrong ones among them, are in flight', async () => {
      for (let round = 0; round < 5; round += 1) {
        const right = await Promise.all(Array.from({ length: 12 }, () => bench.seal(RIGHT)));
        const wrong = await Promise.all(Array.from({ length: 4 }, () => bench.seal(WRONG)));
        const answers = await Promise.allSettled([...wrong, ...right].map((sealed) => send(sealed)));
        expect(answers.map(({ status }) => status)).to.deep.equal([
          ...wrong.map(() => 'rejected'),
          ...right.map(() => 'fulfilled'),
        ]);
        // Whatever the order was, the row says no more than four wrong ones; a right one clears it.
        await give(RIGHT);
      }
    });

    it('lets a ciphertext pass once of ten times at once', async () => {
      const sealed = await bench.seal(RIGHT);
      const refusals = await Promise.all(Array.from({ length: 10 }, () => outcomeOf(send(sealed))));
      expect(refusals.filter((code) => code === 'done')).to.have.length(1);
      expect(refusals.filter((code) => code === 'pin_replayed')).to.have.length(9);
      // A replay is not an attempt.
      expect(await refusedWith(give(WRONG))).to.deep.equal(invalid(4));
    });

    it("refuses another's used ciphertext, however it is spelt", async () => {
      const other = 'host';
      const sealed = await bench.seal(RIGHT);
      await send(sealed);
      const spelt = Buffer.from(sealed, 'base64').toString('base64url');
      await bench.setPin(other, RIGHT);
      expect(await outcomeOf(send(spelt, other))).to.equal('pin_replayed');
    });

    it('uses up the ciphertext whatever the answer', async () => {
      const wrong = await bench.seal(WRONG);
      await refusalOf(send(wrong));
      expect(await outcomeOf(send(wrong))).to.equal('pin_replayed');
      for (let n = 0; n < 4; n += 1) await refusalOf(give(WRONG));
      const duringLock = await bench.seal(RIGHT);
      expect(await outcomeOf(send(duringLock))).to.equal('pin_locked');
      bench.clock.offset_ms = 16 * MINUTE_MS;
      expect(await outcomeOf(send(duringLock))).to.equal('pin_replayed');
      await give(RIGHT);
    });
  });

  it('asks to set one first, and uses up the ciphertext even so', async () => {
    const sealed = await bench.seal(RIGHT);
    expect(await outcomeOf(send(sealed))).to.equal('pin_not_set');
    expect(await isUsed(sealed)).to.equal(true);
    await bench.setPin(user, RIGHT);
    expect(await outcomeOf(send(sealed))).to.equal('pin_replayed');
  });

  describe('setting one', () => {
    it('takes 4 to 12 digits and nothing else', async () => {
      for (const pin of ['123', '1234567890123', '12a4', '']) {
        expect(await refusedWith(set(await bench.seal(pin)))).to.deep.equal(invalid(5));
      }
      expect(await refusedWith(set('1234'))).to.deep.equal(['pin_unreadable', {}]);
      await set(await bench.seal('1234'));
      await give('1234');
    });

    it('needs the current one once one is set', async () => {
      await bench.setPin(user, RIGHT);
      const { code, extras } = await refusalOf(set(await bench.seal('9999')));
      expect(code).to.equal('validation_failed');
      expect((extras.errors as unknown[])[0]).to.include({ pointer: '/current_pin', code: 'required' });
      await set(await bench.seal('9999'), await bench.seal(RIGHT));
      await give('9999');
      expect(await refusedWith(give(RIGHT))).to.deep.equal(invalid(4));
    });

    it('counts a wrong current one, and a new one that is none, like any wrong PIN', async () => {
      await bench.setPin(user, RIGHT);
      expect(await refusedWith(set(await bench.seal('9999'), await bench.seal(WRONG)))).to.deep.equal(invalid(4));
      expect(await refusedWith(set(await bench.seal('99'), await bench.seal(RIGHT)))).to.deep.equal(invalid(3));
      expect(await refusedWith(set('9999', await bench.seal(RIGHT)))).to.deep.equal(['pin_unreadable', {}]);
      expect(await refusedWith(set(await bench.seal('9999'), RIGHT))).to.deep.equal(['pin_unreadable', {}]);
      for (let n = 0; n < 3; n += 1) await refusalOf(give(WRONG));
      const whileLocked = set(await bench.seal('9999'), await bench.seal(RIGHT));
      expect(await outcomeOf(whileLocked)).to.equal('pin_locked');
      bench.clock.offset_ms = 16 * MINUTE_MS;
      await give(RIGHT);
    });

    it('refuses used ciphertexts, and one for both', async () => {
      await bench.setPin(user, RIGHT);
      const [fresh, current] = [await bench.seal('9999'), await bench.seal(RIGHT)];
      expect(await outcomeOf(set(current, current))).to.equal('pin_replayed');
      expect(await outcomeOf(set(fresh, current))).to.equal('pin_replayed');
      expect(await outcomeOf(send(fresh))).to.equal('pin_replayed');
      await give(RIGHT);
    });

    it('has one winner among first ones set at once', async () => {
      const pins = ['1111', '2222', '3333', '4444'];
      const sealed = await Promise.all(pins.map((pin) => bench.seal(pin)));
      const outcomes = await Promise.allSettled(sealed.map((each) => set(each)));
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
      for (const [index, outcome] of outcomes.entries()) {
        if (index === winner) continue;
        expect(outcome).to.have.nested.property('reason.type', 'validation_failed');
      }
      await give(pins[winner] ?? '');
    });

    it('keeps a keyed hash under a salt of its own, never the PIN', async () => {
      await bench.join(`${user}-twin`, association_id);
      await bench.setPin(user, RIGHT);
      await bench.setPin(`${user}-twin`, RIGHT);
      const rows = await bench.sql<{ salt: Buffer; hash: Buffer; text: string }>(
        'SELECT salt, hash, pins::text AS text FROM pins WHERE user_id LIKE $1',
        `${user}%`,
      );
      expect(new Set(rows.map(({ salt }) => salt.toString('hex'))).size).to.equal(2);
      expect(new Set(rows.map(({ hash }) => hash.toString('hex'))).size).to.equal(2);
      for (const { text } of rows) expect(text).to.not.contain(RIGHT);
    });
  });

  describe('resetting one', () => {
    const reset = (scopes: string[], of = user) =>
      bench.as('operator', resetPin, { path: { user_id: of } }, { scopes });

    it('takes the PIN and its lock away, whether there are any or not', async () => {
      await bench.setPin(user, RIGHT);
      for (let n = 0; n < 5; n += 1) await refusalOf(give(WRONG));
      await reset(['wallets:fund', 'pins:reset']);
      expect(await outcomeOf(give(RIGHT))).to.equal('pin_not_set');
      await set(await bench.seal('4321'));
      await give('4321');
      await reset(['pins:reset'], 'no-such-user');
      await reset(['pins:reset'], 'no\0body');
    });

    it('needs the scope', async () => {
      await bench.setPin(user, RIGHT);
      expect(await refusedWith(reset(['wallets:fund']))).to.deep.equal([
        'insufficient_scope',
        { required_scopes: ['pins:reset'] },
      ]);
      await give(RIGHT);
    });
  });
});
