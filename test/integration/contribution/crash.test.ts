import { expect } from 'chai';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { SWEEPING, TODAY, until, World } from '../../harness/contribution.ts';
import type { Mishap } from '../../harness/fake-treasury.ts';
import type { Person, Running } from '../../harness/contribution.ts';

/**
 * The process stops at a step of a saga and never goes on; another one, which knows only what is in the database, takes
 * up what was left. Whatever the step, the state converges and money moves once.
 */
describe('contribution: a process that dies', () => {
  let world: World;
  /** A process that nothing happens to, to set the stage and to look. */
  let onlooker: Running;

  before(async () => {
    world = await World.create();
    onlooker = await world.start();
  });

  beforeEach(() => {
    world.today = TODAY;
    world.treasury.mishaps.length = 0;
  });

  after(async () => {
    await onlooker.stop();
    await world.destroy();
  });

  const wallet = (person: Person) => world.treasury.balance(`wallet:${person.wallet_id}`);
  const pool = (meeting: Meeting) => world.treasury.balance(`${meeting.association_id}/pool:${meeting.id}`);
  const countOf = async (association_id: string, type: string) =>
    (await world.events(association_id)).filter((event) => event.type === type).length;

  async function dieAt(step: string, act: (service: Running) => Promise<{ status: number }>): Promise<void> {
    const service = await world.start({}, step);
    const reply = await act(service);
    expect(reply.status, 'the caller gets no answer').to.equal(500);
    expect(service.visited.at(-1)).to.equal(step);
    await service.stop();
  }

  async function recover(what: string, look: () => Promise<boolean>): Promise<void> {
    const successor = await world.start(SWEEPING);
    await until(what, look);
    await successor.stop();
  }

  async function cycleOfTwo() {
    const group = world.tontine([1, 1]);
    await onlooker.startCycle(group.president.user_id, group.association_id);
    const meetings = await onlooker.meetings(group.president.user_id, group.association_id);
    return { ...group, meetings, first: meetings[0]! };
  }

  const contributionCases: [string, Mishap][] = [
    ['contribution.pending_stored', 'none'],
    ['contribution.transfer_answered', 'none'],
    ['contribution.transfer_answered', 'request_lost'],
    ['contribution.transfer_answered', 'answer_lost'],
    ['contribution.decided', 'none'],
  ];
  for (const [step, mishap] of contributionCases) {
    it(`pays a contribution once when it dies at ${step} (ledger: ${mishap})`, async () => {
      const { association_id, president, first } = await cycleOfTwo();
      world.treasury.mishaps.push(mishap);
      await dieAt(step, (service) => service.contribute(president, first, 10_000));
      await recover('it is paid', async () => {
        const [contribution] = await onlooker.contributions(president, first);
        return contribution?.status === 'paid';
      });
      expect(await onlooker.contributions(president, first)).to.have.length(1);
      expect([wallet(president), pool(first)]).to.deep.equal([990_000, 10_000]);
      expect((await onlooker.getMeeting(president, first)).body.collected_amount).to.equal(10_000);
      expect((await onlooker.contribute(president, first, 1)).extras).to.deep.equal({ outstanding: 0 });
      expect(await countOf(association_id, 'contribution.paid')).to.equal(1);
    });
  }

  for (const step of ['contribution.pending_stored', 'contribution.transfer_answered']) {
    it(`fails a contribution that the ledger refuses when it dies at ${step}, and gives the due back`, async () => {
      const { association_id, president, first } = await cycleOfTwo();
      world.treasury.balances.set(`wallet:${president.wallet_id}`, 9_999n);
      await dieAt(step, (service) => service.contribute(president, first, 10_000));
      await recover('it has failed', async () => {
        const [contribution] = await onlooker.contributions(president, first);
        return contribution?.status === 'failed';
      });
      expect([wallet(president), pool(first)]).to.deep.equal([9_999, 0]);
      expect((await onlooker.contribute(president, first, 9_999)).status).to.equal(201);
      expect(await countOf(association_id, 'contribution.failed')).to.equal(1);
    });
  }

  it('opens a meeting again when it dies after closing it and before the plan is stored', async () => {
    const { people, president, first } = await cycleOfTwo();
    await dieAt('contribution.settling_begun', (service) => service.settle(president, first));
    expect((await onlooker.getMeeting(president, first)).body.status).to.equal('settling');
    await recover('it is open', async () => (await onlooker.getMeeting(president, first)).body.status === 'open');
    for (const person of people) await onlooker.contribute(person, first, 10_000);
    expect((await onlooker.settle(president, first)).status).to.equal(200);
    expect(people.map(wallet)).to.deep.equal([1_010_000, 990_000]);
  });

  const settlementCases: [string, Mishap][] = [
    ['contribution.settlement_planned', 'none'],
    ['contribution.settlement_transfer_answered', 'none'],
    ['contribution.settlement_transfer_answered', 'request_lost'],
    ['contribution.settlement_transfer_answered', 'answer_lost'],
    ['contribution.settlement_decided', 'none'],
  ];
  for (const [step, mishap] of settlementCases) {
    it(`settles once when it dies at ${step} (ledger: ${mishap}), and completes the cycle`, async () => {
      const { association_id, people, president, meetings } = await cycleOfTwo();
      const [first, last] = meetings as [Meeting, Meeting];
      for (const meeting of meetings) {
        for (const person of people) await onlooker.contribute(person, meeting, 10_000);
      }
      await onlooker.settle(president, first);
      world.treasury.mishaps.push(mishap);
      await dieAt(step, (service) => service.settle(president, last));
      await recover(
        'it is settled',
        async () => (await onlooker.getMeeting(president, last)).body.status === 'settled',
      );
      expect(people.map(wallet)).to.deep.equal([1_000_000, 1_000_000]);
      expect(pool(last)).to.equal(0);
      expect((await onlooker.getSettlement(president, last)).body).to.deep.include({ status: 'settled' });
      expect(await countOf(association_id, 'meeting.settled')).to.equal(2);
      expect(await countOf(association_id, 'cycle.completed')).to.equal(1);
    });
  }

  /** A cycle of two whose first round has settled without the second’s due. */
  async function cycleWithArrears() {
    world.today = '2027-06-01';
    const { association_id, people, president } = world.tontine([1, 1], 1, 10_000, { shortfall: 'pay_collected' });
    await onlooker.startCycle(president.user_id, association_id, { starts_on: TODAY });
    const meetings = await onlooker.meetings(president.user_id, association_id);
    const [first, last] = meetings as [Meeting, Meeting];
    await onlooker.contribute(president, first, 10_000);
    await onlooker.settle(president, first);
    return { association_id, people, president, first, last, debtor: people[1]! };
  }
  const arrearsLeft = async (person: Person, meeting: Meeting) =>
    (await onlooker.dues(person, meeting)).find((due) => due.member_id === person.member_id)?.arrears;

  const arrearsCases: [string, Mishap][] = [
    ['contribution.pending_stored', 'none'],
    ['contribution.transfer_answered', 'none'],
    ['contribution.transfer_answered', 'answer_lost'],
    ['contribution.decided', 'none'],
  ];
  for (const [step, mishap] of arrearsCases) {
    it(`pays arrears once when it dies at ${step} (ledger: ${mishap})`, async () => {
      const { association_id, people, first, debtor } = await cycleWithArrears();
      world.treasury.mishaps.push(mishap);
      await dieAt(step, (service) => service.contribute(debtor, first, 4_000));
      await recover('they are paid', async () => (await arrearsLeft(debtor, first)) === 6_000);
      expect(people.map(wallet)).to.deep.equal([1_004_000, 996_000]);
      expect(await countOf(association_id, 'contribution.paid')).to.equal(2);
    });
  }

  for (const [step, mishap] of settlementCases) {
    it(`sets off and leaves owed once when it dies at ${step} (ledger: ${mishap})`, async () => {
      const { people, president, debtor, first, last } = await cycleWithArrears();
      await onlooker.contribute(debtor, last, 10_000);
      world.treasury.mishaps.push(mishap);
      await dieAt(step, (service) => service.settle(president, last));
      await recover(
        'it is settled',
        async () => (await onlooker.getMeeting(president, last)).body.status === 'settled',
      );
      // All of the debtor's turn went to whom he owed; and the president owes him his part of it.
      expect(people.map(wallet)).to.deep.equal([1_010_000, 990_000]);
      expect([await arrearsLeft(debtor, first), await arrearsLeft(president, last)]).to.deep.equal([0, 10_000]);
    });
  }

  const cancellationCases: [string, Mishap][] = [
    ['contribution.cancellation_planned', 'none'],
    ['contribution.cancellation_transfer_answered', 'none'],
    ['contribution.cancellation_transfer_answered', 'request_lost'],
    ['contribution.cancellation_decided', 'none'],
  ];
  for (const [step, mishap] of cancellationCases) {
    it(`refunds a meeting once when it dies at ${step} (ledger: ${mishap})`, async () => {
      const { association_id, president, people } = world.tontine([1, 1]);
      const meeting = await onlooker.scheduleMeeting(president, association_id);
      for (const person of people) await onlooker.contribute(person, meeting, 500);
      world.treasury.mishaps.push(mishap);
      await dieAt(step, (service) => service.cancel(president, meeting));
      await recover('it is cancelled', async () => {
        return (await onlooker.getMeeting(president, meeting)).body.status === 'cancelled';
      });
      expect(people.map(wallet)).to.deep.equal([1_000_000, 1_000_000]);
      expect(await countOf(association_id, 'meeting.cancelled')).to.equal(1);
    });
  }

  it('opens a meeting again when it dies after closing it for a cancellation that is not planned yet', async () => {
    const { association_id, president } = world.tontine([1, 1]);
    const meeting = await onlooker.scheduleMeeting(president, association_id);
    await dieAt('contribution.cancelling_begun', (service) => service.cancel(president, meeting));
    await recover('it is open', async () => (await onlooker.getMeeting(president, meeting)).body.status === 'open');
  });

  for (const step of ['contribution.settlement_planned', 'contribution.settlement_transfer_answered']) {
    it(`opens the meeting again when it dies at ${step} and the ledger refuses the plan`, async () => {
      const { people, president, first } = await cycleOfTwo();
      for (const person of people) await onlooker.contribute(person, first, 10_000);
      const paid = world.treasury.wallets.get(president.wallet_id)!;
      paid.currency = 'EUR';
      await dieAt(step, (service) => service.settle(president, first));
      await recover('it is open', async () => (await onlooker.getMeeting(president, first)).body.status === 'open');
      paid.currency = 'XAF';
      expect((await onlooker.settle(president, first)).status).to.equal(200);
      expect(people.map(wallet)).to.deep.equal([1_010_000, 990_000]);
    });
  }

  for (const step of ['contribution.cycle_stored', 'contribution.cycle_bound', 'contribution.cycle_running']) {
    it(`starts a cycle once when it dies at ${step}`, async () => {
      const { association_id, president } = world.tontine([1, 1]);
      await dieAt(step, (service) => service.startCycle(president.user_id, association_id));
      const meetings = () => onlooker.meetings(president.user_id, association_id);
      await recover('it runs', async () => (await meetings()).length === 2);
      expect((await onlooker.startCycle(president.user_id, association_id)).code).to.equal('cycle_in_progress');
      expect(world.membership.boundTo(association_id)).to.equal((await meetings())[0]?.cycle_id);
      expect(await countOf(association_id, 'cycle.started')).to.equal(1);
      expect(await countOf(association_id, 'meeting.scheduled')).to.equal(2);
    });
  }

  const refusalSteps = ['cycle_stored', 'cycle_bound', 'cycle_refusal_stored', 'cycle_released'];
  for (const step of refusalSteps.map((name) => `contribution.${name}`)) {
    it(`lets the members go when it dies at ${step} of a cycle that cannot start`, async () => {
      const { association_id, president } = world.tontine([1]);
      await dieAt(step, (service) => service.startCycle(president.user_id, association_id));
      const statuses = () =>
        world.rows<{ status: string }>('SELECT status FROM cycles WHERE association_id = $1', [association_id]);
      await recover('it is refused', async () => (await statuses())[0]?.status === 'refused');
      expect(world.membership.boundTo(association_id)).to.equal(undefined);
      world.join(association_id);
      expect((await onlooker.startCycle(president.user_id, association_id)).body.number).to.equal(1);
    });
  }
});
