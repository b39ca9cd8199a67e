import { expect } from 'chai';
import { obligations } from '../../../lib/contracts/contribution.ts';
import { bindCycle, leaveAssociation, listMembers, releaseCycle } from '../../../lib/contracts/membership.ts';
import type { Member } from '../../../lib/contracts/membership.ts';
import { eventually } from '../../harness/eventually.ts';
import { useMembership } from '../../harness/membership.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const POINT = 'membership.ending.';

describe('leaving', () => {
  const bench = useMembership();
  let association_id: string;
  let awa: Member;
  beforeEach(async () => {
    ({ id: association_id } = await bench.found('host'));
    awa = await bench.join('awa', association_id);
  });

  const path = () => ({ path: { association_id } });
  const leave = (key?: string, user = 'awa') =>
    bench.as(user, leaveAssociation, path(), key === undefined ? {} : { key });
  const statusNow = async () => (await bench.as('host', listMembers, path())).data[1]?.status;
  const departures = async () =>
    (await bench.events(association_id)).filter(({ type }) => type === 'member.left').length;
  const locked = () => [...bench.treasury.membership_locks.values()];
  const expectMember = async () => {
    expect(await statusNow()).to.equal('active');
    expect(locked()).to.deep.equal([]);
    expect(await departures()).to.equal(0);
  };
  const expectGone = async () => {
    expect(await statusNow()).to.equal('left');
    expect(locked()).to.deep.equal([`${awa.id}/0`]);
    expect(await departures()).to.equal(1);
  };
  const meanwhile = (point: string, work: () => unknown) => bench.once(POINT + point, work);
  const cycle = () => ({ association_id, cycle_id: bench.newId() });

  it('makes the member a former one, frees the place and tells the event stream', async () => {
    await leave();
    const { data } = await bench.as('host', listMembers, path());
    expect(data.map(({ user_id, status }) => [user_id, status])).to.deep.equal([
      ['host', 'active'],
      ['awa', 'left'],
    ]);
    const [row] = await bench.sql('SELECT member_count FROM associations WHERE id = $1', association_id);
    expect(row).to.deep.equal({ member_count: 1 });
    expect((await bench.events(association_id)).at(-1)).to.deep.equal({
      type: 'member.left',
      data: { member_id: data[1]!.id, user_id: 'awa' },
    });
    expect(await outcomeOf(leave())).to.equal('not_found');
  });

  it('is not for the president, nor for strangers, nor from a closed association', async () => {
    expect(await outcomeOf(leave(undefined, 'host'))).to.equal('president_cannot_leave');
    expect(await outcomeOf(leave(undefined, 'stranger'))).to.equal('not_found');
    await bench.sql(`UPDATE associations SET status = 'closed' WHERE id = $1`, association_id);
    expect(await outcomeOf(leave())).to.equal('association_closed');
  });

  it('waits for a running cycle, for arrears and for what is pending', async () => {
    await bench.command(bindCycle, cycle());
    const { contribution, treasury } = bench;
    for (const [where, reason] of [
      [contribution.obligations, 'cycle_running'],
      [contribution.obligations, 'has_arrears'],
      [treasury, 'pending'],
    ] as const) {
      Object.assign(where, { [reason]: true });
      expect(await outcomeOf(leave()), reason).to.equal('member_has_obligations');
      Object.assign(where, { [reason]: false });
    }
    await leave();
  });

  it('asks about the cycle that binds the member, and lets them go once that has completed', async () => {
    const { cycle_id, ...where } = cycle();
    await bench.command(bindCycle, { ...where, cycle_id });
    await bench.join('binta', association_id);
    await leave(undefined, 'binta');
    await leave();
    // Each asks before the treasury locks the membership, and again with that.
    expect(bench.contribution.received(obligations).map((each) => each.cycle_id)).to.deep.equal([
      null,
      null,
      cycle_id,
      cycle_id,
    ]);
  });

  it('happens once, however often it is asked for at once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => leave()));
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).to.have.length(1);
    const [row] = await bench.sql('SELECT member_count FROM associations WHERE id = $1', association_id);
    expect(row).to.deep.equal({ member_count: 1 });
  });

  it('never takes away the president, also when they become that meanwhile', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await bench.found('chair');
      const { id: member_id } = await bench.join('heir', id);
      await Promise.allSettled([
        bench.as('heir', leaveAssociation, { path: { association_id: id } }),
        bench.appoint(id, member_id, 'president'),
      ]);
      const presidents = await bench.sql(
        `SELECT id FROM members WHERE association_id = $1 AND role = 'president' AND status = 'active'`,
        id,
      );
      expect(presidents).to.have.length(1);
    }
  });

  it('locks each membership alone: a member who is back is not locked out', async () => {
    await leave();
    await expectGone();
    await bench.join('awa', association_id);
    await leave();
    expect(locked()).to.deep.equal([`${awa.id}/0`, `${awa.id}/1`]);
  });

  for (const point of ['locking', 'locking.acted']) {
    it(`is refused, and leaves no lock, when a cycle binds the member at ${point}`, async () => {
      meanwhile(point, async () => {
        bench.contribution.obligations.cycle_running = true;
        await bench.command(bindCycle, cycle());
      });
      expect(await outcomeOf(leave())).to.equal('member_has_obligations');
      await expectMember();
    });
  }

  it('is refused when a whole cycle has passed since contribution was asked, as it may have left arrears', async () => {
    meanwhile('locking.acted', async () => {
      const passed = cycle();
      await bench.command(bindCycle, passed);
      await bench.command(releaseCycle, passed);
    });
    expect(await outcomeOf(leave())).to.equal('member_has_obligations');
    await expectMember();
    await leave();
  });

  it('is refused when the member becomes president, or something is pending for them', async () => {
    meanwhile('locking.acted', () => bench.appoint(association_id, awa.id, 'president'));
    expect(await outcomeOf(leave())).to.equal('president_cannot_leave');
    await expectMember();
    const host = (await bench.as('host', listMembers, path())).data[0]!;
    await bench.appoint(association_id, host.id, 'president');
    meanwhile('locking', () => (bench.treasury.pending = true));
    expect(await outcomeOf(leave())).to.equal('member_has_obligations');
    await expectMember();
  });

  it('does not see a cycle that begins after it', async () => {
    let bound: string[] = [];
    meanwhile('done', async () => {
      bound = (await bench.command(bindCycle, cycle())).members.map((member) => member.member_id);
    });
    await leave();
    expect(bound).to.have.length(1).and.to.not.include(awa.id);
  });

  describe('that dies', () => {
    for (const point of ['locking', 'locking.acted']) {
      it(`at ${point} is done by the recovery, and a repeat with the key is told so`, async () => {
        bench.failAt(POINT + point);
        const key = bench.newId();
        expect(await outcomeOf(leave(key))).to.equal('outcome_unknown');
        await eventually(expectGone);
        await leave(key);
        await expectGone();
      });
    }

    for (const point of ['locking', 'locking.acted', 'unlocking', 'unlocking.acted']) {
      it(`at ${point} is undone by the recovery where something came in`, async () => {
        bench.failAt(POINT + point);
        meanwhile('locking', () => {
          bench.treasury.pending = true;
          if (point === 'locking') throw new Error('the process dies');
        });
        expect(await outcomeOf(leave())).to.equal('outcome_unknown');
        await eventually(async () => {
          const rows = await bench.sql('SELECT status FROM endings WHERE association_id = $1', association_id);
          expect(rows).to.deep.equal([{ status: 'refused' }]);
        });
        await expectMember();
      });
    }

    it('once its end is stored is answered as it ended', async () => {
      meanwhile('locking', () => (bench.treasury.pending = true));
      bench.failAt(`${POINT}refused`);
      expect(await outcomeOf(leave())).to.equal('member_has_obligations');
      await expectMember();
      bench.treasury.pending = false;
      bench.failAt(`${POINT}done`);
      await leave();
      await expectGone();
    });
  });
});
