import { expect } from 'chai';
import { setPin } from '../../../lib/contracts/membership.ts';
import { checkWallet } from '../../../lib/contracts/treasury.ts';
import { useAssociation } from '../../harness/membership.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

const HOUR_MS = 3_600_000;
const RIGHT = '246810';
const WRONG = '135790';
const NEW = '9999';

describe('a ciphertext shown again', () => {
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
  /** A wrong attempt on record, which the one statement for right PINs leaves to the transaction. */
  const stumble = async () => attemptsLeft(send(await harness.seal(WRONG)));

  for (const [path, prepare] of [
    ['in one statement', () => Promise.resolve(5)],
    ['in a transaction', stumble],
  ] as const) {
    describe(`judged ${path}`, () => {
      let sealed: string;
      beforeEach(async () => {
        await prepare();
        sealed = await harness.seal(RIGHT);
      });

      it('passes for the same user and key, and for no other key or user', async () => {
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

      it('is a replay if it was used without a key', async () => {
        await send(sealed);
        for (const key of ['k', undefined]) expect(await outcomeOf(send(sealed, key))).to.equal('pin_replayed');
      });

      it('is a replay a day after its first use, however often it was shown since', async () => {
        await send(sealed, 'k');
        harness.clock.offset_ms = 23 * HOUR_MS;
        await send(sealed, 'k');
        harness.clock.offset_ms = 25 * HOUR_MS;
        expect(await outcomeOf(send(sealed, 'k'))).to.equal('pin_replayed');
      });
    });
  }

  it('is judged again, and counts again while it is wrong', async () => {
    const sealed = await harness.seal(WRONG);
    for (const left of [4, 3, 2, 1, 0]) expect(await attemptsLeft(send(sealed, 'k'))).to.equal(left);
    expect(await outcomeOf(send(sealed, 'k'))).to.equal('pin_locked');
  });

  it('serves a request that goes on after a fault, and no other request with its key', async () => {
    const pin = await harness.seal(RIGHT);
    const change = (payout_wallet_id: string) => harness.change(user, { payout_wallet_id, pin }, 'k');
    const own = `wallet-${user}-XAF`;
    harness.treasury.next(checkWallet, 'request_lost');
    expect(await outcomeOf(change(own))).to.equal('internal_error');
    // The claim was released: the ciphertext and the key are good for nothing else.
    expect(await outcomeOf(change('wallet-host-XAF'))).to.equal('pin_replayed');
    expect((await change(own)).payout_wallet_id).to.equal(own);
    expect(harness.headOf(await change(own)).replayed).to.equal(true);
  });

  it('is what a key stands for where a PIN is set: another one under the key sets nothing', async () => {
    const [fresh, current] = [await harness.seal(NEW), await harness.seal(RIGHT)];
    await set(fresh, current, 'k');
    expect(await outcomeOf(set(await harness.seal('8888'), current, 'k'))).to.equal('idempotency_key_reused');
    expect(await outcomeOf(set(fresh, await harness.seal(NEW), 'k'))).to.equal('idempotency_key_reused');
    // The first answer again, though the current PIN is another by now.
    expect(harness.headOf(await set(fresh, current, 'k')).replayed).to.equal(true);
    await send(await harness.seal(NEW));
  });

  it('may be shown to set a PIN again with the same key, for both ciphertexts', async () => {
    const [fresh, wrong, right] = [await harness.seal(NEW), await harness.seal(WRONG), await harness.seal(RIGHT)];
    expect(await attemptsLeft(set(fresh, wrong, 'k'))).to.equal(4);
    expect(await attemptsLeft(set(fresh, wrong, 'k'))).to.equal(3);
    expect(await outcomeOf(set(fresh, wrong, 'another'))).to.equal('pin_replayed');
    expect(await outcomeOf(set(fresh, fresh, 'k'))).to.equal('pin_replayed');
    await set(fresh, right, 'k');
    expect(await outcomeOf(set(fresh, right))).to.equal('pin_replayed');
  });
});
