import { expect } from 'chai';
import type { Json } from '../../harness/http.ts';
import { payFine, propose, type Asked } from '../../harness/requests.ts';
import { voteOnLatest } from './asking.ts';
import type { Scene } from './scene.ts';
import { at, claimedBy, type Act, type Death, type Story } from './story.ts';

const FUNDING = 10_000;
const FINE = 2 * FUNDING;
const PART = 30;

/** Fines are assessed by the president, and paid in parts by the second member until the treasurer waives the rest. */
export const fines: Story = {
  title: 'fines',
  group: {
    size: 3,
    funding: FUNDING,
    roles: ['president', 'treasurer'],
    association: { rules: { fines: [{ code: 'phone', trigger: 'manual', amount: FINE }] } },
  },
  acts: [
    {
      what: 'assessing a fine',
      deaths: [claimedBy('contribution')],
      asked: assess,
      needs_repeat: true,
      then: (scene) => expectFine(scene, 0),
    },
    overdrawing(at('contribution.fine_payment.pending.acted'), at('contribution.fine_payment.failed')),
    overdrawing(at('contribution.fine_payment.refused')),
    payment(1, at('contribution.fine_payment.pending'), at('contribution.fine_payment.pending.acted')),
    payment(2, at('contribution.fine_payment.paid')),
    payment(3, at('treasury.ledger.committed')),
    {
      what: 'approving that a fine is waived',
      async before(scene) {
        const [fine] = await scene.list('/fines');
        await scene.complete(propose(scene.president, 'fine_waiver', { fine_id: fine?.id }));
      },
      deaths: [at('governance.execution.notifying.acted')],
      asked: (scene) => voteOnLatest(scene, 1, 'fine_waiver'),
      then: (scene) => expectFine(scene, 3 * PART, 'waived'),
    },
  ],
};

function assess(scene: Scene): Asked {
  const body = { member_id: scene.member(2).member_id, code: 'phone', reason: 'It rang' };
  return { by: scene.president.http, path: `${scene.path}/fines`, body };
}

function overdrawing(...deaths: Death[]): Act {
  return {
    what: 'paying a fine with more than the wallet holds',
    deaths,
    asked: (scene) => pay(scene, FUNDING + 1),
    refused: 'insufficient_funds',
    then: (scene) => expectFine(scene, 0),
  };
}

/** The n-th payment of a part. */
function payment(n: number, ...deaths: Death[]): Act {
  return {
    what: 'paying a part of a fine',
    deaths,
    asked: (scene) => pay(scene, PART),
    moves: { wallets: { 2: -PART }, treasury: PART, available: PART },
    then: (scene) => expectFine(scene, n * PART),
  };
}

async function pay(scene: Scene, amount: number): Promise<Asked> {
  const [fine] = await scene.list('/fines');
  return payFine(scene.member(2), `${scene.path}/fines/${fine?.id as string}`, amount);
}

/** Checks the only fine. It could not be waived while a payment of it is in flight. */
async function expectFine(scene: Scene, paid: number, status = 'due'): Promise<void> {
  const shown = await scene.list('/fines');
  const outstanding = status === 'due' ? FINE - paid : 0;
  expect(shown.map((fine: Json) => [fine.status, fine.paid, fine.outstanding])).to.deep.equal([
    [status, paid, outstanding],
  ]);
}
