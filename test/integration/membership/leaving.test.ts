import { expect } from 'chai';
import { bindCycle, leaveAssociation, listMembers, releaseCycle } from '../../../lib/contracts/membership.ts';
import type { Member } from '../../../lib/contracts/membership.ts';
import { eventually } from '../../harness/eventually.ts';
import { MembershipBench, refusalOf } from '../../harness/membership.ts';

const POINT = 'membership.ending.';

describe('leaving, step by step', () => {
  let bench: MembershipBench;
  let association_id: string;
  let awa: Member;
  before(async () => {
    bench = await MembershipBench.start();
  });
  after(() => bench.stop());
  beforeEach(async () => {
    bench.atStep.clear();
    bench.others.obligations = { cycle_running: false, has_arrears: false, pending: false };
    bench.others.locks.clear();
    ({ id: association_id } = await bench.found('host'));
    awa = await bench.join('awa', association_id);
  });

  const path = () => ({ path: { association_id } });
  const leave = (key?: string) => bench.as('awa', leaveAssociation, path(), key === undefined ? {} : { key });
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
  /** Does something at a point, once. */
  const meanwhile = (point: string, work: () => unknown) =>
    bench.atStep.set(POINT + point, async () => {
      bench.atStep.delete(POINT + point);
      await work();
    });
  const cycle = () => ({ association_id, cycle_id: bench.newId() });

  it('locks each membership for itself: who is back is not locked out', async () => {
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
      expect((await refusalOf(leave())).code).to.equal('member_has_obligations');
      await expectMember();
    });
  }

  it('is refused when a whole cycle has passed since contribution was asked, as it may have left arrears', async () => {
    meanwhile('locking.acted', async () => {
      const passed = cycle();
      await bench.command(bindCycle, passed);
      await bench.command(releaseCycle, passed);
    });
    expect((await refusalOf(leave())).code).to.equal('member_has_obligations');
    await expectMember();
    await leave();
  });

  it('is refused when the member becomes president, or something is pending for them', async () => {
    meanwhile('locking.acted', () => bench.appoint(association_id, awa.id, 'president'));
    expect((await refusalOf(leave())).code).to.equal('president_cannot_leave');
    await expectMember();
    const host = (await bench.as('host', listMembers, path())).data[0]!;
    await bench.appoint(association_id, host.id, 'president');
    meanwhile('locking', () => (bench.others.obligations.pending = true));
    expect((await refusalOf(leave())).code).to.equal('member_has_obligations');
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
        expect((await refusalOf(leave(key))).code).to.equal('outcome_unknown');
        await eventually(expectGone);
        await leave(key);
        await expectGone();
      });
    }

    for (const point of ['locking', 'locking.acted', 'unlocking', 'unlocking.acted']) {
      it(`at ${point} is undone by the recovery where something came in`, async () => {
        bench.dieAt(POINT + point);
        const dies = bench.atStep.get(POINT + point)!;
        meanwhile('locking', () => {
          bench.others.obligations.pending = true;
          if (point === 'locking') return dies();
        });
        expect((await refusalOf(leave())).code).to.equal('outcome_unknown');
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
      expect((await refusalOf(leave())).code).to.equal('member_has_obligations');
      await expectMember();
      bench.others.obligations.pending = false;
      bench.dieAt(`${POINT}done`);
      await leave();
      await expectGone();
    });
  });
});
