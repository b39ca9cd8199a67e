import { expect } from 'chai';
import { join, leave, propose, recordCash } from '../../harness/requests.ts';
import { voteOnLatest } from './asking.ts';
import type { Scene } from './scene.ts';
import { at, type Act, type Story } from './story.ts';

const LEAVER = 2;

/** A member leaves or is expelled, and joins again. */
export const leaving: Story = {
  title: 'members who leave or are expelled',
  group: { size: 3, roles: ['president', 'treasurer'] },
  acts: [
    leavingAt('membership.ending.locking', 'membership.ending.locking.acted'),
    leavingAt('membership.ending.done'),
    {
      what: 'a vote to expel a member who has handed over cash since the proposal',
      deaths: [at('membership.ending.unlocking.acted')],
      async before(scene) {
        await proposeExpulsion(scene);
        await scene.complete(recordCash(scene.president, scene.member(LEAVER), 1));
      },
      asked: (scene) => voteOnLatest(scene, 1, 'expulsion'),
      async then(scene) {
        expect(await executionOf(scene)).to.deep.equal({ status: 'failed', error: 'member_has_obligations' });
        expect(await statusOf(scene)).to.equal('active');
      },
    },
    {
      what: 'a vote to expel a member',
      deaths: [at('membership.ending.locking.acted')],
      before: proposeExpulsion,
      asked: (scene) => voteOnLatest(scene, 1, 'expulsion'),
      async then(scene) {
        expect(await executionOf(scene)).to.deep.equal({ status: 'done', error: null });
        await expectGone(scene, 'expelled');
      },
    },
  ],
};

function leavingAt(...steps: string[]): Act {
  return {
    what: 'leaving an association',
    deaths: steps.map((step) => at(step)),
    before: isMember,
    asked: (scene) => leave(scene.member(LEAVER)),
    then: (scene) => expectGone(scene, 'left'),
  };
}

async function proposeExpulsion(scene: Scene): Promise<void> {
  await isMember(scene);
  await scene.complete(propose(scene.president, 'expulsion', { member_id: scene.member(LEAVER).member_id }));
}

/** Lets the member join again if they have left, rejects all pending deposits, and checks that no lock is left. */
async function isMember(scene: Scene): Promise<void> {
  if ((await statusOf(scene)) !== 'active') await scene.complete(join(scene.member(LEAVER)));
  await scene.complete(recordCash(scene.president, scene.member(LEAVER), 2));
  while ((await scene.list('/governance/approvals?status=pending')).length > 0) {
    await scene.complete(await voteOnLatest(scene, 1, 'cash_deposit', 'reject'));
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
