import { expect } from 'chai';
import { join, leave, propose, recordCash } from '../../harness/requests.ts';
import { voteOnLatest } from './asking.ts';
import type { Scene } from './scene.ts';
import { at } from './story.ts';
import type { Act, Story } from './story.ts';

const STEPS_OF_DONE = ['membership.ending.locking', 'membership.ending.locking.acted', 'membership.ending.done'];
const LEAVER = 2;

/** Those who leave are gone once, and may come back. */
export const leaving: Story = {
  title: 'members who leave or are expelled',
  group: { size: 3, roles: ['president', 'treasurer'] },
  acts: [
    ...STEPS_OF_DONE.map((step): Act => ({
      what: 'leaving',
      deaths: [at(step)],
      before: isMember,
      asked: (scene) => leave(scene.member(LEAVER)),
      then: (scene) => expectGone(scene, 'left'),
    })),
    ...['membership.ending.unlocking', 'membership.ending.unlocking.acted', 'membership.ending.refused'].map(
      (step): Act => ({
        what: 'expelling who has handed over cash since it was proposed',
        deaths: [at('membership.ending.locking.acted'), at(step)],
        async before(scene) {
          await isMember(scene);
          await scene.surely(propose(scene.president, 'expulsion', { member_id: scene.member(LEAVER).member_id }));
          await scene.surely(recordCash(scene.president, scene.member(LEAVER), 1));
        },
        asked: (scene) => voteOnLatest(scene, 1, 'expulsion'),
        async then(scene) {
          expect(await executionOf(scene)).to.deep.equal({ status: 'failed', error: 'member_has_obligations' });
          expect(await statusOf(scene)).to.equal('active');
        },
      }),
    ),
    {
      what: 'expelling',
      deaths: STEPS_OF_DONE.slice(1).map((step) => at(step)),
      async before(scene) {
        await isMember(scene);
        await scene.surely(propose(scene.president, 'expulsion', { member_id: scene.member(LEAVER).member_id }));
      },
      asked: (scene) => voteOnLatest(scene, 1, 'expulsion'),
      async then(scene) {
        expect(await executionOf(scene)).to.deep.equal({ status: 'done', error: null });
        await expectGone(scene, 'expelled');
      },
    },
  ],
};

/** They join again if they have left, and nothing is open for them, as a second deposit shows that nothing is locked. */
async function isMember(scene: Scene): Promise<void> {
  if ((await statusOf(scene)) !== 'active') await scene.surely(join(scene.member(LEAVER)));
  await scene.surely(recordCash(scene.president, scene.member(LEAVER), 2));
  while ((await scene.list('/governance/approvals?status=pending')).length > 0) {
    await scene.surely(await voteOnLatest(scene, 1, 'cash_deposit', 'reject'));
  }
}

async function statusOf(scene: Scene): Promise<unknown> {
  return (await scene.list('/members'))[LEAVER]?.status;
}

async function expectGone(scene: Scene, status: string): Promise<void> {
  const members = await scene.list('/members');
  expect(members.map((member) => member.status).toSorted()).to.deep.equal(['active', 'active', status].toSorted());
  expect((await scene.read('')).member_count).to.equal(2);
}

async function executionOf(scene: Scene): Promise<unknown> {
  const [approval] = await scene.list('/governance/approvals?subject_type=expulsion');
  return approval?.execution;
}
