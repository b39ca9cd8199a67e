import { expect } from 'chai';
import { eventually } from '../../harness/eventually.ts';
import { cancelMeeting, contribute, distribute, recordCash } from '../../harness/requests.ts';
import { appoint, fillTreasury, kitty, voteOnLatest } from './asking.ts';
import type { Scene } from './scene.ts';
import { at, claimedBy, type Act, type Death, type Moves, type Story } from './story.ts';

const FUNDING = 10_000;
const CASH = 100;
const BY_WALLET = 30;

/** Cash for meetings is recorded, confirmed or rejected by the treasurer, and returned when a meeting is cancelled. */
export const cashAndCancelling: Story = {
  title: 'meetings with cash',
  group: { size: 2, funding: FUNDING, roles: ['president', 'treasurer'] },
  set_up: async (scene) => void (await kitty(scene)),
  acts: [
    overdrawing(at('contribution.contribution.pending.acted'), at('contribution.contribution.failed')),
    overdrawing(at('contribution.contribution.refused')),
    recording(at('treasury.cash_deposit.taking'), at('treasury.cash_deposit.recording')),
    confirming(at('treasury.cash_deposit.confirming'), at('treasury.cash_deposit.crediting')),
    recording(at('contribution.cash_taken')),
    confirming(at('treasury.cash_deposit.confirming.acted')),
    recording(at('governance.approval_stored')),
    confirming(at('treasury.cash_deposit.crediting.acted'), at('treasury.cash_deposit.confirmed')),
    recording(at('treasury.cash_deposit.recording.acted'), at('treasury.cash_deposit.pending_approval')),
    confirming(at('contribution.cash_decided')),
    { ...confirming(at('governance.execution.notifying.acted')), before: record },
    { ...confirming(claimedBy('governance')), before: record, needs_repeat: true },
    { ...rejecting(at('treasury.cash_deposit.dropping'), at('treasury.cash_deposit.dropping.acted')), before: record },
    { ...rejecting(at('treasury.cash_deposit.rejected')), before: record },
    // The meeting holds the six confirmed deposits of the acts before.
    { ...cancelling(at('contribution.settlement.planned.acted'), 6 * CASH), before: pay },
    { ...cancelling(at('contribution.meeting_closed'), CASH), before: another, needs_repeat: true },
  ],
  async end(scene) {
    expect((await scene.money()).wallets).to.deep.equal([FUNDING, FUNDING]);
    expect(await scene.money()).to.include({ cash: 0, pools: 0, treasury: 0 });
  },
};

function overdrawing(...deaths: Death[]): Act {
  return {
    what: 'contributing more than the wallet holds',
    deaths,
    asked: async (scene) => contribute(scene.member(1), await scene.meeting(), FUNDING + 1),
    refused: 'insufficient_funds',
    then: async (scene) =>
      expect((await scene.read(`/meetings/${await scene.meeting()}`)).collected_amount).to.equal(0),
  };
}

function recording(...deaths: Death[]): Act {
  return {
    what: 'recording cash for a meeting',
    deaths,
    asked: async (scene) => recordCash(scene.president, scene.member(0), CASH, await scene.meeting()),
    then: (scene) => expectLatest(scene, 'pending'),
  };
}

function confirming(...deaths: Death[]): Act {
  return {
    what: 'confirming cash for a meeting',
    deaths,
    asked: (scene) => voteOnLatest(scene, 1, 'cash_deposit'),
    moves: { cash: CASH, pools: CASH, pools_cash: CASH },
    then: (scene) => expectLatest(scene, 'paid'),
  };
}

function rejecting(...deaths: Death[]): Act {
  return {
    what: 'rejecting cash for a meeting',
    deaths,
    asked: (scene) => voteOnLatest(scene, 1, 'cash_deposit', 'reject'),
    then: (scene) => expectLatest(scene, 'failed'),
  };
}

/** Cancels a meeting, which refunds both the e-money and the cash. */
function cancelling(death: Death, cash: number): Act {
  const moves: Moves = {
    wallets: { 1: BY_WALLET },
    cash: -cash,
    pools: -BY_WALLET - cash,
    pools_cash: -cash,
  };
  return {
    what: 'cancelling a meeting',
    deaths: [death],
    asked: async (scene) => cancelMeeting(scene.president, await scene.meeting()),
    moves,
    async then(scene) {
      const { status, collected_amount } = await scene.read(`/meetings/${await scene.meeting()}`);
      expect([status, collected_amount]).to.deep.equal(['cancelled', 0]);
    },
  };
}

async function record(scene: Scene): Promise<void> {
  await scene.complete(recordCash(scene.president, scene.member(0), CASH, await scene.meeting()));
}

async function pay(scene: Scene): Promise<void> {
  await scene.complete(contribute(scene.member(1), await scene.meeting(), BY_WALLET));
}

/** Opens a meeting with a cash deposit and a payment from a wallet. */
async function another(scene: Scene): Promise<void> {
  await kitty(scene);
  await record(scene);
  await scene.complete(await voteOnLatest(scene, 1, 'cash_deposit'));
  await pay(scene);
  // The vote may be answered before the cash is in the meeting, which cannot be cancelled until then.
  await eventually(async () => {
    const { collected_amount } = await scene.read(`/meetings/${await scene.meeting()}`);
    expect(collected_amount).to.equal(BY_WALLET + CASH);
  });
}

/** Checks the latest contribution, and that no other contribution is pending. */
async function expectLatest(scene: Scene, status: string): Promise<void> {
  const [latest, ...others] = await scene.list(`/meetings/${await scene.meeting()}/contributions?limit=200`);
  expect([latest?.status, latest?.method]).to.deep.equal([status, 'cash']);
  expect(others.map((each) => each.status)).to.not.include('pending');
}

/** The only eligible approver loses their role while the treasury is down, so the request is refused. */
export const noApproverLeft: Story = {
  title: 'a request without an eligible approver',
  group: { size: 3, funding: FUNDING, roles: ['president', 'treasurer', 'secretary'] },
  acts: [
    {
      what: 'recording cash of the secretary',
      before: async (scene) => void (await kitty(scene)),
      deaths: [
        at('treasury.cash_deposit.taking.acted'),
        at('treasury.cash_deposit.withdrawing'),
        at('treasury.cash_deposit.withdrawing.acted'),
        at('treasury.cash_deposit.refused'),
      ],
      asked: async (scene) => recordCash(scene.president, scene.member(2), CASH, await scene.meeting()),
      during_outage: (scene) => appoint(scene, 1, 'member', 2),
      refused: 'no_eligible_approver',
      async then(scene) {
        const contributions = await scene.list(`/meetings/${await scene.meeting()}/contributions`);
        expect(contributions.map(({ status }) => status)).to.not.include.members(['pending', 'paid']);
        expect(await scene.list('/governance/approvals?status=pending')).to.deep.equal([]);
      },
    },
    {
      what: 'a distribution to the secretary',
      async before(scene) {
        await appoint(scene, 1, 'treasurer', 2);
        await fillTreasury(scene, 0, CASH);
      },
      deaths: [
        at('treasury.distribution.requesting'),
        at('treasury.distribution.withdrawing'),
        at('treasury.distribution.withdrawing.acted'),
        at('treasury.distribution.refused'),
      ],
      asked: (scene) => distribute(scene.president, scene.member(2), CASH),
      during_outage: (scene) => appoint(scene, 1, 'member', 2),
      refused: 'no_eligible_approver',
      then: async (scene) => expect(await scene.list('/distributions')).to.deep.equal([]),
    },
  ],
};
