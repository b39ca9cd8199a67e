import { expect } from 'chai';
import { eventually } from '../../harness/eventually.ts';
import { contribute, correct, distribute, type Asked } from '../../harness/requests.ts';
import { appoint, fillTreasury, voteOnLatest } from './asking.ts';
import type { Scene } from './scene.ts';
import { prepareSheets, SHEET_FINES, SHEET_MOVES, sheetsOf, submitNew } from './sheets.ts';
import { at, type Act, type Death, type Moves, type Story } from './story.ts';

const FUNDING = 10_000;
const PAID = 30;
const HELP = 50;

/** What the reversal of a sheet moves. */
const SHEET_RETURNED = Object.fromEntries(
  Object.entries(SHEET_MOVES).map(([account, amount]) => [account, -amount]),
) as Moves;

/** Transfers are reversed once the treasurer has approved it; the third member pays and is helped. */
export const correcting: Story = {
  title: 'corrections of transfers',
  group: {
    size: 3,
    funding: FUNDING,
    roles: ['president', 'treasurer'],
    association: { rules: { fines: [{ code: 'phone', trigger: 'manual', amount: HELP }, ...SHEET_FINES] } },
  },
  set_up: prepareSheets,
  acts: [
    {
      what: 'requesting a correction',
      before: pay,
      deaths: [
        at('treasury.correction.recording'),
        at('treasury.correction.recording.acted'),
        at('treasury.correction.pending_approval'),
      ],
      asked: correctLatest,
      then: (scene) => expectLatest(scene, 'pending_approval'),
    },
    {
      ...reversing(at('treasury.correction.taking_back'), at('treasury.correction.taking_back.acted')),
      before: () => Promise.resolve(),
    },
    reversing(at('treasury.correction.posting'), at('treasury.correction.posting.acted')),
    reversing(at('treasury.correction.finishing'), at('treasury.correction.finishing.acted')),
    reversing(at('contribution.taken_back')),
    reversing(at('contribution.reversal_finished'), at('treasury.correction.done')),
    reversingFine(at('contribution.taken_back')),
    reversingFine(at('treasury.correction.posting.acted'), at('contribution.reversal_finished')),
    reversingSheet(at('contribution.taken_back')),
    reversingSheet(at('treasury.correction.posting.acted'), at('contribution.reversal_finished')),
    {
      what: 'rejecting a correction',
      before: payAndRequest,
      deaths: [at('treasury.correction.rejected')],
      asked: (scene) => voteOnLatest(scene, 1, 'correction', 'reject'),
      then: (scene) => expectLatest(scene, 'rejected'),
    },
    {
      what: 'approving a correction whose money is spent',
      before: spendFine,
      deaths: [
        at('treasury.correction.restoring'),
        at('treasury.correction.restoring.acted'),
        at('treasury.correction.failed'),
      ],
      asked: (scene) => voteOnLatest(scene, 1, 'correction'),
      async then(scene) {
        await expectLatest(scene, 'failed');
        expect((await scene.list('/fines'))[0]).to.deep.include({ status: 'paid', paid: HELP });
      },
    },
    {
      what: 'approving the correction of a distribution',
      async before(scene) {
        await fillTreasury(scene, 0, HELP);
        await scene.complete(correct(scene.president, await helped(scene, 2, 1)));
      },
      deaths: [at('treasury.correction.posting_reserve'), at('treasury.correction.posting_reserve.acted')],
      asked: (scene) => voteOnLatest(scene, 1, 'correction'),
      moves: { wallets: { 2: -HELP }, treasury: HELP, available: HELP },
      then: (scene) => expectLatest(scene, 'done'),
    },
  ],
};

/** An approval after which a contribution is reversed. */
function reversing(...deaths: Death[]): Act {
  return {
    what: 'approving the correction of a contribution',
    before: payAndRequest,
    deaths,
    asked: (scene) => voteOnLatest(scene, 1, 'correction'),
    moves: { wallets: { 2: PAID }, pools: -PAID },
    async then(scene) {
      await expectLatest(scene, 'done');
      const [latest] = await contributions(scene);
      expect(latest?.status).to.equal('reversed');
    },
  };
}

/** An approval after which the payment of a fine is reversed. */
function reversingFine(...deaths: Death[]): Act {
  return {
    what: "approving the correction of a fine's payment",
    before: async (scene) => void (await scene.complete(correct(scene.president, await paidFine(scene)))),
    deaths,
    asked: (scene) => voteOnLatest(scene, 1, 'correction'),
    moves: { wallets: { 2: HELP }, treasury: -HELP, available: -HELP },
    async then(scene) {
      await expectLatest(scene, 'done');
      expect((await scene.list('/fines'))[0]).to.deep.include({ status: 'due', paid: 0, outstanding: HELP });
    },
  };
}

/** An approval after which a meeting sheet is reversed, with its contributions and the payment of a fine. */
function reversingSheet(...deaths: Death[]): Act {
  return {
    what: 'approving the correction of a meeting sheet',
    async before(scene) {
      await submitNew(scene);
      await scene.complete(await voteOnLatest(scene, 1, 'meeting_sheet'));
      // The answer to the vote may be ahead of the sheet.
      const transfer_id = await eventually(async () => {
        const [latest] = await sheetsOf(scene);
        expect(latest?.status).to.equal('confirmed');
        return latest?.transfer_id;
      });
      await scene.complete(correct(scene.president, transfer_id));
    },
    deaths,
    asked: (scene) => voteOnLatest(scene, 1, 'correction'),
    moves: SHEET_RETURNED,
    async then(scene) {
      await expectLatest(scene, 'done');
      expect((await sheetsOf(scene))[0]?.status).to.equal('reversed');
      expect((await contributions(scene)).slice(0, 2).map(({ status }) => status)).to.deep.equal([
        'reversed',
        'reversed',
      ]);
      const fine = (await scene.list('/fines')).find(({ code }) => code === 'chair');
      expect(fine).to.deep.include({ status: 'due', paid: 0 });
    },
  };
}

async function pay(scene: Scene): Promise<void> {
  await scene.complete(contribute(scene.member(2), await collecting(scene), PAID));
}

async function payAndRequest(scene: Scene): Promise<void> {
  await pay(scene);
  await scene.complete(await correctLatest(scene));
}

async function correctLatest(scene: Scene): Promise<Asked> {
  const [latest] = await contributions(scene);
  return correct(scene.president, latest?.transfer_id);
}

async function contributions(scene: Scene) {
  return scene.list(`/meetings/${await collecting(scene)}/contributions`);
}

/** Returns the id of the meeting that is open. */
async function collecting(scene: Scene): Promise<string> {
  const [open] = await scene.list('/meetings?status=open');
  return open?.id as string;
}

/** Helps a member from the treasury. @returns the transfer that paid them */
async function helped(scene: Scene, to: number, approver: number): Promise<unknown> {
  await scene.complete(distribute(scene.president, scene.member(to), HELP));
  await scene.complete(await voteOnLatest(scene, approver, 'distribution'));
  const [paid] = await scene.list('/distributions?status=paid');
  return (paid?.payouts as { transfer_id: string }[])[0]?.transfer_id;
}

/** Has the third member pay a new fine. @returns the transfer */
async function paidFine(scene: Scene): Promise<unknown> {
  const { member_id, wallet_id, http } = scene.member(2);
  const body = { member_id, code: 'phone', reason: 'It rang' };
  const fine = await scene.complete({ by: scene.president.http, path: `${scene.path}/fines`, body });
  const payment = { wallet_id, amount: HELP };
  const path = `${scene.path}/fines/${fine.id as string}/pay`;
  await scene.complete({ by: http, path, body: payment, pin: true });
  // An answer of 202 does not name the transfer.
  const paid = (await scene.list('/ledger')).find(({ kind }) => kind === 'fine_payment');
  return paid?.id;
}

/** Has the third member pay a fine, spends it, and requests the correction of its payment. */
async function spendFine(scene: Scene): Promise<void> {
  const transfer_id = await paidFine(scene);
  await helped(scene, 2, 1);
  await scene.complete(correct(scene.president, transfer_id));
}

/** Checks the latest correction, and that no other one is pending. */
async function expectLatest(scene: Scene, status: string): Promise<void> {
  const [latest, ...others] = await scene.list('/corrections');
  expect(latest?.status).to.equal(status);
  expect(others.map((each) => each.status)).to.not.include('pending_approval');
}

/** The only eligible approver loses their role while the treasury is down. */
export const noCorrection: Story = {
  title: 'a correction without an eligible approver',
  group: { size: 3, funding: FUNDING, roles: ['president', 'treasurer', 'secretary'] },
  acts: [
    {
      what: 'the correction of a distribution to the secretary',
      async before(scene) {
        await fillTreasury(scene, 0, HELP);
        await helped(scene, 2, 1);
      },
      deaths: [at('treasury.correction.recording'), at('treasury.correction.refused')],
      async asked(scene) {
        const [paid] = await scene.list('/distributions');
        return correct(scene.president, (paid?.payouts as { transfer_id: string }[])[0]?.transfer_id);
      },
      during_outage: (scene) => appoint(scene, 1, 'member', 2),
      refused: 'no_eligible_approver',
      then: async (scene) => expect(await scene.list('/corrections')).to.deep.equal([]),
    },
  ],
};
