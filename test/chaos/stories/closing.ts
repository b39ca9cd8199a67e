import { expect } from 'chai';
import { cancelMeeting, propose } from '../../harness/requests.ts';
import { fillTreasury, kitty, voteOnLatest } from './asking.ts';
import type { Scene } from './scene.ts';
import { at, type Act, type Story } from './story.ts';

const FUNDING = 1_000;

/** A board of one person closes the association with their own vote. */
export const closing: Story = {
  title: 'an association that closes',
  group: { size: 1, pins: false },
  afresh: true,
  acts: [
    ['governance.proposal_stored'],
    ['governance.execution.locking', 'governance.execution.locking.acted'],
    ['governance.execution.notifying', 'governance.execution.notified'],
    ['membership.ending.contribution_locked'],
  ].map((steps) => ({
    what: 'closing',
    deaths: steps.map((step) => at(step)),
    asked: (scene) => propose(scene.president, 'closure'),
    then: expectClosed,
  })),
};

async function expectClosed(scene: Scene): Promise<void> {
  const { http } = scene.president;
  const [approval, ...others] = await scene.list('/governance/approvals');
  expect([approval?.status, approval?.execution, others]).to.deep.equal([
    'approved',
    { status: 'done', error: null },
    [],
  ]);
  expect((await http.ok(scene.path)).status).to.equal('closed');
  expect((await http.post(`${scene.path}/meetings`)).body.code).to.equal('association_closed');
}

/** Something came in while the closure was voted on: the association goes on as if it had never been asked. */
export const notClosing: Story = {
  title: 'an association that is not empty when it is to close',
  group: { size: 2, funding: FUNDING, roles: ['president', 'treasurer'] },
  acts: [
    refusedClosing(['membership.ending.unlocking', 'membership.ending.refused'], (scene) => kitty(scene)),
    // Contribution has nothing; the treasury has something.
    refusedClosing(['membership.ending.unlocking.acted'], (scene) => fillTreasury(scene, 0, 10)),
  ],
};

function refusedClosing(steps: string[], comesIn: (scene: Scene) => Promise<unknown>): Act {
  return {
    what: 'closing what is not empty',
    async before(scene) {
      for (const { id } of await scene.list('/meetings?status=open')) {
        await scene.surely(cancelMeeting(scene.president, id as string));
      }
      await scene.surely(propose(scene.president, 'closure'));
      await comesIn(scene);
    },
    deaths: steps.map((step) => at(step)),
    asked: (scene) => voteOnLatest(scene, 1, 'closure'),
    then: expectOpen,
  };
}

async function expectOpen(scene: Scene): Promise<void> {
  const [approval] = await scene.list('/governance/approvals?subject_type=closure');
  expect(approval?.execution).to.deep.equal({ status: 'failed', error: 'association_not_empty' });
  expect((await scene.read('')).status).to.equal('active');
  // Nothing is left locked: each service takes something new again.
  const by = scene.president.http;
  await scene.surely(cancelMeeting(scene.president, await kitty(scene)));
  const { approval: asked } = await scene.surely(propose(scene.president, 'motion', { text: 'We go on.' }));
  const { id } = asked as { id: string };
  await scene.surely({ by, path: `${scene.path}/governance/approvals/${id}/cancel` });
}
