import { expect } from 'chai';
import { listContributions } from '../../../lib/contracts/contribution.ts';
import type { Contribution, Meeting } from '../../../lib/contracts/contribution.ts';
import { until, useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

describe('contribution: contributing', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  const stored = (meeting: Meeting) =>
    world.rows<{ status: string }>('SELECT status FROM contributions WHERE meeting_id = $1 ORDER BY id', [meeting.id]);

  const decisions = async (association_id: string) =>
    (await world.events(association_id)).map(({ type }) => type).filter((type) => type.startsWith('contribution.'));

  it('pays a due from the wallet of the payer into the pool of the meeting', async () => {
    const { president, first, association_id } = await world.cycle(service, [2, 1]);
    const reply = await service.contribute(president, first, 20_000);
    expect(reply.status).to.equal(201);
    const { id } = reply.body;
    expect(reply.location).to.match(
      new RegExp(`/associations/${association_id}/meetings/${first.id}/contributions/${id}$`),
    );
    expect(reply.body).to.deep.include({ association_id, meeting_id: first.id, member_id: president.member_id });
    expect(reply.body).to.deep.include({ paid_by_member_id: president.member_id, wallet_id: president.wallet_id });
    expect(reply.body).to.deep.include({ amount: 20_000, currency: 'XAF', method: 'wallet', status: 'paid' });
    expect(reply.body).to.deep.include({ outstanding: 0, transfer_id: id });
    expect(reply.body.paid_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(world.inPool(first)).to.equal(20_000);
    expect(world.wallet(president)).to.equal(980_000);
    expect((await service.getMeeting(president, first)).body.collected_amount).to.equal(20_000);
    const events = await world.events(association_id);
    expect(events.at(-1)).to.deep.include({
      type: 'contribution.paid',
      data: {
        contribution_id: id,
        meeting_id: first.id,
        member_id: president.member_id,
        paid_by_member_id: president.member_id,
        amount_minor: 20_000,
        currency: 'XAF',
        method: 'wallet',
        transfer_id: id,
      },
    });
    expect((await service.getContribution(president, first, id)).body).to.deep.equal(reply.body);
  });

  it('takes a due in parts, early for a later round, and by one member for another', async () => {
    const { people, meetings } = await world.cycle(service, [1, 1]);
    const [first, second] = people as [Person, Person];
    const later = meetings[1]!;
    expect((await service.contribute(first, later, 4_000)).body.outstanding).to.equal(6_000);
    const other = await service.contribute(first, later, 1_500, { for_member_id: second.member_id });
    expect(other.body).to.deep.include({ member_id: second.member_id, paid_by_member_id: first.member_id });
    expect(other.body.outstanding).to.equal(8_500);
    expect((await service.contribute(first, later, 6_000)).body.outstanding).to.equal(0);
    expect(await service.dues(first, later)).to.deep.equal([
      { member_id: first.member_id, due: 10_000, paid: 10_000, outstanding: 0, arrears: 0 },
      { member_id: second.member_id, due: 10_000, paid: 1_500, outstanding: 8_500, arrears: 0 },
    ]);
  });

  it('refuses more than is outstanding and says how much is', async () => {
    const { president, first } = await world.cycle(service, [1, 1]);
    const beforehand = await service.contribute(president, first, 10_001);
    expect(beforehand).to.deep.include({ status: 409, code: 'contribution_exceeds_due' });
    expect(beforehand.extras).to.deep.equal({ outstanding: 10_000 });
    await service.contribute(president, first, 7_000);
    expect((await service.contribute(president, first, 3_001)).extras).to.deep.equal({ outstanding: 3_000 });
    expect(await stored(first)).to.deep.equal([{ status: 'paid' }]);
    expect(world.inPool(first)).to.equal(7_000);
  });

  for (const [what, amount, times, fit] of [
    ['one of 12 identical payments made at once', 10_000, 12, 1],
    ['as many parallel partial payments as fit', 1_500, 20, 6],
  ] as const) {
    it(`counts ${what}, and refuses the others`, async () => {
      const { people, president, first } = await world.cycle(service, [1, 1]);
      const pay = (payer: Person) => service.contribute(payer, first, amount, { for_member_id: president.member_id });
      const replies = await Promise.all(Array.from({ length: times }, (_, index) => pay(people[index % 2]!)));
      const refused = replies.filter((reply) => reply.status !== 201);
      expect(refused).to.have.length(times - fit);
      for (const { code, extras } of refused) {
        expect(code).to.equal('contribution_exceeds_due');
        expect(extras.outstanding).to.be.below(amount);
      }
      expect(await service.due(president, first)).to.deep.include({ paid: fit * amount });
      expect(world.inPool(first)).to.equal(fit * amount);
      expect(await stored(first)).to.have.length(fit);
    });
  }

  it('refuses in the order of the contract and stores nothing', async () => {
    const { president, first, association_id } = await world.cycle(service, [1, 1]);
    const stranger = { ...president, user_id: 'stranger' };
    const refusals: [string, Promise<{ code: string | undefined }>][] = [
      ['not_found', service.contribute(president, { association_id, id: world.newId() }, 1.5, { pin: 'wrong' })],
      ['not_found', service.contribute(stranger, first, 1.5, { pin: 'wrong' })],
      ['amount_precision', service.contribute(president, first, 1.5, { pin: 'wrong' })],
      ['pin_invalid', service.contribute(president, first, 99_999_999, { pin: 'wrong' })],
      ['not_found', service.contribute(president, first, 1_000, { for_member_id: world.newId() })],
      ['not_found', service.contribute(president, first, 1_000, { for_member_id: 'no uuid' })],
      ['not_found', service.contribute(president, first, 1_000, { wallet_id: 'a\u0000b' })],
    ];
    for (const [index, [code, asked]] of refusals.entries()) expect((await asked).code, String(index)).to.equal(code);
    expect(await stored(first)).to.deep.equal([]);
    expect(world.treasury.posted().filter((each) => each.association_id === association_id)).to.deep.equal([]);
  });

  it('finds no due of a member who joined after the cycle started', async () => {
    const { association_id, first } = await world.cycle(service, [1, 1]);
    const late = world.join(association_id);
    const refused = await service.contribute(late, first, 1_000);
    expect([refused.code, refused.extras?.outstanding]).to.deep.equal(['contribution_exceeds_due', 0]);
    expect(await stored(first)).to.deep.equal([]);
  });

  it('passes on what the ledger refuses, gives the due back and lists nothing', async () => {
    const { association_id, people, first } = await world.cycle(service, [1, 1]);
    const [rich, other] = people as [Person, Person];
    const euros = world.treasury.openWallet(rich.user_id, 5_000, 'EUR');
    world.treasury.balances.set(`wallet:${other.wallet_id}`, 9_999n);
    const cases: [string, number, Promise<{ code: string | undefined; status: number }>][] = [
      ['insufficient_funds', 409, service.contribute(other, first, 10_000)],
      ['wallet_currency_mismatch', 422, service.contribute(rich, first, 10, { wallet_id: euros })],
      ['not_found', 404, service.contribute(rich, first, 10, { wallet_id: other.wallet_id })],
      ['not_found', 404, service.contribute(rich, first, 10, { wallet_id: 'no-such-wallet' })],
    ];
    for (const [code, status, asked] of cases) expect(await asked).to.deep.include({ code, status });
    expect((await stored(first)).every((row) => row.status === 'refused')).to.equal(true);
    expect(await service.contributions(rich, first)).to.deep.equal([]);
    expect(await service.due(other, first)).to.deep.include({ paid: 0, outstanding: 10_000 });
    expect(await decisions(association_id)).to.deep.equal([]);
    // What was given back can be paid.
    expect((await service.contribute(rich, first, 10_000, { for_member_id: other.member_id })).status).to.equal(201);
    const refused = await world.rows<{ id: string }>(`SELECT id FROM contributions WHERE status = 'refused' LIMIT 1`);
    expect((await service.getContribution(rich, first, refused[0]!.id)).code).to.equal('not_found');
  });

  for (const mishap of ['request_lost', 'answer_lost', 'late'] as const) {
    it(`answers 202 when the outcome is not known in time (${mishap}); recovery pays it, once`, async () => {
      const { association_id, president, first } = await world.cycle(service, [1, 1]);
      world.treasury.mishaps.push(mishap);
      const reply = await service.contribute(president, first, 10_000);
      const { id } = reply.body;
      expect(reply.status).to.equal(202);
      expect(reply.location).to.match(new RegExp(`/contributions/${id}$`));
      expect(reply.body).to.deep.include({ status: 'pending', transfer_id: null, paid_at: null, outstanding: 0 });
      // It holds its part of the due until it is decided.
      expect((await service.contribute(president, first, 1)).extras).to.deep.equal({ outstanding: 0 });
      expect(await service.due(president, first)).to.deep.include({ paid: 0, outstanding: 10_000 });
      await world.recover('it is paid', async () => (await service.due(president, first))?.paid === 10_000);
      const paid = (await service.getContribution(president, first, id)).body;
      expect(paid).to.deep.include({ status: 'paid', transfer_id: id });
      expect(world.inPool(first)).to.equal(10_000);
      expect(world.wallet(president)).to.equal(990_000);
      expect(await decisions(association_id)).to.deep.equal(['contribution.paid']);
    });
  }

  for (const mishap of ['request_lost', 'answer_lost'] as const) {
    it(`fails when the ledger turns out to refuse (${mishap}), and gives the due back`, async () => {
      const { association_id, president, first } = await world.cycle(service, [1, 1]);
      world.treasury.balances.set(`wallet:${president.wallet_id}`, 9_999n);
      world.treasury.mishaps.push(mishap);
      expect((await service.contribute(president, first, 10_000)).status).to.equal(202);
      const only = async () => (await service.contributions(president, first))[0];
      await world.recover('it has failed', async () => (await only())?.status === 'failed');
      expect(await only()).to.deep.include({ outstanding: 10_000, paid_at: null });
      const failed = (await world.events(association_id)).at(-1);
      expect(failed).to.deep.include({ type: 'contribution.failed' });
      expect(failed?.data).to.deep.include({ code: 'insufficient_funds' });
      expect((await service.contribute(president, first, 9_999)).status).to.equal(201);
    });
  }

  it('is decided once though its request and several recoveries run it together', async () => {
    const { association_id, president, first } = await world.cycle(service, [1, 1]);
    const eager = { recover_every_ms: 1, stale_after_ms: 0, call_timeout_ms: 2_000 };
    const recoveries = await Promise.all([world.start(eager), world.start(eager)]);
    world.treasury.mishaps.push('late');
    const reply = await service.contribute(president, first, 10_000);
    await until('it is paid', async () => (await service.due(president, first))?.paid === 10_000);
    await Promise.all(recoveries.map((each) => each.stop()));
    expect(world.treasury.asked.get(reply.body.id)).to.be.greaterThan(1);
    expect(world.inPool(first)).to.equal(10_000);
    expect(await decisions(association_id)).to.deep.equal(['contribution.paid']);
  });

  it('takes any amount outside a cycle, for active members only', async () => {
    const association_id = world.membership.found({ type: 'solidarity' });
    const president = world.join(association_id);
    const gone = world.join(association_id, { status: 'left' });
    const meeting = await service.scheduleMeeting(president, association_id);
    for (const amount of [1, 123_456, 123_456]) {
      expect((await service.contribute(president, meeting, amount)).body.outstanding).to.equal(0);
    }
    expect((await service.contribute(president, meeting, 5, { for_member_id: gone.member_id })).code).to.equal(
      'not_found',
    );
    expect(await service.dues(president, meeting)).to.deep.equal([
      { member_id: president.member_id, due: 0, paid: 246_913, outstanding: 0, arrears: 0 },
    ]);
    expect((await service.getMeeting(president, meeting)).body).to.deep.include({ collected_amount: 246_913 });
  });

  it('lists contributions newest first, page by page', async () => {
    const { association_id, president, first } = await world.cycle(service, [1, 1]);
    for (const amount of [1, 2, 3, 4, 5]) await service.contribute(president, first, amount);
    const path = { association_id, meeting_id: first.id };
    const listed = await service.pages<Contribution>(listContributions, president, path, 2);
    expect(listed.map(({ amount }) => amount)).to.deep.equal([5, 4, 3, 2, 1]);
  });
});
