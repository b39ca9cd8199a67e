import { expect } from 'chai';
import { contribute, settle, startCycle } from '../../harness/requests.ts';
import { LONG_AGO } from './asking.ts';
import type { Scene } from './scene.ts';
import { at, claimedBy, type Act, type Death, type Moves, type Story } from './story.ts';

const FUNDING = 20_000;
const DEPOSIT = 50;
/** The due of each of the two members in a round. */
const DUE = 1_000;

/** A whole cycle of a tontine with a drawn order. Both members receive what they paid. */
export const rotation: Story = {
  title: 'a tontine that draws its order',
  group: { size: 2, funding: FUNDING },
  acts: [
    deposit(at('treasury.funding.planned'), 'a'),
    deposit(at('treasury.funding.posted'), 'b'),
    { ...deposit(claimedBy('treasury'), 'c'), needs_repeat: true },
    {
      what: 'starting the cycle',
      deaths: [at('contribution.cycle.running')],
      asked: (scene) => startCycle(scene.president, { starts_on: LONG_AGO, order: 'draw' }),
      async then(scene) {
        const [cycle, ...others] = await scene.list('/cycles');
        expect(others).to.deep.equal([]);
        expect(cycle?.hands).to.have.length(2);
      },
    },
    payment(0, DUE / 2, at('contribution.contribution.pending'), at('contribution.contribution.pending.acted')),
    payment(0, DUE / 4, at('contribution.contribution.paid')),
    { ...payment(0, DUE / 4, claimedBy('contribution')), needs_repeat: true },
    payment(1, DUE / 4, at('treasury.ledger.decided')),
    settlingTooEarly(at('contribution.meeting_closed')),
    payment(1, (DUE / 4) * 3, at('treasury.ledger.committed')),
    settlement(1, at('contribution.settlement.planned'), at('contribution.settlement.planned.acted')),
    { ...settlement(2, at('contribution.settlement.settled')), before: (scene) => payRound(scene, 2) },
  ],
  async end(scene) {
    expect((await scene.money()).wallets).to.deep.equal([FUNDING + 3 * DEPOSIT, FUNDING]);
    expect((await scene.list('/cycles'))[0]?.status).to.equal('completed');
  },
};

function deposit(death: Death, reference: string): Act {
  return {
    what: 'a deposit into a wallet',
    deaths: [death],
    asked: ({ bank, president: { wallet_id } }) => ({
      by: bank,
      path: `/wallets/${wallet_id}/deposits`,
      body: { amount: DEPOSIT, reference },
    }),
    // Only the reference is stored first. Recovery does not post the deposit; a repeat does.
    needs_repeat: death.step.endsWith('planned'),
    moves: { wallets: { 0: DEPOSIT } },
  };
}

function payment(index: number, amount: number, ...deaths: Death[]): Act {
  return {
    what: 'contributing',
    deaths,
    asked: async (scene) => contribute(scene.member(index), await scene.meeting(1), amount),
    moves: { wallets: { [index]: -amount }, pools: amount },
  };
}

/** The meeting is closed for settlement, refused, and reopened. */
function settlingTooEarly(death: Death): Act {
  return {
    what: 'settling a round that is not paid in full',
    deaths: [death],
    asked: async (scene) => settle(scene.president, await scene.meeting(1)),
    refused: 'meeting_underfunded',
    then: async (scene) => expect((await scene.read(`/meetings/${await scene.meeting(1)}`)).status).to.equal('open'),
  };
}

function settlement(round: number, ...deaths: Death[]): Act {
  return {
    what: 'settling a round',
    deaths,
    asked: async (scene) => settle(scene.president, await scene.meeting(round)),
    moves: (scene) => paidOut(scene, round),
    async then(scene) {
      const settled = await scene.read(`/meetings/${await scene.meeting(round)}/settlement`);
      expect([settled.status, settled.collected_amount]).to.deep.equal(['settled', 2 * DUE]);
    },
  };
}

async function payRound(scene: Scene, round: number): Promise<void> {
  for (const index of [0, 1]) await scene.complete(contribute(scene.member(index), await scene.meeting(round), DUE));
}

async function paidOut(scene: Scene, round: number): Promise<Moves> {
  const { beneficiaries } = await scene.read(`/meetings/${await scene.meeting(round)}`);
  const [beneficiary] = beneficiaries as { member_id: string }[];
  return { wallets: { [scene.indexOf(beneficiary?.member_id)]: 2 * DUE }, pools: -2 * DUE };
}
