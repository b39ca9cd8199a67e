import { expect } from 'chai';
import { setPin } from '../../../lib/contracts/membership.ts';
import { checkWallet } from '../../../lib/contracts/treasury.ts';
import { useAssociation } from '../../harness/membership.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

const HOUR_MS = 3_600_000;
const RIGHT = '246810';
const WRONG = '135790';
const NEW = '9999';

describe('a PIN ciphertext that is sent again', () => {
  const harness = useAssociation();
  let user: string;
  before(() => harness.setPin('host', RIGHT));
  beforeEach(async () => {
    user = await harness.newMember(RIGHT);
  });

  const send = (pin: string, key?: string, as = user) => harness.pay(as, pin, key);
  const attemptsLeft = async (attempt: Promise<unknown>) => (await refusalOf(attempt)).extras.attempts_left;
  const set = (pin: string, current_pin: string, key?: string) =>
    harness.as(user, setPin, { body: { pin, current_pin } }, { key });
  /** Makes a wrong attempt, after which a right PIN is checked in a transaction instead of a single statement. */
  const giveWrong = async () => attemptsLeft(send(await harness.seal(WRONG)));

  for (const [path, prepare] of [
    ['in one statement', () => Promise.resolve(5)],
    ['in a transaction', giveWrong],
  ] as const) {
    describe(`checked ${path}`, () => {
      let sealed: string;
      beforeEach(async () => {
        await prepare();
        sealed = await harness.seal(RIGHT);
      });

      it('is accepted only for the same user and idempotency key', async () => {
        await send(sealed, 'k');
        for (const [key, as] of [
          ['another', user],
          [undefined, user],
          ['k', 'host'],
          ['K', user],
        ] as const) {
          expect(await outcomeOf(send(sealed, key, as)), `${String(key)} of ${as}`).to.equal('pin_replayed');
        }
        for (let times = 0; times < 2; times += 1) {
          await prepare();
          await send(sealed, 'k');
        }
      });

      it('is a replay if it was first used without a key', async () => {
        await send(sealed);
        for (const key of ['k', undefined]) expect(await outcomeOf(send(sealed, key))).to.equal('pin_replayed');
      });

      it('is a replay 20 hours after its first use, even if it was accepted since then', async () => {
        await send(sealed, 'k');
        harness.clock.offset_ms = 19 * HOUR_MS;
        await send(sealed, 'k');
        harness.clock.offset_ms = 21 * HOUR_MS;
        expect(await outcomeOf(send(sealed, 'k'))).to.equal('pin_replayed');
      });
    });
  }

  it('is checked again, and counts again if it is wrong', async () => {
    const sealed = await harness.seal(WRONG);
    for (const left of [4, 3, 2, 1, 0]) expect(await attemptsLeft(send(sealed, 'k'))).to.equal(left);
    expect(await outcomeOf(send(sealed, 'k'))).to.equal('pin_locked');
  });

  it('serves a request that continues after a fault, but no other request with its key', async () => {
    const pin = await harness.seal(RIGHT);
    const change = (payout_wallet_id: string) => harness.change(user, { payout_wallet_id, pin }, 'k');
    const own = `wallet-${user}-XAF`;
    harness.treasury.next(checkWallet, 'request_lost');
    expect(await outcomeOf(change(own))).to.equal('internal_error');
    // The claim of the key was released, but only a repeat can continue the operation.
    expect(await outcomeOf(change('wallet-host-XAF'))).to.equal('idempotency_key_reused');
    expect((await change(own)).payout_wallet_id).to.equal(own);
    expect(harness.headOf(await change(own)).replayed).to.equal(true);
  });

  it('belongs to the fingerprint of a request that sets a PIN: another ciphertext with the key is refused', async () => {
    const fresh = await harness.seal(NEW);
    const current = await harness.seal(RIGHT);
    await set(fresh, current, 'k');
    expect(await outcomeOf(set(await harness.seal('8888'), current, 'k'))).to.equal('idempotency_key_reused');
    expect(await outcomeOf(set(fresh, await harness.seal(NEW), 'k'))).to.equal('idempotency_key_reused');
    // The first answer is repeated although the current PIN has changed.
    expect(harness.headOf(await set(fresh, current, 'k')).replayed).to.equal(true);
    await send(await harness.seal(NEW));
  });

  it('is accepted again with the same key when it sets a PIN, as the new and as the current PIN', async () => {
    const fresh = await harness.seal(NEW);
    const wrong = await harness.seal(WRONG);
    const right = await harness.seal(RIGHT);
    expect(await attemptsLeft(set(fresh, wrong, 'k'))).to.equal(4);
    expect(await attemptsLeft(set(fresh, wrong, 'k'))).to.equal(3);
    expect(await outcomeOf(set(fresh, wrong, 'another'))).to.equal('pin_replayed');
    // After a refusal the key is free, but the ciphertexts belong to the request that was refused.
    expect(await outcomeOf(set(fresh, right, 'k'))).to.equal('pin_replayed');
    expect(await outcomeOf(set(await harness.seal('1111'), fresh, 'k'))).to.equal('pin_replayed');
    await send(await harness.seal(RIGHT));
  });

  it('cannot set another PIN if it was recorded from a refused request', async () => {
    const tooShort = await harness.seal('12');
    const current = await harness.seal(RIGHT);
    expect(await attemptsLeft(set(tooShort, current, 'k'))).to.equal(4);
    expect(await outcomeOf(set(await harness.seal('1111'), current, 'k'))).to.equal('pin_replayed');
    await send(await harness.seal(RIGHT));
  });
});
