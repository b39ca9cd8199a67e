import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { bindCycle } from '../../../lib/contracts/membership.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { problemCode } from '../../../lib/errors/problem.ts';
import { SAGA_TIMINGS } from '../../../lib/saga/timings.ts';
import { eventually } from '../../harness/eventually.ts';
import { OPENING_BALANCE, useContribution } from '../../harness/contribution.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

/** A request that the service handles with a saga. */
interface Scenario {
  act: (key?: string) => Promise<object>;
  /** The answer to a repeat with the same key: a status, or the code of a refusal. */
  answer: number | string;
  /** Checks the 202 that is answered while the outcome is unknown; if absent, the answer is `outcome_unknown`. */
  pending?: (answer: object) => unknown;
  state: () => Promise<unknown>;
  /** The final state. */
  end: unknown;
  check: () => Promise<void>;
}

/** Many runs of recovery, which runs every 10 ms. */
const SEVERAL_RUNS_MS = 1_000;

const SETTLING = ['settlement.planned', 'settlement.planned.acted', 'settlement.settled'];
const PAYING = ['contribution.pending', 'contribution.pending.acted', 'contribution.paid'];
const STARTING = ['cycle.starting', 'cycle.starting.acted'];

/**
 * A saga is interrupted: its process stops permanently at a fault point, or a call to another service has no outcome.
 * Recovery finishes the saga, or a request that the client repeats with the same key. Regardless of where it stopped, the
 * state converges and money moves once.
 */
describe('contribution: recovery', () => {
  const harness = useContribution();
  const { treasury, membership } = harness;

  const scenarios: [name: string, points: string[], prepare: () => Promise<Scenario>][] = [
    ['pays a contribution once', PAYING, contribution],
    // After the process died, the repeat is refused and no contribution fails: see the tests below.
    ['fails a contribution that the ledger refuses', [], failure],
    ['pays arrears once', PAYING, arrears],
    ['settles the last round once, and completes the cycle', SETTLING, lastRound],
    ['deducts arrears once, and records new arrears once', SETTLING, deduction],
    [
      'reopens a meeting when the ledger refuses its settlement',
      [...SETTLING.slice(0, 2), 'settlement.refused'],
      refusedPlan,
    ],
    ['refunds a meeting once', SETTLING, refund],
    ['starts a cycle once', [...STARTING, 'cycle.running'], start],
    [
      'releases the members of a cycle that cannot start',
      [...STARTING, 'cycle.refusing', 'cycle.refusing.acted', 'cycle.refused'],
      refusedStart,
    ],
  ];
  for (const [name, points, prepare] of scenarios) {
    for (const point of points.map((each) => `contribution.${each}`)) {
      it(`${name}, after the process died at ${point}`, async () => {
        const { act, state, end, check } = await prepare();
        await harness.dieAt(point, () => act());
        await harness.recover(async () => expect(await state()).to.equal(end));
        await check();
      });

      it(`${name}, when the request is repeated after the process died at ${point}`, async () => {
        const { act, answer, state, end, check } = await prepare();
        const key = harness.newId();
        await harness.dieAt(point, () => act(key));
        const answered = await act(key).then((body) => harness.headOf(body).status, problemCode);
        expect(answered).to.equal(answer);
        expect(await state()).to.equal(end);
        await check();
      });
    }

    for (const mishap of ['request_lost', 'answer_lost', 'late'] as const) {
      it(`${name}, when the outcome of the call to the other service is unknown (${mishap})`, async () => {
        const { act, pending, state, end, check } = await prepare();
        // Each scenario calls one of the two services.
        treasury.next(transfer, mishap);
        membership.next(bindCycle, mishap);
        if (pending === undefined) {
          expect(await outcomeOf(act())).to.equal('outcome_unknown');
        } else {
          const answer = await act();
          expect(harness.headOf(answer).status).to.equal(202);
          await pending(answer);
        }
        await harness.recover(async () => expect(await state()).to.equal(end));
        await check();
      });
    }
  }

  const locationOf = (answer: object) => harness.headOf(answer).location;

  async function contribution(): Promise<Scenario> {
    const { association_id, president, first } = await harness.cycle([1, 1]);
    return {
      // The whole due: if a repeat counted as a second contribution, it would be refused.
      act: (key) => harness.contribute(president, first, 10_000, {}, key),
      answer: 201,
      async pending(answer) {
        expect(locationOf(answer)).to.match(/\/contributions\/[0-9a-f-]{36}$/);
        expect(answer).to.deep.include({ status: 'pending', transfer_id: null, paid_at: null, outstanding: 0 });
        // A pending contribution reserves its part of the due.
        expect((await refusalOf(harness.contribute(president, first, 1))).extras).to.deep.equal({ outstanding: 0 });
        expect(await harness.due(president, first)).to.deep.include({ paid: 0, outstanding: 10_000 });
      },
      state: async () => (await harness.contributions(president, first)).map(({ status }) => status).join(),
      end: 'paid',
      async check() {
        expect([harness.wallet(president), harness.inPool(first)]).to.deep.equal([990_000, 10_000]);
        expect((await harness.getMeeting(president, first)).collected_amount).to.equal(10_000);
        expect((await refusalOf(harness.contribute(president, first, 1))).extras).to.deep.equal({ outstanding: 0 });
        expect(await harness.countEvents(association_id, 'contribution.paid')).to.equal(1);
      },
    };
  }

  async function failure(): Promise<Scenario> {
    const { association_id, president, first } = await harness.cycle([1, 1]);
    treasury.balances.set(`wallet:${president.wallet_id}`, 9_999n);
    return {
      act: (key) => harness.contribute(president, first, 10_000, {}, key),
      answer: 'insufficient_funds',
      pending: (answer) => expect(answer).to.include({ status: 'pending' }),
      state: async () => (await harness.contributions(president, first))[0]!.status,
      end: 'failed',
      async check() {
        const [failed] = await harness.contributions(president, first);
        expect(failed).to.deep.include({ outstanding: 10_000, paid_at: null });
        expect(await harness.decisions(association_id)).to.deep.equal(['contribution.failed']);
        const [event] = await harness.events(association_id, 'contribution.failed');
        expect(event!.data.code).to.equal('insufficient_funds');
        // The due was released.
        expect((await harness.contribute(president, first, 9_999)).status).to.equal('paid');
      },
    };
  }

  async function arrears(): Promise<Scenario> {
    const { association_id, people, first, debtor } = await harness.cycleWithArrears();
    return {
      act: (key) => harness.contribute(debtor, first, 4_000, {}, key),
      answer: 201,
      pending: (answer) => expect(answer).to.include({ status: 'pending', outstanding: 6_000 }),
      state: async () => (await harness.due(debtor, first)).arrears,
      end: 6_000,
      async check() {
        expect(harness.wallets(people)).to.deep.equal([1_004_000, 996_000]);
        expect(await harness.countEvents(association_id, 'contribution.paid')).to.equal(2);
      },
    };
  }

  async function lastRound(): Promise<Scenario> {
    const { association_id, people, president, first, second, pay } = await harness.cycle([1, 1]);
    for (const meeting of [first, second]) await pay(meeting);
    await harness.settle(president, first);
    return {
      act: (key) => harness.settle(president, second, {}, key),
      answer: 200,
      async pending(answer) {
        expect(locationOf(answer)).to.match(new RegExp(`/meetings/${second.id}/settlement$`));
        expect(answer).to.deep.include({ status: 'pending', settled_at: null, collected_amount: 20_000 });
        expect(await harness.getSettlement(president, second)).to.deep.equal(answer);
        expect(await outcomeOf(harness.settle(president, second))).to.equal('meeting_not_open');
      },
      state: () => harness.statusOf(president, second),
      end: 'settled',
      async check() {
        expect(harness.wallets(people)).to.deep.equal([OPENING_BALANCE, OPENING_BALANCE]);
        expect(harness.inPool(second)).to.equal(0);
        expect((await harness.getSettlement(president, second)).status).to.equal('settled');
        expect(await harness.countEvents(association_id, 'meeting.settled')).to.equal(2);
        expect(await harness.countEvents(association_id, 'cycle.completed')).to.equal(1);
      },
    };
  }

  async function deduction(): Promise<Scenario> {
    const { people, president, debtor, first, second, pay } = await harness.cycleWithArrears();
    harness.clock.day = second.due_on;
    await pay(second, [debtor]);
    return {
      act: (key) => harness.settle(president, second, {}, key),
      answer: 200,
      pending: (answer) => expect(answer).to.include({ status: 'pending' }),
      state: () => harness.statusOf(president, second),
      end: 'settled',
      async check() {
        // The debtor's whole payout went to the creditor, who has not paid this round and owes them 10 000.
        expect(harness.wallets(people)).to.deep.equal([1_010_000, 990_000]);
        expect((await harness.due(debtor, first)).arrears).to.equal(0);
        expect((await harness.due(president, second)).arrears).to.equal(10_000);
      },
    };
  }

  async function refusedPlan(): Promise<Scenario> {
    const { people, president, first, pay } = await harness.cycle([1, 1]);
    await pay(first);
    const wallet = treasury.wallets.get(president.wallet_id)!;
    wallet.currency = 'EUR';
    return {
      act: (key) => harness.settle(president, first, {}, key),
      answer: 'wallet_currency_mismatch',
      pending: (answer) => expect(answer).to.include({ status: 'pending' }),
      state: () => harness.statusOf(president, first),
      end: 'open',
      async check() {
        expect(await outcomeOf(harness.getSettlement(president, first))).to.equal('not_found');
        wallet.currency = 'XAF';
        await harness.settle(president, first);
        expect(harness.wallets(people)).to.deep.equal([1_010_000, 990_000]);
      },
    };
  }

  async function refund(): Promise<Scenario> {
    const { association_id, president, people, meeting } = await harness.groupWithMeeting();
    for (const person of people) await harness.contribute(person, meeting, 500);
    return {
      act: (key) => harness.cancel(president, meeting, key),
      answer: 200,
      pending(answer) {
        expect(answer).to.include({ status: 'settling' });
        expect(locationOf(answer)).to.match(new RegExp(`/meetings/${meeting.id}$`));
      },
      state: () => harness.statusOf(president, meeting),
      end: 'cancelled',
      async check() {
        expect(harness.wallets(people)).to.deep.equal([OPENING_BALANCE, OPENING_BALANCE]);
        expect(await harness.countEvents(association_id, 'meeting.cancelled')).to.equal(1);
      },
    };
  }

  async function start(): Promise<Scenario> {
    const group = harness.group([1, 1]);
    const { association_id } = group;
    return Promise.resolve({
      act: (key) => harness.startCycle(group, {}, key),
      answer: 201,
      state: async () => (await harness.cycleStatuses(association_id)).join(),
      end: 'running',
      async check() {
        expect(await outcomeOf(harness.startCycle(group))).to.equal('cycle_in_progress');
        const meetings = await harness.meetings(group);
        const cycle_id = membership.boundTo(association_id);
        expect(meetings.map((meeting) => meeting.cycle_id)).to.deep.equal([cycle_id, cycle_id]);
        expect(await harness.countEvents(association_id, 'cycle.started')).to.equal(1);
        expect(await harness.countEvents(association_id, 'meeting.scheduled')).to.equal(2);
      },
    });
  }

  async function refusedStart(): Promise<Scenario> {
    const group = harness.group([1]);
    const { association_id } = group;
    return Promise.resolve({
      act: (key) => harness.startCycle(group, {}, key),
      answer: 'not_enough_members',
      state: async () => (await harness.cycleStatuses(association_id)).join(),
      end: 'refused',
      async check() {
        expect(membership.boundTo(association_id)).to.equal(undefined);
        harness.join(association_id);
        expect((await harness.startCycle(group)).number).to.equal(1);
      },
    });
  }

  it('repeats the refusal of the ledger to a repeated contribution, and frees its key', async () => {
    const { president, first } = await harness.cycle([1, 1]);
    const pay = () => harness.contribute(president, first, 4_000, {}, 'poor');
    treasury.balances.set(`wallet:${president.wallet_id}`, 3_999n);
    await harness.dieAt('contribution.contribution.refused', pay);
    expect(await outcomeOf(pay())).to.equal('insufficient_funds');
    treasury.balances.set(`wallet:${president.wallet_id}`, 4_000n);
    expect((await pay()).status).to.equal('paid');
  });

  it('stores the answer in the transaction of the effect: it survives if the process dies right after the commit', async () => {
    const group = harness.group([1, 1]);
    const draw = () => harness.startCycle(group, { order: 'draw' }, 'draw');
    await harness.dieAt('contribution.cycle.running', draw);
    const [cycle] = await harness.sql<{ id: string; seed: string }>(
      'SELECT id, seed FROM cycles WHERE association_id = $1',
      group.association_id,
    );
    const [row] = await harness.sql<{ answer: { status: number; headers: { Location: string }; body: object } }>(
      `SELECT answer FROM idempotency_keys WHERE key = 'draw'`,
    );
    const { status, headers, body } = row!.answer;
    expect(status).to.equal(201);
    expect(headers.Location).to.match(new RegExp(`/cycles/${cycle!.id}$`));
    expect(body).to.deep.include({ seed: cycle!.seed, status: 'running' });
    expect(await draw()).to.deep.equal(body);
  });

  it('reopens a meeting that was closed for a settlement but has no stored plan', async () => {
    const { president, first, pay } = await harness.cycle([1, 1]);
    await harness.dieAt('contribution.meeting_closed', () => harness.settle(president, first));
    expect(await harness.statusOf(president, first)).to.equal('settling');
    await harness.recover(async () => expect(await harness.statusOf(president, first)).to.equal('open'));
    await pay(first);
    expect((await harness.settle(president, first)).status).to.equal('settled');
  });

  it('reopens a meeting that was closed for a cancellation, unless the request is repeated', async () => {
    for (const end of ['open', 'cancelled']) {
      const { president, meeting } = await harness.groupWithMeeting();
      await harness.dieAt('contribution.meeting_closed', () => harness.cancel(president, meeting, meeting.id));
      if (end === 'cancelled') await harness.cancel(president, meeting, meeting.id);
      await harness.recover(async () => expect(await harness.statusOf(president, meeting)).to.equal(end));
    }
  });

  it('reopens a meeting that was closed 3 s ago by the clock of the database, not by that of a process', async () => {
    const { president, first } = await harness.cycle([1, 1]);
    await harness.dieAt('contribution.meeting_closed', () => harness.settle(president, first));
    const passed = (s: number) =>
      harness.sql(
        `UPDATE meetings SET settling_since = clock_timestamp() - $2 * interval '1 second' WHERE id = $1`,
        first.id,
        s,
      );
    await passed(1);
    harness.clock.offset_ms = 3_600_000;
    const { stale_after_ms } = SAGA_TIMINGS;
    const recovering = await harness.startProcess({ recover_every_ms: 10, stale_after_ms });
    await sleep(SEVERAL_RUNS_MS);
    expect(await harness.statusOf(president, first)).to.equal('settling');
    harness.clock.offset_ms = -3_600_000;
    await passed(3);
    await eventually(async () => expect(await harness.statusOf(president, first)).to.equal('open'));
    await recovering.stop();
  });
});

describe('contribution: recovery while a settlement waits', () => {
  /** Much longer than a busy machine stands still, so that the process that waits shows in time that it lives. */
  const ABANDONED_MS = 1_500;
  const harness = useContribution(undefined, { in_flight_wait_ms: 15_000, stale_after_ms: ABANDONED_MS });

  it('leaves a meeting alone whose settlement waits for a contribution in flight', async () => {
    const { member, president, first, pay } = await harness.cycle([1, 1]);
    await pay(first, [president]);
    const answered = Promise.withResolvers<void>();
    harness.treasury.next(transfer, answered.promise);
    const paying = harness.contribute(member, first, 10_000);
    await eventually(async () => expect(await harness.contributions(president, first)).to.have.length(2));
    const settling = harness.settle(president, first);
    await eventually(async () => expect(await harness.statusOf(president, first)).to.equal('settling'));
    const recovering = await harness.startProcess({ recover_every_ms: 10 });
    await sleep(2 * ABANDONED_MS);
    answered.resolve();
    await Promise.all([paying, settling]);
    await recovering.stop();
    expect(await settling).to.deep.include({ collected_amount: 20_000, status: 'settled' });
  });
});
