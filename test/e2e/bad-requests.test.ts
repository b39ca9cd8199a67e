import { expect } from 'chai';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import { everythingStored, untilQuiet } from '../harness/stored.ts';
import { associations } from './bad-requests/associations.ts';
import { metadata } from './bad-requests/metadata.ts';
import { meetings } from './bad-requests/meetings.ts';
import { pinsAndWallets } from './bad-requests/pins-and-wallets.ts';
import { treasuryAndGovernance } from './bad-requests/treasury-and-governance.ts';
import { webhooksAndNotifications } from './bad-requests/webhooks-and-notifications.ts';
import { makeWorld, type BadRequest, type World } from './bad-requests/world.ts';

describe('bad requests', function () {
  this.timeout(120_000);
  let cluster: Deployment;
  let w: World;

  before(async () => {
    cluster = await sharedCluster();
    w = await makeWorld(cluster);
  });

  it('are refused with the expected status and code, and the wrong fields named, and write nothing', async () => {
    const cases = [
      ...(await associations(w)),
      ...(await pinsAndWallets(w)),
      ...(await meetings(w)),
      ...metadata(w),
      ...(await treasuryAndGovernance(w)),
      ...webhooksAndNotifications(w),
    ];
    expect(cases.length).to.be.at.least(200);
    const before = await untilQuiet(cluster);
    const wrong: string[] = [];
    for (const bad of cases) {
      const complaint = await complaintAbout(w, bad);
      if (complaint !== undefined) wrong.push(`${bad.rule} (${bad.send}): ${complaint}`);
    }
    expect(wrong, wrong.join('\n')).to.deep.equal([]);
    expect(await everythingStored(cluster)).to.deep.equal(before);
  });
});

/** Returns what is wrong with the answer to a bad request; undefined if the answer is as expected. */
async function complaintAbout(w: World, bad: BadRequest): Promise<string | undefined> {
  const [method = '', path = ''] = bad.send.split(' ');
  const answer = await w[bad.as].send(method, path, bad.body, bad.headers);
  const { body } = answer;
  if (answer.status !== bad.status || body.code !== bad.code) return `${String(answer.status)} ${answer.text}`;
  if (answer.headers.get('content-type') !== 'application/problem+json') return 'not problem+json';
  for (const member of ['type', 'title', 'status', 'detail', 'instance', 'request_id']) {
    if (body[member] === undefined) return `no ${member}`;
  }
  const named = ((body.errors ?? []) as { pointer: string }[]).map((error) => error.pointer);
  const missing = (bad.pointers ?? []).filter((pointer) => !named.includes(pointer));
  return missing.length === 0 ? undefined : `does not name ${missing.join(', ')} but ${named.join(', ')}`;
}
