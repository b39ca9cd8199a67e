import { expect } from 'chai';
import type { Metadata } from '../../../lib/contracts/metadata.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { LATER, useContribution, type MeetingIds, type Person } from '../../harness/contribution.ts';
import { atOnce, outcomeOf } from '../../harness/refusal.ts';

/** Names that mean something to JavaScript, to TypeORM or in paths of fields. */
const METADATA: Metadata = {
  receipt: '2026-117',
  note: '',
  10: 'ten',
  9: 'nine',
  'a.b[0]/~': 'é "quoted" \\n',
  constructor: 'c',
  toJSON: 'j',
  '@instanceof': 'FindOperator',
};

describe('contribution: the metadata of a contribution', () => {
  const harness = useContribution(LATER);
  const { treasury } = harness;

  const statesIn = async (association_id: string, id: string) =>
    (await harness.events(association_id))
      .filter(({ data }) => 'contribution_id' in data && data.contribution_id === id)
      .map(({ type, data }) => [type, (data as { metadata?: Metadata }).metadata]);
  const statusOf = async (payer: Person, meeting: MeetingIds, id: string) =>
    (await harness.getContribution(payer, meeting, id)).status;

  for (const kind of ['pool', 'arrears'] as const) {
    describe(`that is paid into ${kind === 'pool' ? 'a pool' : 'arrears'}`, () => {
      let payer: Person;
      let meeting: MeetingIds;

      beforeEach(async () => {
        const { debtor, first, second } = await harness.cycleWithArrears();
        payer = debtor;
        meeting = kind === 'pool' ? second : first;
      });

      const pay = (metadata: Metadata, key?: string) => harness.contribute(payer, meeting, 4_000, { metadata }, key);

      it('is in its answers and its event', async () => {
        const paid = await pay(METADATA);
        expect(paid).to.deep.include({ status: 'paid', metadata: METADATA });
        expect(await harness.getContribution(payer, meeting, paid.id)).to.deep.equal(paid);
        expect((await harness.contributions(payer, meeting)).find(({ id }) => id === paid.id)).to.deep.equal(paid);
        expect(await statesIn(meeting.association_id, paid.id)).to.deep.equal([['contribution.paid', METADATA]]);
      });

      it('is empty, and not in its event, if none was given', async () => {
        for (const { id, metadata } of [await harness.contribute(payer, meeting, 1_000), await pay({})]) {
          expect(metadata).to.deep.equal({});
          expect((await harness.getContribution(payer, meeting, id)).metadata).to.deep.equal({});
          expect(await statesIn(meeting.association_id, id)).to.deep.equal([['contribution.paid', undefined]]);
          const rows = await harness.sql('SELECT FROM contribution_metadata WHERE contribution_id = $1', id);
          expect(rows).to.deep.equal([]);
        }
      });

      it('is in the answer to a repeat with the same key, and distinguishes it from another request', async () => {
        const key = harness.newId();
        const paid = await pay(METADATA, key);
        expect(await pay(METADATA, key)).to.deep.equal(paid);
        expect(await outcomeOf(pay({}, key))).to.equal('idempotency_key_reused');
      });

      for (const point of ['pending', 'pending.acted', 'paid']) {
        it(`is kept if the process dies at ${point} and the request is repeated`, async () => {
          const key = harness.newId();
          await harness.dieAt(`contribution.contribution.${point}`, () => pay(METADATA, key));
          const paid = await pay(METADATA, key);
          expect(paid).to.deep.include({ status: 'paid', metadata: METADATA });
          expect(await statesIn(meeting.association_id, paid.id)).to.deep.equal([['contribution.paid', METADATA]]);
        });
      }

      it('is kept while its outcome is unknown, and by recovery', async () => {
        treasury.next(transfer, 'request_lost');
        const { id, status, metadata } = await pay(METADATA);
        expect([status, metadata]).to.deep.equal(['pending', METADATA]);
        await harness.recover(async () => expect(await statusOf(payer, meeting, id)).to.equal('paid'));
        expect(await statesIn(meeting.association_id, id)).to.deep.equal([['contribution.paid', METADATA]]);
      });

      it('is kept if it fails later', async () => {
        treasury.next(transfer, 'request_lost');
        const { id } = await pay(METADATA);
        treasury.balances.set(`wallet:${payer.wallet_id}`, 0n);
        await harness.recover(async () => expect(await statusOf(payer, meeting, id)).to.equal('failed'));
        expect((await harness.getContribution(payer, meeting, id)).metadata).to.deep.equal(METADATA);
        expect(await statesIn(meeting.association_id, id)).to.deep.equal([['contribution.failed', METADATA]]);
      });
    });
  }

  it('is that of each of many concurrent contributions', async () => {
    const { people, first } = await harness.cycle(Array<number>(12).fill(1));
    const metadataOf = (index: number): Metadata => (index % 3 === 0 ? {} : { place: String(index) });
    const paid = await Promise.all(
      atOnce(12, (index) => harness.contribute(people[index]!, first, 10_000, { metadata: metadataOf(index) })),
    );
    for (const [index, { id, metadata }] of paid.entries()) {
      expect(metadata).to.deep.equal(metadataOf(index));
      expect((await harness.getContribution(people[0]!, first, id)).metadata).to.deep.equal(metadataOf(index));
    }
  });

  it('is empty for cash, of which the treasury has it', async () => {
    const { president, member, first } = await harness.cycle([1, 1]);
    await harness.bringCash(first, member, 4_000);
    const [cash] = await harness.contributions(president, first);
    expect(cash).to.deep.include({ method: 'cash', status: 'paid', metadata: {} });
  });
});
