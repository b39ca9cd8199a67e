import { expect } from 'chai';
import { bindIdempotencyKey, freeIdempotencyKey } from '../../../lib/contracts/membership.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { useContribution } from '../../harness/contribution.ts';
import { atOnce, outcomeOf, outcomesOf } from '../../harness/refusal.ts';

const KEY = 'a key';

/** `Idempotency-Key`: a repeated request has its effect once. For processes that die see crash.test.ts. */
describe('contribution: repeated requests', () => {
  const bench = useContribution();
  const { membership, treasury } = bench;

  it('pay once and get the same answer again, also for a partial payment', async () => {
    const { president, first } = await bench.cycle([1, 1]);
    const pay = (amount: number, key: string) => bench.contribute(president, first, amount, {}, key);
    const paid = await pay(4_000, KEY);
    for (let time = 0; time < 2; time += 1) {
      const again = await pay(4_000, KEY);
      expect(again).to.deep.equal(paid);
      expect(bench.headOf(again)).to.deep.equal({ ...bench.headOf(paid), replayed: true });
    }
    expect(bench.wallet(president)).to.equal(996_000);
    expect(await outcomeOf(pay(4_001, KEY))).to.equal('idempotency_key_reused');
    await pay(4_000, 'another');
    expect(bench.wallet(president)).to.equal(992_000);
  });

  it('settle and cancel once, with the same answer again', async () => {
    const cycle = await bench.cycle([1, 1]);
    const { president, first } = cycle;
    await cycle.pay(first);
    const meeting = await bench.scheduleMeeting(cycle);
    for (const [act, transfers] of [
      [(key: string) => bench.settle(president, first, {}, key), 1],
      [(key: string) => bench.cancel(president, meeting, key), 0],
    ] as const) {
      const key = bench.newId();
      const before = treasury.posted().length;
      const answer = await act(key);
      expect(await act(key)).to.deep.equal(answer);
      expect(await outcomeOf(act(bench.newId()))).to.equal('meeting_not_open');
      expect(treasury.posted()).to.have.length(before + transfers);
    }
  });

  it('are refused as the first was when membership could not free their key', async () => {
    const { president, first } = await bench.cycle([1, 1]);
    const key = bench.newId();
    const pay = () => bench.contribute(president, first, 10_001, {}, key);
    membership.next(freeIdempotencyKey, 'away');
    for (const [bound, freed] of [
      [1, 1],
      [2, 2],
    ]) {
      expect(await outcomeOf(pay())).to.equal('contribution_exceeds_due');
      expect(membership.received(bindIdempotencyKey)).to.have.length(bound!);
      expect(membership.received(freeIdempotencyKey)).to.have.length(freed!);
    }
  });

  it('continue a request that died before it stored anything', async () => {
    const { president, first } = await bench.cycle([1, 1]);
    const pay = () => bench.contribute(president, first, 10_000, {}, KEY);
    await bench.dieAt('idempotency.claimed', pay);
    expect((await pay()).status).to.equal('paid');
    expect(bench.wallet(president)).to.equal(990_000);
  });

  it('are answered as the first was where that was 202, and have their key back where it was refused', async () => {
    const { president, first } = await bench.cycle([1, 1]);
    const pay = (amount: number, key: string) => bench.contribute(president, first, amount, {}, key);
    treasury.next(transfer, 'request_lost');
    const answer = await pay(1_000, KEY);
    const again = await pay(1_000, KEY);
    expect(again).to.deep.equal(answer);
    expect(bench.headOf(again).status).to.equal(202);
    expect(await outcomeOf(pay(99_000, 'another'))).to.equal('contribution_exceeds_due');
    expect((await pay(9_000, 'another')).status).to.equal('paid');
  });

  it('have one effect when they come at once', async () => {
    const { president, first } = await bench.cycle([1, 1]);
    const outcomes = await outcomesOf(atOnce(6, () => bench.contribute(president, first, 1_000, {}, KEY)));
    for (const outcome of outcomes) expect(outcome).to.be.oneOf(['done', 'idempotency_in_flight']);
    expect(bench.wallet(president)).to.equal(999_000);
  });
});
