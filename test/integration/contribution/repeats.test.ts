import { expect } from 'chai';
import { useContribution } from '../../harness/contribution.ts';
import type { Running, World } from '../../harness/contribution.ts';

/** `Idempotency-Key`: a request repeated has its effect once. What becomes of one that died is in crash.test.ts. */
describe('contribution: repeated requests', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  let keys = 0;
  const newKey = () => {
    keys += 1;
    return `key-${String(keys)}`;
  };

  it('pay once and get the same answer again, also for a partial payment', async () => {
    const { president, first } = await world.cycle(service, [1, 1]);
    const key = newKey();
    const pay = () => service.contribute(president, first, 4_000, {}, key);
    const replies = [await pay(), await pay(), await pay()];
    for (const { status, body } of replies) expect([status, body]).to.deep.equal([201, replies[0]!.body]);
    expect(world.wallet(president)).to.equal(996_000);
    expect((await service.contribute(president, first, 4_001, {}, key)).code).to.equal('idempotency_key_reused');
    expect((await service.contribute(president, first, 4_000, {}, newKey())).status).to.equal(201);
    expect(world.wallet(president)).to.equal(992_000);
  });

  it('settle and cancel once, with the same answer again', async () => {
    const { association_id, president, first, pay } = await world.cycle(service, [1, 1]);
    await pay(first);
    const meeting = await service.scheduleMeeting(president, association_id);
    for (const [act, posted] of [
      [(key: string) => service.settle(president, first, {}, key), 1],
      [(key: string) => service.cancel(president, meeting, key), 0],
    ] as const) {
      const key = newKey();
      const before = world.treasury.posted().length;
      const reply = await act(key);
      expect(reply.status).to.equal(200);
      expect((await act(key)).body).to.deep.equal(reply.body);
      expect((await act(newKey())).code).to.equal('meeting_not_open');
      expect(world.treasury.posted()).to.have.length(before + posted);
    }
  });

  it('are told their refusal also when membership cannot free the key, which their repeat then still has', async () => {
    const { president, first } = await world.cycle(service, [1, 1]);
    const key = newKey();
    const pay = () => service.contribute(president, first, 10_001, {}, key);
    world.membership.keysAway = true;
    try {
      expect((await pay()).code).to.equal('contribution_exceeds_due');
    } finally {
      world.membership.keysAway = false;
    }
    expect((await pay()).code).to.equal('contribution_exceeds_due');
    expect(world.membership.keys.filter((done) => done.endsWith(` ${key}`))).to.deep.equal([
      ...[`bind ${key}`, `bind ${key}`, `free ${key}`],
    ]);
  });

  it('go on with a request that died before it stored anything', async () => {
    const { president, first } = await world.cycle(service, [1, 1]);
    const key = newKey();
    const pay = (on: Running) => on.contribute(president, first, 10_000, {}, key);
    await world.dieAt('idempotency.claimed', pay);
    await world.letGoOfKey(key);
    expect((await pay(service)).status).to.equal(201);
    expect(world.wallet(president)).to.equal(990_000);
  });

  it('answer as the first did where that was 202, and free the key where it was refused', async () => {
    const { president, first } = await world.cycle(service, [1, 1]);
    const key = newKey();
    world.treasury.mishaps.push('request_lost');
    const reply = await service.contribute(president, first, 1_000, {}, key);
    expect(reply.status).to.equal(202);
    const again = await service.contribute(president, first, 1_000, {}, key);
    expect([again.status, again.body]).to.deep.equal([202, reply.body]);
    const other = newKey();
    expect((await service.contribute(president, first, 99_000, {}, other)).code).to.equal('contribution_exceeds_due');
    expect((await service.contribute(president, first, 9_000, {}, other)).status).to.equal(201);
  });

  it('have one effect when they come at once', async () => {
    const { president, first } = await world.cycle(service, [1, 1]);
    const key = newKey();
    const pay = () => service.contribute(president, first, 1_000, {}, key);
    for (const { code } of await Promise.all(Array.from({ length: 6 }, pay))) {
      expect(code).to.be.oneOf([undefined, 'idempotency_in_flight']);
    }
    expect(world.wallet(president)).to.equal(999_000);
  });
});
