import { expect } from 'chai';
import { listCycles, obligations, startCycle, type Cycle } from '../../../lib/contracts/contribution.ts';
import { bindCycle } from '../../../lib/contracts/membership.ts';
import { TODAY, useContribution } from '../../harness/contribution.ts';
import { complaintOf, outcomeOf } from '../../harness/refusal.ts';

describe('contribution: starting a cycle', () => {
  const harness = useContribution();
  const { membership } = harness;

  it('pins members, hands, amount and rules, and creates a meeting for each round', async () => {
    const group = harness.group([1, 2, 1], {}, { beneficiaries_per_meeting: 2 });
    const { association_id, people } = group;
    const [a, b, c] = people.map((person) => person.member_id);
    const cycle = await harness.startCycle(group, { starts_on: '2026-01-31' });
    const { id: cycle_id } = cycle;
    const { status, location } = harness.headOf(cycle);
    expect(status).to.equal(201);
    expect(location).to.match(new RegExp(`/associations/${association_id}/cycles/${cycle_id}$`));
    expect(cycle).to.deep.include({
      number: 1,
      status: 'running',
      order: 'join',
      seed: null,
      rounds: 2,
      starts_on: '2026-01-31',
      contribution_amount: 10_000,
      rules_version: 1,
      hands: [
        { position: 1, member_id: a, round: 1 },
        { position: 2, member_id: b, round: 1 },
        { position: 3, member_id: b, round: 2 },
        { position: 4, member_id: c, round: 2 },
      ],
    });
    expect(cycle.rules.beneficiaries_per_meeting).to.equal(2);
    const meetings = await harness.meetings(group, { cycle_id });
    expect(meetings.map((meeting) => [meeting.round, meeting.due_on])).to.deep.equal([
      [1, '2026-01-31'],
      [2, '2026-02-28'],
    ]);
    expect(meetings[0]).to.deep.include({ status: 'open', expected_amount: 40_000, collected_amount: 0 });
    expect(meetings[1]!.beneficiaries).to.deep.equal([
      { member_id: b, hands: 1 },
      { member_id: c, hands: 1 },
    ]);
    expect(membership.boundTo(association_id)).to.equal(cycle_id);
    const events = await harness.events(association_id);
    expect(events.map(({ type }) => type)).to.deep.equal(['cycle.started', 'meeting.scheduled', 'meeting.scheduled']);
    expect(events[0]!.data).to.deep.equal({
      cycle_id,
      number: 1,
      rounds: 2,
      starts_on: '2026-01-31',
      order: 'join',
      seed: null,
    });
  });

  it('accepts a manual order that names each member once per hand, and refuses any other', async () => {
    const group = harness.group([1, 2]);
    const { association_id, people } = group;
    const [a, b] = people.map((person) => person.member_id) as [string, string];
    // The unit tests of the rotation rules cover other orders.
    const wrong = [
      { order: 'manual' as const, member_order: [a, a, b] },
      { order: 'manual' as const },
      { order: 'join' as const, member_order: [a, b, b] },
    ];
    for (const body of wrong) {
      const complaint = await complaintOf(harness.startCycle(group, body));
      expect(complaint, JSON.stringify(body)).to.deep.equal(['validation_failed', '/member_order']);
    }
    expect(await harness.cycleStatuses(association_id)).to.deep.equal([]);
    expect(membership.boundTo(association_id)).to.equal(undefined);
    const { hands } = await harness.startCycle(group, { order: 'manual', member_order: [b, a, b] });
    expect(hands.map((hand) => hand.member_id)).to.deep.equal([b, a, b]);
  });

  it('refuses groups that cannot rotate, releases their members, and neither lists nor announces the cycle', async () => {
    const rich = { contribution_amount_minor: 999_999_999_999_999 };
    const cases = {
      not_enough_members: harness.group([1]),
      hands_not_divisible: harness.group([1, 2], {}, { beneficiaries_per_meeting: 2 }),
      balance_limit_exceeded: harness.group([20, 20], rich),
    };
    for (const [code, group] of Object.entries(cases)) {
      const { association_id, president } = group;
      expect(await outcomeOf(harness.startCycle(group))).to.equal(code);
      expect(membership.boundTo(association_id)).to.equal(undefined);
      expect(await harness.cycleStatuses(association_id)).to.deep.equal(['refused']);
      const list = await harness.as(president.user_id, listCycles, { path: { association_id }, query: { limit: 50 } });
      expect(list).to.deep.equal({ data: [], next_cursor: null });
      expect(await harness.events(association_id)).to.deep.equal([]);
    }
  });

  it('refuses a cycle whose last round would be after the year 9999', async () => {
    const hands = [1, ...Array<number>(401).fill(20)];
    const group = harness.group(hands, { contribution_frequency: 'yearly' });
    expect(await complaintOf(harness.startCycle(group))).to.deep.equal(['validation_failed', '/starts_on']);
  });

  it('numbers running cycles without gaps, even if starts were refused in between', async () => {
    const group = harness.group([1]);
    const { association_id, people, president } = group;
    expect(await outcomeOf(harness.startCycle(group))).to.equal('not_enough_members');
    people.push(harness.join(association_id));
    const draw = () => harness.startCycle(group, { order: 'draw' });
    const first = await draw();
    expect(first.number).to.equal(1);
    expect(await outcomeOf(draw())).to.equal('cycle_in_progress');
    for (const meeting of await harness.meetings(group)) {
      for (const person of people) await harness.contribute(person, meeting, 10_000);
      await harness.settle(president, meeting);
    }
    // Membership may not have received the event that the cycle completed, so it calls contribution.
    const second = await draw();
    expect(second.seed).to.not.equal(first.seed);
    const listed = await harness.pages<Cycle>(president.user_id, listCycles, { association_id }, 1);
    expect(listed.map(({ number, status, seed }) => [number, status, seed])).to.deep.equal([
      [2, 'running', second.seed],
      [1, 'completed', first.seed],
    ]);
  });

  it('refuses unsupported types, roles and strangers in the documented order of refusals', async () => {
    const group = harness.group([1, 1], { type: 'solidarity' });
    const path = { association_id: group.association_id };
    for (const body of [{}, { rounds: 2 }, { order: 'join' as const }]) {
      const starting = harness.as(group.president.user_id, startCycle, { path, body: { starts_on: TODAY, ...body } });
      expect(await outcomeOf(starting)).to.equal('cycle_not_supported');
    }
    const by = (president: typeof group.president) => ({ ...group, president });
    expect(await outcomeOf(harness.startCycle(by(group.people[1]!)))).to.equal('role_not_allowed');
    const stranger = by({ ...group.president, user_id: 'stranger' });
    // Errors of the request itself come first.
    expect(await outcomeOf(harness.startCycle(stranger, { order: 'manual' }))).to.equal('validation_failed');
    expect(await outcomeOf(harness.startCycle(stranger))).to.equal('not_found');
  });

  it('makes `obligations` report whether a running cycle binds a member', async () => {
    const { association_id, member, first } = await harness.cycle([1, 1]);
    const late = harness.join(association_id);
    for (const [{ member_id }, cycle_id, cycle_running] of [
      [member, first.cycle_id, true],
      [member, null, true],
      [member, harness.newId(), false],
      [late, null, false],
    ] as const) {
      const answer = await harness.command(obligations, { association_id, member_id, cycle_id });
      expect(answer).to.deep.equal({ cycle_running, has_arrears: false });
    }
  });

  for (const [joins, status, outcome] of [
    // The order names all members of that time, so a member who has joined since then is no reason to refuse.
    ['after recovery', 'running', 'done'],
    ['before recovery', 'refused', 'validation_failed'],
  ] as const) {
    it(`answers a repeat with \`${outcome}\` when another member joined ${joins}`, async () => {
      const group = harness.group([1, 1]);
      const { association_id, people } = group;
      const member_order = people.map((person) => person.member_id);
      const start = () => harness.startCycle(group, { order: 'manual', member_order }, 'start');
      membership.next(bindCycle, 'request_lost');
      expect(await outcomeOf(start())).to.equal('outcome_unknown');
      if (joins === 'before recovery') harness.join(association_id);
      await harness.recover(async () => expect(await harness.cycleStatuses(association_id)).to.deep.equal([status]));
      if (joins === 'after recovery') harness.join(association_id);
      expect(await outcomeOf(start())).to.equal(outcome);
      expect(await harness.cycleStatuses(association_id)).to.deep.equal([status]);
    });
  }
});
