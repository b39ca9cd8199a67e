import { expect } from 'chai';
import { cancelMeeting, propose } from '../../harness/requests.ts';
import { fillTreasury, kitty, voteOnLatest } from './asking.ts';
import type { Scene } from './scene.ts';
import { at, type Act, type Story } from './story.ts';

const FUNDING = 1_000;

/** The only board member closes the association by their proposal. */
export const closing: Story = {
  title: 'the closure of an association',
  group: { size: 1, pins: false },
  separate_groups: true,
  acts: [
    ['governance.proposal_stored'],
    ['governance.execution.locking', 'governance.execution.locking.acted'],
    ['governance.execution.notifying', 'governance.execution.notified'],
    ['membership.ending.contribution_locked'],
  ].map((steps) => ({
    what: 'closing an association',
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

/** Money arrives or a meeting opens before the vote on the closure, so the closure fails and changes nothing. */
export const notClosing: Story = {
  title: 'the closure of an association that is not empty',
  group: { size: 2, funding: FUNDING, roles: ['president', 'treasurer'] },
  acts: [
    refusedClosing(['membership.ending.unlocking', 'membership.ending.refused'], (scene) => kitty(scene)),
    // Contribution is empty; the treasury is not.
    refusedClosing(['membership.ending.unlocking.acted'], (scene) => fillTreasury(scene, 0, 10)),
  ],
};

function refusedClosing(steps: string[], fill: (scene: Scene) => Promise<unknown>): Act {
  return {
    what: 'a vote to close an association that is not empty',
    async before(scene) {
      for (const { id } of await scene.list('/meetings?status=open')) {
        await scene.complete(cancelMeeting(scene.president, id as string));
      }
      await scene.complete(propose(scene.president, 'closure'));
      await fill(scene);
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
  // No lock is left: each service accepts new requests again.
  const by = scene.president.http;
  await scene.complete(cancelMeeting(scene.president, await kitty(scene)));
  const { approval: asked } = await scene.complete(propose(scene.president, 'motion', { text: 'We go on.' }));
  const { id } = asked as { id: string };
  await scene.complete({ by, path: `${scene.path}/governance/approvals/${id}/cancel` });
}
