import { expect } from 'chai';
import { contribute, settle, startCycle } from '../../harness/requests.ts';
import { LONG_AGO } from './asking.ts';
import type { Scene } from './scene.ts';
import { at, type Act, type Story } from './story.ts';

const FUNDING = 10_000;
const DUE = 1_000;
const ARREARS_PAID = 200;

/** The second of two members misses the first round; their arrears are partly paid and partly set off. */
export const arrears: Story = {
  title: 'a tontine with arrears',
  group: { size: 2, funding: FUNDING, association: { rules: { shortfall: 'pay_collected' } } },
  acts: [
    {
      what: 'starting the cycle',
      deaths: [at('contribution.cycle.starting.acted')],
      asked: (scene) => startCycle(scene.president, { starts_on: LONG_AGO, order: 'join' }),
      then: async (scene) => expect(await scene.list('/cycles')).to.have.length(1),
    },
    {
      what: 'paying arrears',
      before: settleShort,
      deaths: [at('contribution.contribution.pending.acted')],
      asked: async (scene) => contribute(scene.member(1), await scene.meeting(1), ARREARS_PAID),
      moves: { wallets: { 0: ARREARS_PAID, 1: -ARREARS_PAID } },
      then: (scene) => expectArrears(scene, DUE - ARREARS_PAID),
    },
    {
      what: 'setting arrears off against a payout',
      async before(scene) {
        for (const index of [0, 1]) await scene.complete(contribute(scene.member(index), await scene.meeting(2), DUE));
      },
      deaths: [at('contribution.settlement.planned.acted')],
      asked: async (scene) => settle(scene.president, await scene.meeting(2)),
      moves: { wallets: { 0: DUE - ARREARS_PAID, 1: DUE + ARREARS_PAID }, pools: -2 * DUE },
      then: (scene) => expectArrears(scene, 0),
    },
  ],
  async end(scene) {
    expect((await scene.money()).wallets).to.deep.equal([FUNDING, FUNDING]);
  },
};

async function settleShort(scene: Scene): Promise<void> {
  const meeting_id = await scene.meeting(1);
  await scene.complete(contribute(scene.member(0), meeting_id, DUE));
  await scene.complete(settle(scene.president, meeting_id));
}

/** Checks the arrears of the second member for the first round. */
async function expectArrears(scene: Scene, left: number): Promise<void> {
  const dues = await scene.list(`/meetings/${await scene.meeting(1)}/dues`);
  expect(dues.find(({ member_id }) => scene.indexOf(member_id) === 1)?.arrears).to.equal(left);
}

/** The savings of the two members after both rounds. */
const SAVED = [2 * DUE, 300] as const;

/** A savings cycle of two rounds: the first goes to the treasury, the last pays all members their savings. */
export const savings: Story = {
  title: 'a savings group',
  group: { size: 2, funding: FUNDING, association: { type: 'savings' } },
  acts: [
    {
      what: 'starting the cycle',
      deaths: [at('contribution.cycle.starting')],
      asked: (scene) => startCycle(scene.president, { starts_on: LONG_AGO, rounds: 2 }),
      then: async (scene) => expect(await scene.list('/meetings')).to.have.length(2),
    },
    {
      what: 'paying the savings back',
      async before(scene) {
        const first = await scene.meeting(1);
        const last = await scene.meeting(2);
        await scene.complete(contribute(scene.member(0), first, DUE));
        await scene.complete(contribute(scene.member(1), first, SAVED[1]));
        await scene.complete(settle(scene.president, first));
        await scene.complete(contribute(scene.member(0), last, DUE));
      },
      deaths: [at('treasury.ledger.committed')],
      asked: async (scene) => settle(scene.president, await scene.meeting(2)),
      moves: { wallets: { 0: SAVED[0], 1: SAVED[1] }, treasury: -DUE - SAVED[1], pools: -DUE },
      then: async (scene) => expect((await scene.list('/cycles'))[0]?.status).to.equal('completed'),
    },
  ],
  async end(scene) {
    expect((await scene.money()).wallets).to.deep.equal([FUNDING, FUNDING]);
  },
};

/** A cycle with one hand is refused and releases its members. */
export const tooFew: Story = {
  title: 'a tontine with too few hands',
  group: { size: 1, pins: false },
  acts: [
    refusedStart('contribution.cycle.refusing', 'contribution.cycle.refusing.acted'),
    refusedStart('contribution.cycle.refused'),
  ],
  async end(scene) {
    const { http } = scene.president;
    await scene.complete({ by: http, method: 'PATCH', path: `${scene.path}/members/me`, body: { hands: 2 } });
    await scene.complete(startCycle(scene.president, { starts_on: LONG_AGO, order: 'join' }));
    expect(await scene.list('/cycles')).to.have.length(1);
  },
};

function refusedStart(...steps: string[]): Act {
  return {
    what: 'starting a cycle with too few hands',
    deaths: steps.map((step) => at(step)),
    asked: (scene) => startCycle(scene.president, { starts_on: LONG_AGO, order: 'join' }),
    refused: 'not_enough_members',
    then: async (scene) => expect(await scene.list('/cycles')).to.deep.equal([]),
  };
}
