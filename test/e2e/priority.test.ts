import { getPriority } from 'node:os';
import { expect } from 'chai';
import { startCluster, type Cluster } from '../harness/cluster.ts';

describe('the priority of processes', function () {
  this.timeout(120_000);
  let cluster: Cluster;

  before(async () => {
    cluster = await startCluster({
      processes: [['gateway', 'membership'], ['contribution', 'governance'], ['treasury']],
    });
  });
  after(() => cluster.stop());

  it('is lower without the gateway, which refuses what exceeds the capacity', () => {
    const own = getPriority();
    for (const { services, pid } of cluster.members()) {
      const isGateway = services.includes('gateway');
      expect(getPriority(pid) > own, services.join()).to.equal(!isGateway);
    }
  });
});
