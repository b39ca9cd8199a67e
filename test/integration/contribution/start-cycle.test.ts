import { expect } from 'chai';
import { listCycles, obligations } from '../../../lib/contracts/contribution.ts';
import type { Cycle } from '../../../lib/contracts/contribution.ts';
import { useContribution } from '../../harness/contribution.ts';
import type { Running, World } from '../../harness/contribution.ts';

describe('contribution: starting a cycle', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  const cyclesStored = async (association_id: string) =>
    world.rows<{ status: string }>('SELECT status FROM cycles WHERE association_id = $1', [association_id]);

  it('pins members, hands, amount and rules, and makes one meeting for each round', async () => {
    const { association_id, people, president } = world.tontine([1, 2, 1], 2);
    const reply = await service.startCycle(president.user_id, association_id, { starts_on: '2026-01-31' });
    const [first, second, third] = people.map((person) => person.member_id);
    expect(reply.status).to.equal(201);
    expect(reply.location).to.match(new RegExp(`/associations/${association_id}/cycles/${reply.body.id}$`));
    expect(reply.body).to.deep.include({ number: 1, status: 'running', order: 'join', seed: null, rounds: 2 });
    expect(reply.body).to.deep.include({ starts_on: '2026-01-31', contribution_amount: 10_000, rules_version: 1 });
    expect(reply.body.rules.beneficiaries_per_meeting).to.equal(2);
    expect(reply.body.hands).to.deep.equal([
      { position: 1, member_id: first, round: 1 },
      { position: 2, member_id: second, round: 1 },
      { position: 3, member_id: second, round: 2 },
      { position: 4, member_id: third, round: 2 },
    ]);
    const meetings = await service.meetings(president.user_id, association_id, { cycle_id: reply.body.id });
    expect(meetings.map((meeting) => [meeting.round, meeting.due_on])).to.deep.equal([
      [1, '2026-01-31'],
      [2, '2026-02-28'],
    ]);
    expect(meetings[0]).to.deep.include({ status: 'open', expected_amount: 40_000, collected_amount: 0 });
    expect(meetings[1]?.beneficiaries).to.deep.equal([
      { member_id: second, hands: 1 },
      { member_id: third, hands: 1 },
    ]);
    expect(world.membership.boundTo(association_id)).to.equal(reply.body.id);
    const events = await world.events(association_id);
    expect(events.map((event) => event.type)).to.deep.equal([
      'cycle.started',
      'meeting.scheduled',
      'meeting.scheduled',
    ]);
    expect(events[0]?.data).to.deep.equal({
      cycle_id: reply.body.id,
      number: 1,
      rounds: 2,
      starts_on: '2026-01-31',
      order: 'join',
      seed: null,
    });
  });

  it('takes a manual order that names each member once per hand', async () => {
    const { association_id, people, president } = world.tontine([1, 2]);
    const [first, second] = people.map((person) => person.member_id) as [string, string];
    const member_order = [second, first, second];
    const reply = await service.startCycle(president.user_id, association_id, { order: 'manual', member_order });
    expect(reply.body.hands.map((hand) => hand.member_id)).to.deep.equal(member_order);
  });

  it('refuses a manual order that is wrong, missing or uncalled for, and stores nothing', async () => {
    const { association_id, people, president } = world.tontine([1, 2]);
    const [first, second] = people.map((person) => person.member_id) as [string, string];
    const wrong = [
      [first, second],
      [first, first, second],
      [first, second, second, second],
      [first, second, world.newId()],
    ];
    const bodies = [
      ...wrong.map((member_order) => ({ order: 'manual' as const, member_order })),
      { order: 'manual' as const },
      { order: 'join' as const, member_order: [first, second, second] },
    ];
    for (const body of bodies) {
      const reply = await service.startCycle(president.user_id, association_id, body);
      expect(reply.code, JSON.stringify(body)).to.equal('validation_failed');
      expect(reply.extras.errors).to.have.nested.property('[0].pointer', '/member_order');
    }
    expect(await cyclesStored(association_id)).to.deep.equal([]);
    expect(world.membership.boundTo(association_id)).to.equal(undefined);
  });

  it('refuses what cannot rotate, lets the members go and shows nothing of it', async () => {
    const cases = [
      { group: world.tontine([1]), code: 'not_enough_members' },
      { group: world.tontine([1, 2], 2), code: 'hands_not_divisible' },
      { group: world.tontine([20, 20], 1, 999_999_999_999_999), code: 'balance_limit_exceeded' },
    ];
    for (const { group, code } of cases) {
      const { association_id, president } = group;
      expect(await service.startCycle(president.user_id, association_id)).to.deep.include({ status: 409, code });
      expect(world.membership.boundTo(association_id)).to.equal(undefined);
      expect(await cyclesStored(association_id)).to.deep.equal([{ status: 'refused' }]);
      const list = await service.call(listCycles, president.user_id, {
        path: { association_id },
        query: { limit: 50 },
      });
      expect(list.body).to.deep.equal({ data: [], next_cursor: null });
      expect(await world.events(association_id)).to.deep.equal([]);
    }
  });

  it('refuses a cycle whose last round would lie beyond the year 9999', async () => {
    const association_id = world.membership.found({ contribution_frequency: 'yearly' });
    const president = world.join(association_id);
    for (let index = 0; index < 401; index += 1) world.join(association_id, { hands: 20 });
    const reply = await service.startCycle(president.user_id, association_id);
    expect(reply.code).to.equal('validation_failed');
    expect(reply.extras.errors).to.have.nested.property('[0].pointer', '/starts_on');
  });

  it('numbers the cycles that run without gaps, whatever was refused in between', async () => {
    const { association_id, people, president } = world.tontine([1]);
    expect((await service.startCycle(president.user_id, association_id)).code).to.equal('not_enough_members');
    const other = world.join(association_id);
    const draw = () => service.startCycle(president.user_id, association_id, { order: 'draw' });
    const first = await draw();
    expect(first.body.number).to.equal(1);
    expect((await draw()).code).to.equal('cycle_in_progress');
    for (const meeting of await service.meetings(president.user_id, association_id)) {
      for (const person of [...people, other]) await service.contribute(person, meeting, 10_000);
      world.today = meeting.due_on;
      expect((await service.settle(president, meeting)).status).to.equal(200);
    }
    // Membership may not have heard that the cycle completed; it asks.
    const second = await draw();
    expect(second.body.seed).to.not.equal(first.body.seed);
    expect(second.body.number).to.equal(2);
    const listed = await service.pages<Cycle>(listCycles, president, { association_id }, 1);
    expect(listed.map(({ number, status, seed }) => [number, status, seed])).to.deep.equal([
      [2, 'running', second.body.seed],
      [1, 'completed', first.body.seed],
    ]);
  });

  it('refuses other associations, roles and outsiders in the order of the contract', async () => {
    const solidarity = world.membership.found({ type: 'solidarity' });
    const president = world.join(solidarity);
    const member = world.join(solidarity);
    for (const body of [{}, { rounds: 2 }, { order: 'join' }]) {
      expect((await service.startSavings(president.user_id, solidarity, body)).code).to.equal('cycle_not_supported');
    }
    expect((await service.startCycle(member.user_id, solidarity)).code).to.equal('role_not_allowed');
    expect((await service.startCycle('stranger', solidarity)).code).to.equal('not_found');
    // What the request alone decides comes first.
    expect((await service.startCycle('stranger', solidarity, { order: 'manual' })).code).to.equal('validation_failed');
  });

  it('knows for sure whether a cycle binds a member', async () => {
    const { association_id, people, president } = world.tontine([1, 1]);
    const ask = (member_id: string, cycle_id: string | null) =>
      service.broker.call(obligations.name, { association_id, member_id, cycle_id });
    const cycle_id = (await service.startCycle(president.user_id, association_id)).body.id;
    const late = world.join(association_id);
    const bound = { cycle_running: true, has_arrears: false };
    const free = { cycle_running: false, has_arrears: false };
    expect(await ask(people[1]!.member_id, cycle_id)).to.deep.equal(bound);
    expect(await ask(people[1]!.member_id, null)).to.deep.equal(bound);
    expect(await ask(late.member_id, null)).to.deep.equal(free);
    expect(await ask(people[1]!.member_id, world.newId())).to.deep.equal(free);
  });

  for (const lost of ['before', 'after'] as const) {
    it(`starts by recovery when the call that binds the members was lost ${lost} it took effect`, async () => {
      const { association_id, president } = world.tontine([1, 1]);
      world.membership.lostBinds.push(lost);
      const reply = await service.startCycle(president.user_id, association_id);
      expect(reply).to.deep.include({ status: 503, code: 'outcome_unknown' });
      expect((await service.startCycle(president.user_id, association_id)).code).to.equal('cycle_in_progress');
      await world.recover(
        'the cycle runs',
        async () => (await service.meetings(president.user_id, association_id)).length === 2,
      );
      expect(await cyclesStored(association_id)).to.deep.equal([{ status: 'running' }]);
      expect((await world.events(association_id)).filter((event) => event.type === 'cycle.started')).to.have.length(1);
    });
  }

  describe('with an Idempotency-Key', () => {
    const countOf = async (association_id: string, type: string) =>
      (await world.events(association_id)).filter((event) => event.type === type).length;

    it('answers a repeat with the cycle that the first request started', async () => {
      const { association_id, president } = world.tontine([1, 1, 1]);
      const start = () => service.startCycle(president.user_id, association_id, { order: 'draw' }, 'start');
      const first = await start();
      world.join(association_id);
      const repeat = await start();
      expect(repeat.status).to.equal(201);
      expect(repeat.body).to.deep.equal(first.body);
      const other = await service.startCycle(president.user_id, association_id, { order: 'join' }, 'start');
      expect(other.code).to.equal('idempotency_key_reused');
      expect(await service.meetings(president.user_id, association_id)).to.have.length(3);
      expect(await countOf(association_id, 'cycle.started')).to.equal(1);
    });

    it('starts one cycle when the same key comes many times at once', async () => {
      const { association_id, president } = world.tontine([1, 1]);
      const replies = await Promise.all(
        Array.from({ length: 6 }, () => service.startCycle(president.user_id, association_id, {}, 'at once')),
      );
      const started = replies.filter((reply) => reply.status === 201);
      expect(new Set(started.map((reply) => reply.body.id)).size).to.equal(1);
      const codes = replies.flatMap((reply) => reply.code ?? []);
      expect(
        codes.every((code) => code === 'idempotency_in_flight'),
        codes.join(),
      ).to.equal(true);
      expect(await countOf(association_id, 'cycle.started')).to.equal(1);
    });

    it('finds the cycle that recovery has started meanwhile', async () => {
      const { association_id, people, president } = world.tontine([1, 1]);
      const member_order = people.map((person) => person.member_id);
      const start = () =>
        service.startCycle(president.user_id, association_id, { order: 'manual', member_order }, 'recovered');
      world.membership.lostBinds.push('before');
      expect((await start()).status).to.equal(503);
      await world.recover('it runs', async () => (await cyclesStored(association_id))[0]?.status === 'running');
      // The order names everyone who was there then; that another has joined since is no reason to refuse.
      world.join(association_id);
      const reply = await start();
      expect(reply.status).to.equal(201);
      expect(reply.body.hands).to.have.length(2);
    });

    it('tells why the cycle could not start when recovery has refused it meanwhile', async () => {
      const { association_id, people, president } = world.tontine([1, 1]);
      const member_order = people.map((person) => person.member_id);
      const start = () =>
        service.startCycle(president.user_id, association_id, { order: 'manual', member_order }, 'stale');
      world.membership.lostBinds.push('before');
      expect((await start()).status).to.equal(503);
      world.join(association_id);
      await world.recover('it is refused', async () => (await cyclesStored(association_id))[0]?.status === 'refused');
      const reply = await start();
      expect(reply.code).to.equal('validation_failed');
      expect(reply.extras.errors).to.have.nested.property('[0].code', 'member_order_mismatch');
    });
  });
});
