import { expect } from 'chai';
import { cancelMeeting, contribute, distribute } from '../../harness/requests.ts';
import { fillTreasury, kitty, voteOnLatest } from './asking.ts';
import type { Scene } from './scene.ts';
import { at, type Act, type Death, type Story } from './story.ts';

const FUNDING = 10_000;
const BY_WALLET = 150;
const HELP = 50;
const GIVEN_BACK = { reserved: -HELP, treasury: HELP, available: HELP };

/** A wallet holds at most 2^53 - 1 minor units; an amount has at most fifteen digits. */
const WALLET_MAX = Number.MAX_SAFE_INTEGER;
const DEPOSIT_MAX = 999_999_999_999_999;

/** Distributions from the treasury are paid, rejected by the board, or refused by the ledger. */
export const help: Story = {
  title: 'distributions from the treasury',
  group: { size: 2, funding: FUNDING, roles: ['president', 'treasurer'] },
  set_up: (scene) => fillTreasury(scene, 1, BY_WALLET),
  acts: [
    request(at('treasury.distribution.reserving')),
    payment([at('treasury.distribution.paying')], { wallets: { 0: HELP } }),
    request(at('treasury.distribution.reserving.acted')),
    payment([at('treasury.distribution.paying.acted'), at('treasury.distribution.paid')], { wallets: { 0: HELP } }),
    request(at('treasury.distribution.requesting.acted'), at('treasury.distribution.pending_approval')),
    {
      ...payment(
        [
          at('treasury.distribution.releasing'),
          at('treasury.distribution.releasing.acted'),
          at('treasury.distribution.rejected'),
        ],
        GIVEN_BACK,
      ),
      what: 'rejecting a distribution',
      asked: (scene) => voteOnLatest(scene, 1, 'distribution', 'reject'),
      then: (scene) => expectLatest(scene, 'rejected'),
    },
    {
      ...payment(
        [
          at('treasury.distribution.failing'),
          at('treasury.distribution.failing.acted'),
          at('treasury.distribution.failed'),
        ],
        GIVEN_BACK,
      ),
      what: 'approving a distribution to a full wallet',
      async before(scene) {
        await scene.complete(distribute(scene.president, scene.member(0), HELP));
        await fillWallet(scene);
      },
      then: (scene) => expectLatest(scene, 'failed'),
    },
    {
      what: 'cancelling a meeting whose payer has a full wallet',
      async before(scene) {
        await scene.complete(contribute(scene.president, await kitty(scene), HELP));
        await fillWallet(scene);
      },
      deaths: [at('contribution.settlement.planned.acted'), at('contribution.settlement.refused')],
      asked: async (scene) => cancelMeeting(scene.president, await scene.meeting()),
      refused: 'balance_limit_exceeded',
      then: async (scene) => expect((await scene.read(`/meetings/${await scene.meeting()}`)).status).to.equal('open'),
    },
  ],
};

function request(...deaths: Death[]): Act {
  return {
    what: 'requesting a distribution',
    deaths,
    asked: (scene) => distribute(scene.president, scene.member(0), HELP),
    moves: { treasury: -HELP, available: -HELP, reserved: HELP },
    then: (scene) => expectLatest(scene, 'pending_approval'),
  };
}

function payment(deaths: Death[], moves: Exclude<Act['moves'], undefined>): Act {
  return {
    what: 'approving a distribution',
    deaths,
    asked: (scene) => voteOnLatest(scene, 1, 'distribution'),
    moves: { reserved: -HELP, ...moves },
    then: (scene) => expectLatest(scene, 'paid'),
  };
}

async function fillWallet(scene: Scene): Promise<void> {
  const { http, wallet_id } = scene.president;
  const { balance } = await http.ok(`/wallets/${wallet_id}`);
  for (let room = WALLET_MAX - (balance as number); room > 0; room -= DEPOSIT_MAX) {
    const body = { amount: Math.min(room, DEPOSIT_MAX), reference: `room for ${String(room)}` };
    await scene.complete({ by: scene.bank, path: `/wallets/${wallet_id}/deposits`, body });
  }
}

async function expectLatest(scene: Scene, status: string): Promise<void> {
  const [latest, ...others] = await scene.list('/distributions');
  expect(latest?.status).to.equal(status);
  expect(others.map((each) => each.status)).to.not.include('pending_approval');
}
