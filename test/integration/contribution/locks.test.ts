import { expect } from 'chai';
import type { Remains } from '../../../lib/contracts/approvals.ts';
import { lockAssociation, scheduleMeeting, unlockAssociation } from '../../../lib/contracts/contribution.ts';
import { useContribution } from '../../harness/contribution.ts';
import type { Running, World } from '../../harness/contribution.ts';

describe('contribution: locking an association for its closure', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  async function locking(association_id: string, approval_id: string, dry_run = false): Promise<Remains> {
    const answer: { remains: Remains } = await service.broker.call(lockAssociation.name, {
      association_id,
      approval_id,
      dry_run,
    });
    return answer.remains;
  }
  const unlocking = (association_id: string, approval_id: string) =>
    service.broker.call(unlockAssociation.name, { association_id, approval_id });
  const schedule = (user_id: string, association_id: string) =>
    service.call(scheduleMeeting, user_id, { path: { association_id } });

  it('lets no cycle or meeting begin once locked, and answers a repeat the same', async () => {
    const { association_id, president } = world.tontine([1, 1]);
    const approval_id = world.newId();
    expect(await locking(association_id, approval_id)).to.equal('nothing');
    expect(await locking(association_id, approval_id)).to.equal('nothing');
    // Whether it is closed for good is for membership to say, which has it open.
    expect((await schedule(president.user_id, association_id)).code).to.equal('service_unavailable');
    expect((await service.startCycle(president.user_id, association_id)).code).to.equal('service_unavailable');
    expect(await world.rows('SELECT id FROM cycles WHERE association_id = $1', [association_id])).to.deep.equal([]);
    expect(await world.events(association_id)).to.deep.equal([]);
    const other = world.tontine([1, 1]);
    expect((await schedule(other.president.user_id, other.association_id)).status).to.equal(201);
  });

  it('only looks in a dry run, and opens again for the closure that locked it', async () => {
    const { association_id, president } = world.tontine([1, 1]);
    const approval_id = world.newId();
    expect(await locking(association_id, world.newId(), true)).to.equal('nothing');
    expect(await locking(association_id, approval_id)).to.equal('nothing');
    await unlocking(association_id, world.newId());
    expect((await schedule(president.user_id, association_id)).code).to.equal('service_unavailable');
    await unlocking(association_id, approval_id);
    // No late request of that closure locks it.
    expect(await locking(association_id, approval_id)).to.equal('something');
    expect((await schedule(president.user_id, association_id)).status).to.equal(201);
    expect(await locking(association_id, world.newId(), true)).to.equal('something');
  });

  it('does not lock while a meeting is open or settling', async () => {
    const { association_id, president } = world.tontine([1, 1]);
    const meeting = await service.scheduleMeeting(president, association_id);
    expect(await locking(association_id, world.newId())).to.equal('something');
    await world.rows(`UPDATE meetings SET status = 'settling', attempt_id = $2 WHERE id = $1`, [
      meeting.id,
      world.newId(),
    ]);
    expect(await locking(association_id, world.newId())).to.equal('something');
    await world.rows(`UPDATE meetings SET status = 'open', attempt_id = NULL WHERE id = $1`, [meeting.id]);
    await service.settle(president, meeting);
    expect(await locking(association_id, world.newId())).to.equal('nothing');
  });

  it('does not lock while a cycle starts or runs, and does after one that could not start', async () => {
    const starting = world.tontine([1, 1]);
    world.membership.lostBinds.push('before');
    await service.startCycle(starting.president.user_id, starting.association_id);
    expect(await locking(starting.association_id, world.newId(), true)).to.equal('undecided');
    expect(await locking(starting.association_id, world.newId())).to.equal('undecided');
    const kitty = await service.scheduleMeeting(starting.president, starting.association_id);
    expect(await locking(starting.association_id, world.newId()), 'beside a meeting').to.equal('something');
    await world.rows(`UPDATE meetings SET status = 'cancelled' WHERE id = $1`, [kitty.id]);
    const refused = world.tontine([1]);
    await service.startCycle(refused.president.user_id, refused.association_id);
    expect(await locking(refused.association_id, world.newId())).to.equal('nothing');
    const { association_id, president, meetings, pay } = await world.cycle(service, [1, 1]);
    for (const meeting of meetings) {
      expect(await locking(association_id, world.newId())).to.equal('something');
      await pay(meeting);
      expect((await service.settle(president, meeting)).status).to.equal(200);
    }
    expect(await locking(association_id, world.newId())).to.equal('nothing');
  });

  it('does not judge a start that is under way, and locks or refuses once that is decided', async () => {
    const ends = { refused: 'nothing', running: 'something' } as const;
    const starting = [];
    for (const end of ['refused', 'running'] as const) {
      const { association_id, president } = world.tontine([1, 1]);
      world.membership.lostBinds.push(end === 'refused' ? 'before' : 'after');
      expect((await service.startCycle(president.user_id, association_id)).code).to.equal('outcome_unknown');
      expect(await locking(association_id, world.newId()), end).to.equal('undecided');
      // Membership marks it: what is bound before runs, what comes after is refused.
      world.membership.associations.get(association_id)!.terms.status = 'closed';
      starting.push({ association_id, end });
    }
    for (const { association_id, end } of starting) {
      await world.recover(end, async () => (await locking(association_id, world.newId())) === ends[end]);
      const cycles = await world.rows('SELECT status FROM cycles WHERE association_id = $1', [association_id]);
      expect(cycles).to.deep.equal([{ status: end }]);
    }
  });

  it('does not lock while a member owes arrears, or a contribution has no outcome', async () => {
    const { association_id, people, president } = world.tontine([1, 1]);
    const meeting = await service.scheduleMeeting(president, association_id);
    await service.settle(president, meeting);
    const [debtor, creditor] = people.map((person) => person.member_id);
    await world.rows(
      `INSERT INTO arrears (meeting_id, debtor_id, creditor_id, association_id, rank, amount_minor, settled_at)
       VALUES ($1, $2, $3, $4, 0, 10, now())`,
      [meeting.id, debtor, creditor, association_id],
    );
    expect(await locking(association_id, world.newId())).to.equal('something');
    await world.rows('UPDATE arrears SET taken_minor = 10, paid_minor = 10 WHERE meeting_id = $1', [meeting.id]);
    expect(await locking(association_id, world.newId())).to.equal('nothing');

    const waiting = world.tontine([1, 1]);
    const kitty = await service.scheduleMeeting(waiting.president, waiting.association_id);
    world.treasury.mishaps.push('request_lost');
    expect((await service.contribute(waiting.president, kitty, 5)).status).to.equal(202);
    await world.rows(`UPDATE meetings SET status = 'cancelled' WHERE id = $1`, [kitty.id]);
    expect(await locking(waiting.association_id, world.newId())).to.equal('something');
  });

  it('locks or lets begin, never both, when all come at once', async () => {
    const seen = new Set<boolean>();
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const { association_id, president } = world.tontine([1, 1]);
      const meetings = Array.from({ length: 3 }, () => schedule(president.user_id, association_id));
      const cycles = Array.from({ length: 2 }, () => service.startCycle(president.user_id, association_id));
      const locks = Array.from({ length: 2 }, () => locking(association_id, world.newId()));
      const [scheduled, started, locked] = await Promise.all([
        Promise.all(meetings),
        Promise.all(cycles),
        Promise.all(locks),
      ]);
      const begun = [...scheduled, ...started].filter((reply) => reply.status === 201).length;
      const isLocked = locked.includes('nothing');
      expect(begun === 0, `begun ${String(begun)}, locked ${locked.join()}`).to.equal(isLocked);
      expect([...scheduled, ...started].map((reply) => reply.status)).to.not.include(500);
      seen.add(isLocked);
    }
    expect(seen.size).to.be.greaterThan(0);
  });
});
