import { expect } from 'chai';
import { bindCycle, leaveAssociation, listMembers, releaseCycle } from '../../../lib/contracts/membership.ts';
import type { Member } from '../../../lib/contracts/membership.ts';
import { eventually } from '../../harness/eventually.ts';
import { useMembership, expectRefused } from '../../harness/membership.ts';

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
  const expectMember = async () => {
    expect(await statusNow()).to.equal('active');
    expect([...bench.others.locks]).to.deep.equal([]);
    expect(await departures()).to.equal(0);
  };
  const expectGone = async () => {
    expect(await statusNow()).to.equal('left');
    expect([...bench.others.locks].map((lock) => lock.split(' ')[0])).to.deep.equal([`${awa.id}/0`]);
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
    await expectRefused(leave(), 'not_found');
  });

  it('is not for the president, nor for strangers, nor from a closed association', async () => {
    await expectRefused(leave(undefined, 'host'), 'president_cannot_leave');
    await expectRefused(leave(undefined, 'stranger'), 'not_found');
    await bench.sql(`UPDATE associations SET status = 'closed' WHERE id = $1`, association_id);
    await expectRefused(leave(), 'association_closed');
  });

  it('waits for a running cycle, for arrears and for what is pending', async () => {
    await bench.command(bindCycle, cycle());
    const obligations = { cycle_running: false, has_arrears: false, pending: false };
    for (const reason of ['cycle_running', 'has_arrears', 'pending'] as const) {
      bench.others.obligations = { ...obligations, [reason]: true };
      await expectRefused(leave(), 'member_has_obligations', reason);
    }
    bench.others.obligations = obligations;
    await leave();
  });

  it('asks about the cycle that binds the member, and lets them go once that has completed', async () => {
    const { cycle_id, ...where } = cycle();
    await bench.command(bindCycle, { ...where, cycle_id });
    await bench.join('binta', association_id);
    await leave(undefined, 'binta');
    await leave();
    // Each asks before the treasury locks the membership, and again with that.
    expect(bench.others.asked_cycles).to.deep.equal([null, null, cycle_id, cycle_id]);
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
    expect([...bench.others.locks].map((lock) => lock.split(' ')[0])).to.deep.equal([`${awa.id}/0`, `${awa.id}/1`]);
  });

  for (const point of ['locking', 'locking.acted']) {
    it(`is refused, and leaves no lock, when a cycle binds the member at ${point}`, async () => {
      meanwhile(point, async () => {
        bench.others.obligations.cycle_running = true;
        await bench.command(bindCycle, cycle());
      });
      await expectRefused(leave(), 'member_has_obligations');
      await expectMember();
    });
  }

  it('is refused when a whole cycle has passed since contribution was asked, as it may have left arrears', async () => {
    meanwhile('locking.acted', async () => {
      const passed = cycle();
      await bench.command(bindCycle, passed);
      await bench.command(releaseCycle, passed);
    });
    await expectRefused(leave(), 'member_has_obligations');
    await expectMember();
    await leave();
  });

  it('is refused when the member becomes president, or something is pending for them', async () => {
    meanwhile('locking.acted', () => bench.appoint(association_id, awa.id, 'president'));
    await expectRefused(leave(), 'president_cannot_leave');
    await expectMember();
    const host = (await bench.as('host', listMembers, path())).data[0]!;
    await bench.appoint(association_id, host.id, 'president');
    meanwhile('locking', () => (bench.others.obligations.pending = true));
    await expectRefused(leave(), 'member_has_obligations');
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
        bench.dieAt(POINT + point);
        const key = bench.newId();
        await expectRefused(leave(key), 'outcome_unknown');
        await eventually(expectGone);
        await leave(key);
        await expectGone();
      });
    }

    for (const point of ['locking', 'locking.acted', 'unlocking', 'unlocking.acted']) {
      it(`at ${point} is undone by the recovery where something came in`, async () => {
        bench.dieAt(POINT + point);
        const dies = bench.atPoint.get(POINT + point)!;
        meanwhile('locking', () => {
          bench.others.obligations.pending = true;
          if (point === 'locking') return dies();
        });
        await expectRefused(leave(), 'outcome_unknown');
        await eventually(async () => {
          const rows = await bench.sql('SELECT status FROM endings WHERE association_id = $1', association_id);
          expect(rows).to.deep.equal([{ status: 'refused' }]);
        });
        await expectMember();
      });
    }

    it('once its end is stored is answered as it ended', async () => {
      meanwhile('locking', () => (bench.others.obligations.pending = true));
      bench.dieAt(`${POINT}refused`);
      await expectRefused(leave(), 'member_has_obligations');
      await expectMember();
      bench.others.obligations.pending = false;
      bench.dieAt(`${POINT}done`);
      await leave();
      await expectGone();
    });
  });
});
