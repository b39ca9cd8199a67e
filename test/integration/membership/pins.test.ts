import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { pinState, resetPin, setPin } from '../../../lib/contracts/membership.ts';
import { useAssociation } from '../../harness/membership.ts';
import { atOnce, outcomeOf, outcomesOf, refusalOf } from '../../harness/refusal.ts';

const MINUTE_MS = 60_000;
const RIGHT = '246810';
const WRONG = '135790';
const NEW = '9999';

const invalid = (attempts_left: number) => ({ code: 'pin_invalid', extras: { attempts_left } });
const locked = (minutes: number) => ({ code: 'pin_locked', extras: { retry_after_s: minutes * 60 } });
const UNREADABLE = { code: 'pin_unreadable', extras: {} };

describe('PINs', () => {
  const harness = useAssociation();
  let user: string;
  beforeEach(async () => {
    user = await harness.newMember();
  });

  const send = (pin: string, as = user) => harness.pay(as, pin);
  const give = async (pin: string, as = user) => send(await harness.seal(pin), as);
  /** Gives the wrong PIN several times and expects a decreasing number of attempts left, which starts at `left`. */
  const giveWrong = async (times: number, left = 4) => {
    for (let n = 0; n < times; n += 1) expect(await refusalOf(give(WRONG))).to.deep.equal(invalid(left - n));
  };
  const sealSeveral = (count: number, pin: string) => Promise.all(atOnce(count, () => harness.seal(pin)));
  const set = (pin: string, current_pin?: string) =>
    harness.as(user, setPin, { body: current_pin === undefined ? { pin } : { pin, current_pin } });
  const isUsed = async (sealed: string) => {
    const digest = createHash('sha256').update(Buffer.from(sealed, 'base64')).digest();
    return (await harness.sql('SELECT FROM used_ciphertexts WHERE digest = $1', digest)).length === 1;
  };

  describe('whose state their user reads', () => {
    const state = (as = user) => harness.as(as, pinState);
    const FREE = { set: true, locked_until: null, attempts_left: 5 };

    it('are not set at first, also for a user without any membership, and then set', async () => {
      for (const each of [user, 'anyone']) expect(await state(each)).to.deep.equal({ ...FREE, set: false });
      await harness.setPin(user, RIGHT);
      expect(await state()).to.deep.equal(FREE);
      expect(await state('anyone'), 'of another user').to.deep.equal({ ...FREE, set: false });
    });

    it('have fewer attempts left after each wrong one, and none while they are locked', async () => {
      await harness.setPin(user, RIGHT);
      for (let left = 4; left > 0; left -= 1) {
        await giveWrong(1, left);
        expect(await state()).to.deep.equal({ ...FREE, attempts_left: left });
      }
      harness.clock.stopped_at = new Date();
      await giveWrong(1, 0);
      const locked_until = new Date(harness.clock.stopped_at.getTime() + 15 * MINUTE_MS).toISOString();
      expect(await state()).to.deep.equal({ set: true, locked_until, attempts_left: 0 });
      // A look uses up no attempt, and an expired lock is not shown.
      harness.clock.stopped_at = new Date(locked_until);
      expect(await state()).to.deep.equal(FREE);
      await give(RIGHT);
      expect(await state()).to.deep.equal(FREE);
    });
  });

  describe('that are checked', () => {
    beforeEach(() => harness.setPin(user, RIGHT));

    it('do not make a user wait for the attempts of another user', async () => {
      const other = await harness.newMember(RIGHT);
      let waiting: Promise<unknown> | undefined;
      await harness.inTransaction(async (client) => {
        await client.query('SELECT FROM pins WHERE user_id = $1 FOR UPDATE', [user]);
        let hasPassed = false;
        waiting = give(RIGHT).then(() => (hasPassed = true));
        await Promise.all(atOnce(2, () => give(RIGHT, other)));
        expect(hasPassed).to.equal(false);
      });
      expect(await waiting).to.equal(true);
    });

    it('are `pin_unreadable`, and not counted, if no key decrypts them, even repeatedly', async () => {
      const sealed = await harness.seal(RIGHT);
      const unreadable = ['', 'not base64!', 'A'.repeat(60_000), 'AAAA', RIGHT, sealed.slice(0, 40)];
      for (const text of [...unreadable, ...unreadable]) {
        expect(await refusalOf(send(text))).to.deep.equal(UNREADABLE);
      }
      await send(sealed);
      await giveWrong(1);
    });

    it('use up the ciphertext even if no key decrypts it', async () => {
      const broken = Buffer.from(await harness.seal(RIGHT), 'base64');
      broken[100] = (broken[100] ?? 0) ^ 1;
      expect(await outcomeOf(send(broken.toString('base64')))).to.equal('pin_unreadable');
      expect(await outcomeOf(send(broken.toString('base64')))).to.equal('pin_replayed');
    });

    it('count consecutive wrong PINs, including malformed ones, until the right one resets the count', async () => {
      expect(await refusalOf(give('12a4'))).to.deep.equal(invalid(4));
      await giveWrong(3, 3);
      await give(RIGHT);
      await giveWrong(1);
    });

    it('are locked for 15 minutes after five wrong PINs, then twice as long each time until a right one', async () => {
      let at_ms = 0;
      for (const minutes of [15, 30, 60]) {
        harness.clock.stopped_at = new Date(Date.now() + at_ms);
        await giveWrong(5);
        expect(await refusalOf(give(RIGHT))).to.deep.equal(locked(minutes));
        expect(await refusalOf(give(WRONG))).to.deep.equal(locked(minutes));
        // Attempts during the lock are not counted.
        at_ms += minutes * MINUTE_MS + 1_000;
      }
      harness.clock.stopped_at = new Date(Date.now() + at_ms);
      await give(RIGHT);
      await giveWrong(5);
      expect(await refusalOf(give(RIGHT))).to.deep.equal(locked(15));
    });

    it('keep their count and their lock over a restart', async () => {
      await giveWrong(4);
      await harness.restart();
      await giveWrong(1, 0);
      await harness.restart();
      expect(await outcomeOf(give(RIGHT))).to.equal('pin_locked');
    });

    it('count exactly five of 30 concurrent wrong guesses, then lock', async () => {
      const guesses = await sealSeveral(30, WRONG);
      const refusals = await Promise.all(guesses.map((guess) => refusalOf(send(guess))));
      const left = refusals.filter(({ code }) => code === 'pin_invalid').map(({ extras }) => extras.attempts_left);
      expect(left.toSorted()).to.deep.equal([0, 1, 2, 3, 4]);
      expect(refusals.filter(({ code }) => code === 'pin_locked')).to.have.length(25);
      const [row] = await harness.sql('SELECT failed_attempts, lock_count FROM pins WHERE user_id = $1', user);
      expect(row).to.deep.equal({ failed_attempts: 0, lock_count: 1 });
    });

    it('are accepted if right, even while other attempts, including wrong ones, are in flight', async () => {
      for (let round = 0; round < 5; round += 1) {
        const wrong = await sealSeveral(4, WRONG);
        const right = await sealSeveral(12, RIGHT);
        const outcomes = await Promise.all([...wrong, ...right].map((sealed) => outcomeOf(send(sealed))));
        expect(outcomes).to.deep.equal([...wrong.map(() => 'pin_invalid'), ...right.map(() => 'done')]);
        // In any order, at most four wrong attempts are counted; a right PIN resets the count.
        await give(RIGHT);
      }
    });

    it('are accepted once when the same ciphertext is sent ten times concurrently', async () => {
      const sealed = await harness.seal(RIGHT);
      const outcomes = await outcomesOf(atOnce(10, () => send(sealed)));
      expect(outcomes).to.deep.equal(['done', ...Array<string>(9).fill('pin_replayed')]);
      // A replay does not count as an attempt.
      await giveWrong(1);
    });

    it('use up the ciphertext regardless of the answer', async () => {
      const wrong = await harness.seal(WRONG);
      expect(await outcomeOf(send(wrong))).to.equal('pin_invalid');
      expect(await outcomeOf(send(wrong))).to.equal('pin_replayed');
      await giveWrong(4, 3);
      const duringLock = await harness.seal(RIGHT);
      expect(await outcomeOf(send(duringLock))).to.equal('pin_locked');
      harness.clock.offset_ms = 16 * MINUTE_MS;
      expect(await outcomeOf(send(duringLock))).to.equal('pin_replayed');
      await give(RIGHT);
    });
  });

  it('are refused, but use up the ciphertext, if the user has not set a PIN', async () => {
    const sealed = await harness.seal(RIGHT);
    expect(await outcomeOf(send(sealed))).to.equal('pin_not_set');
    expect(await isUsed(sealed)).to.equal(true);
    await harness.setPin(user, RIGHT);
    expect(await outcomeOf(send(sealed))).to.equal('pin_replayed');
  });

  describe('set for the first time', () => {
    it('must be 4 to 12 digits', async () => {
      for (const pin of ['123', '1234567890123', '12a4', '']) {
        expect(await refusalOf(set(await harness.seal(pin)))).to.deep.equal(invalid(5));
      }
      expect(await refusalOf(set('1234'))).to.deep.equal(UNREADABLE);
      await set(await harness.seal('1234'));
      await give('1234');
    });

    it('are stored once when several are set concurrently', async () => {
      const pins = ['1111', '2222', '3333', '4444'];
      const sealed = await Promise.all(pins.map((pin) => harness.seal(pin)));
      const outcomes = await Promise.all(sealed.map((each) => outcomeOf(set(each))));
      await give(pins[outcomes.indexOf('done')] ?? '');
      expect(outcomes.filter((each) => each === 'validation_failed')).to.have.length(3);
    });

    it('are stored as a keyed hash with a separate salt, never in the clear', async () => {
      const users = [user, await harness.newMember()];
      for (const each of users) await harness.setPin(each, RIGHT);
      const rows = await harness.sql<{ salt: Buffer; hash: Buffer; text: string }>(
        'SELECT salt, hash, pins::text AS text FROM pins WHERE user_id = ANY($1)',
        users,
      );
      expect(new Set(rows.map(({ salt }) => salt.toString('hex'))).size).to.equal(2);
      expect(new Set(rows.map(({ hash }) => hash.toString('hex'))).size).to.equal(2);
      for (const { text } of rows) expect(text).to.not.contain(RIGHT);
    });
  });

  describe('that replace another', () => {
    let fresh: string;
    let current: string;
    beforeEach(async () => {
      await harness.setPin(user, RIGHT);
      fresh = await harness.seal(NEW);
      current = await harness.seal(RIGHT);
    });

    it('need the current PIN', async () => {
      const { code, extras } = await refusalOf(set(await harness.seal(NEW)));
      expect(code).to.equal('validation_failed');
      expect((extras.errors as unknown[])[0]).to.include({ pointer: '/current_pin', code: 'required' });
      await set(fresh, current);
      await give(NEW);
      expect(await refusalOf(give(RIGHT))).to.deep.equal(invalid(4));
    });

    it('count a wrong current PIN and a malformed new PIN as a wrong attempt', async () => {
      expect(await refusalOf(set(await harness.seal(NEW), await harness.seal(WRONG)))).to.deep.equal(invalid(4));
      expect(await refusalOf(set(await harness.seal('99'), await harness.seal(RIGHT)))).to.deep.equal(invalid(3));
      expect(await refusalOf(set(NEW, await harness.seal(RIGHT)))).to.deep.equal(UNREADABLE);
      expect(await refusalOf(set(await harness.seal(NEW), RIGHT))).to.deep.equal(UNREADABLE);
      await giveWrong(3, 2);
      expect(await outcomeOf(set(fresh, current))).to.equal('pin_locked');
      harness.clock.offset_ms = 16 * MINUTE_MS;
      await give(RIGHT);
    });

    it('are refused with a used ciphertext, and with the same ciphertext for the new and the current PIN', async () => {
      expect(await outcomeOf(set(current, current))).to.equal('pin_replayed');
      expect(await outcomeOf(set(fresh, current))).to.equal('pin_replayed');
      expect(await outcomeOf(send(fresh))).to.equal('pin_replayed');
      await give(RIGHT);
    });
  });

  describe('reset by an operator', () => {
    beforeEach(() => harness.setPin(user, RIGHT));
    const reset = (scopes: string[], of = user) =>
      harness.as('operator', resetPin, { path: { user_id: of } }, { scopes });

    it('lose their value and their lock; a user without a PIN can be reset too', async () => {
      await giveWrong(5);
      await reset(['wallets:fund', 'pins:reset']);
      expect(await outcomeOf(give(RIGHT))).to.equal('pin_not_set');
      await harness.setPin(user, '4321');
      await give('4321');
      await reset(['pins:reset'], 'no-such-user');
      await reset(['pins:reset'], 'no\0body');
    });

    it('need the scope pins:reset', async () => {
      expect(await refusalOf(reset(['wallets:fund']))).to.deep.equal({
        code: 'insufficient_scope',
        extras: { required_scopes: ['pins:reset'] },
      });
      await give(RIGHT);
    });
  });
});
