import { expect } from 'chai';
import { startCluster } from '../harness/cluster.ts';
import type { Cluster } from '../harness/cluster.ts';
import { followLocations } from '../harness/coverage.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import type { TestMember } from '../harness/group.ts';
import { pay, scheduled } from './conformance/world.ts';

/** Longer than the treasury takes to start, and the sweepers to ask it again. */
const DECIDED_WITHIN_MS = 40_000;

describe('while the treasury is away', function () {
  this.timeout(180_000);
  let cluster: Cluster;

  before(async () => {
    cluster = await startCluster({ processes: [['gateway', 'membership', 'contribution', 'governance'], ['treasury']] });
  });
  after(() => cluster.stop());

  it('what is asked of money is taken, and decided when the treasury is back', async () => {
    const group = await foundGroup(cluster, { size: 2, funding: 5_000, roles: ['president', 'treasurer'] });
    const [president] = group.members as [TestMember];
    const [paid, settled, cancelled] = await Promise.all(
      ['Paid', 'Settled', 'Cancelled'].map((title) => scheduled(president, group.path, title)),
    );
    const place = (meeting: string | undefined) => `${group.path}/meetings/${meeting ?? ''}`;
    for (const meeting of [settled, cancelled]) await pay(president, group.path, meeting!, 1_000);
    const body = { wallet_id: president.wallet_id, amount: 500, pin: await president.http.sealedPin() };

    await cluster.running('treasury').end('SIGKILL');
    const answers = await Promise.all([
      president.http.post(`${place(paid)}/contribute`, body),
      president.http.post(`${place(settled)}/settle`),
      president.http.post(`${place(cancelled)}/cancel`),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202, 202]);

    await cluster.start(['treasury']);
    const statusAt = async (path: string) => (await president.http.ok(path)).status;
    await eventually(async () => {
      expect(await statusAt(`${place(paid)}/contributions/${answers[0].body.id as string}`)).to.equal('paid');
      expect(await statusAt(place(settled))).to.equal('settled');
      expect(await statusAt(place(cancelled))).to.equal('cancelled');
    }, DECIDED_WITHIN_MS);
    expect(await followLocations()).to.deep.equal([]);
    expect((await president.http.ok(`/wallets/${president.wallet_id}`)).balance).to.equal(3_500);
  });
});
