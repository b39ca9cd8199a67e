import { expect } from 'chai';
import { bindCycle, leaveAssociation, listMembers, releaseCycle } from '../../../lib/contracts/membership.ts';
import type { Member } from '../../../lib/contracts/membership.ts';
import { eventually } from '../../harness/eventually.ts';
import { MembershipBench, refusalOf } from '../../harness/membership.ts';

const STEPS_OF_DONE = ['membership.ending_begun', 'membership.treasury_locked', 'membership.ending_done'];
const STEPS_OF_REFUSED = [
  'membership.ending_begun',
  'membership.treasury_locked',
  'membership.ending_refused',
  'membership.unlocked',
  'membership.ending_undone',
];

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
  /** Does something at a step, once. */
  const meanwhile = (step: string, work: () => unknown) =>
    bench.atStep.set(step, async () => {
      bench.atStep.delete(step);
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

  for (const step of ['membership.ending_begun', 'membership.treasury_locked']) {
    it(`is refused, and leaves no lock, when a cycle binds the member at ${step}`, async () => {
      meanwhile(step, async () => {
        bench.others.obligations.cycle_running = true;
        await bench.command(bindCycle, cycle());
      });
      expect((await refusalOf(leave())).code).to.equal('member_has_obligations');
      await expectMember();
    });
  }

  it('is refused when a whole cycle has passed since contribution was asked, as it may have left arrears', async () => {
    meanwhile('membership.treasury_locked', async () => {
      const passed = cycle();
      await bench.command(bindCycle, passed);
      await bench.command(releaseCycle, passed);
    });
    expect((await refusalOf(leave())).code).to.equal('member_has_obligations');
    await expectMember();
    await leave();
  });

  it('is refused when the member becomes president, or something is pending for them', async () => {
    meanwhile('membership.treasury_locked', () => bench.appoint(association_id, awa.id, 'president'));
    expect((await refusalOf(leave())).code).to.equal('president_cannot_leave');
    await expectMember();
    const host = (await bench.as('host', listMembers, path())).data[0]!;
    await bench.appoint(association_id, host.id, 'president');
    meanwhile('membership.ending_begun', () => (bench.others.obligations.pending = true));
    expect((await refusalOf(leave())).code).to.equal('member_has_obligations');
    await expectMember();
  });

  it('does not see a cycle that begins after it', async () => {
    let bound: string[] = [];
    meanwhile('membership.ending_done', async () => {
      bound = (await bench.command(bindCycle, cycle())).members.map((member) => member.member_id);
    });
    await leave();
    expect(bound).to.have.length(1).and.to.not.include(awa.id);
  });

  describe('that dies', () => {
    for (const step of STEPS_OF_DONE) {
      it(`at ${step} is done by the recovery, and a repeat with the key is told so`, async () => {
        bench.dieAt(step);
        const key = bench.newId();
        expect((await refusalOf(leave(key))).code).to.equal('outcome_unknown');
        await eventually(expectGone);
        await leave(key);
        await expectGone();
      });
    }

    for (const step of STEPS_OF_REFUSED) {
      it(`at ${step} is undone by the recovery where something came in`, async () => {
        bench.dieAt(step);
        const dies = bench.atStep.get(step)!;
        meanwhile('membership.ending_begun', () => {
          bench.others.obligations.pending = true;
          if (step === 'membership.ending_begun') return dies();
        });
        expect((await refusalOf(leave())).code).to.equal('outcome_unknown');
        await eventually(async () => {
          const rows = await bench.sql('SELECT state FROM endings WHERE association_id = $1', association_id);
          expect(rows).to.deep.equal([{ state: 'refused' }]);
        });
        await expectMember();
      });
    }
  });
});
