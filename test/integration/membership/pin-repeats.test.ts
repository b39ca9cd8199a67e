import { expect } from 'chai';
import { changeOwnMembership, setPin } from '../../../lib/contracts/membership.ts';
import { checkWallet } from '../../../lib/contracts/treasury.ts';
import { useMembership } from '../../harness/membership.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

const HOUR_MS = 3_600_000;
const RIGHT = '246810';
const WRONG = '135790';

describe('a ciphertext shown again', () => {
  const bench = useMembership();
  let association_id: string;
  let user: string;
  before(async () => {
    ({ id: association_id } = await bench.found('host', { max_members: 200 }));
    await bench.setPin('host', RIGHT);
  });
  beforeEach(async () => {
    user = await bench.newMember(association_id, RIGHT);
  });

  const path = () => ({ path: { association_id } });
  const send = (pin: string, key?: string, as = user) => bench.pay(association_id, as, pin, key);
  const attemptsLeft = async (attempt: Promise<unknown>) => (await refusalOf(attempt)).extras.attempts_left;
  /** A wrong attempt on record, which the one statement for right PINs leaves to the transaction. */
  const stumble = async () => attemptsLeft(send(await bench.seal(WRONG)));

  for (const [path, prepare] of [
    ['in one statement', () => Promise.resolve(5)],
    ['in a transaction', stumble],
  ] as const) {
    describe(`judged ${path}`, () => {
      beforeEach(prepare);

      it('passes for the same user and key', async () => {
        const sealed = await bench.seal(RIGHT);
        await send(sealed, 'k');
        await prepare();
        await send(sealed, 'k');
        await prepare();
        await send(sealed, 'k');
      });

      it('is a replay with another key, with none, and for another user', async () => {
        const sealed = await bench.seal(RIGHT);
        await send(sealed, 'k');
        for (const [key, as] of [
          ['another', user],
          [undefined, user],
          ['k', 'host'],
          ['K', user],
        ] as const) {
          expect(await outcomeOf(send(sealed, key, as)), `${String(key)} of ${as}`).to.equal('pin_replayed');
        }
        await send(sealed, 'k');
      });

      it('is a replay if it was used without a key', async () => {
        const sealed = await bench.seal(RIGHT);
        await send(sealed);
        for (const key of ['k', undefined]) expect(await outcomeOf(send(sealed, key))).to.equal('pin_replayed');
      });

      it('is a replay a day after its first use, however often it was shown since', async () => {
        const sealed = await bench.seal(RIGHT);
        await send(sealed, 'k');
        bench.clock.offset_ms = 23 * HOUR_MS;
        await send(sealed, 'k');
        bench.clock.offset_ms = 25 * HOUR_MS;
        expect(await outcomeOf(send(sealed, 'k'))).to.equal('pin_replayed');
      });
    });
  }

  it('is judged again, and counts again while it is wrong', async () => {
    const sealed = await bench.seal(WRONG);
    for (const left of [4, 3, 2, 1, 0]) expect(await attemptsLeft(send(sealed, 'k'))).to.equal(left);
    expect(await outcomeOf(send(sealed, 'k'))).to.equal('pin_locked');
  });

  it('serves a request that goes on after a fault, and no other request with its key', async () => {
    const pin = await bench.seal(RIGHT);
    const change = (payout_wallet_id: string) =>
      bench.as(user, changeOwnMembership, { ...path(), body: { payout_wallet_id, pin } }, { key: 'k' });
    const own = `wallet-${user}-XAF`;
    bench.treasury.next(checkWallet, 'request_lost');
    expect(await outcomeOf(change(own))).to.equal('internal_error');
    // The claim was released: the ciphertext and the key are good for nothing else.
    expect(await outcomeOf(change('wallet-host-XAF'))).to.equal('pin_replayed');
    expect((await change(own)).payout_wallet_id).to.equal(own);
    expect(bench.headOf(await change(own)).replayed).to.equal(true);
  });

  it('is what a key stands for where a PIN is set: another one under the key sets nothing', async () => {
    const set = (pin: string, current_pin: string) =>
      bench.as(user, setPin, { body: { pin, current_pin } }, { key: 'k' });
    const [fresh, current] = [await bench.seal('9999'), await bench.seal(RIGHT)];
    await set(fresh, current);
    expect(await outcomeOf(set(await bench.seal('8888'), current))).to.equal('idempotency_key_reused');
    expect(await outcomeOf(set(fresh, await bench.seal('9999')))).to.equal('idempotency_key_reused');
    expect(bench.headOf(await set(fresh, current)).replayed).to.equal(true);
    await send(await bench.seal('9999'));
  });

  it('may be shown to set a PIN again with the same key, for both ciphertexts', async () => {
    const set = (pin: string, current_pin: string, key?: string) =>
      bench.as(user, setPin, { body: { pin, current_pin } }, key === undefined ? {} : { key });
    const [fresh, wrong, right] = [await bench.seal('9999'), await bench.seal(WRONG), await bench.seal(RIGHT)];
    expect(await attemptsLeft(set(fresh, wrong, 'k'))).to.equal(4);
    expect(await attemptsLeft(set(fresh, wrong, 'k'))).to.equal(3);
    expect(await outcomeOf(set(fresh, wrong, 'another'))).to.equal('pin_replayed');
    expect(await outcomeOf(set(fresh, fresh, 'k'))).to.equal('pin_replayed');
    await set(fresh, right, 'k');
    // The first answer again, though the current PIN is another by now.
    expect(bench.headOf(await set(fresh, right, 'k')).replayed).to.equal(true);
    expect(await outcomeOf(set(fresh, right))).to.equal('pin_replayed');
    await send(await bench.seal('9999'));
  });
});
