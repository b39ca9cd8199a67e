import { expect } from 'chai';
import { obligations } from '../../../lib/contracts/contribution.ts';
import { eventually } from '../../harness/eventually.ts';
import { useAssociation } from '../../harness/membership.ts';
import { atOnce, outcomeOf, outcomesOf } from '../../harness/refusal.ts';

const POINT = 'membership.ending.';

describe('leaving', () => {
  const harness = useAssociation();

  const leave = (user = 'awa', key?: string) => harness.leave(user, harness.association_id, key);
  const locked = () => [...harness.treasury.membership_locks.values()];
  const expectMember = async () => {
    expect((await harness.members())[1]?.status).to.equal('active');
    expect(locked()).to.deep.equal([]);
    expect(await harness.events(harness.association_id, 'member.left')).to.deep.equal([]);
  };
  const expectGone = async () => {
    const { awa, association_id } = harness;
    expect((await harness.members())[1]?.status).to.equal('left');
    expect((await harness.show()).member_count).to.equal(1);
    expect(locked()).to.deep.equal([`${awa.id}/0`]);
    const left = { type: 'member.left', data: { member_id: awa.id, user_id: 'awa' } };
    expect(await harness.events(association_id, 'member.left')).to.deep.equal([left]);
  };
  const meanwhile = (point: string, work: () => unknown) => harness.once(POINT + point, work);
  const startCycle = () => {
    harness.contribution.obligations.cycle_running = true;
    return harness.bindCycle();
  };

  it('ends the membership, frees its place and publishes an event', async () => {
    await leave();
    await expectGone();
    expect(await outcomeOf(leave())).to.equal('not_found');
  });

  it('does not happen if its process was frozen while a repeat was refused', async () => {
    expect(await harness.outcomeAfterRefusedRepeat('a key', () => leave('awa', 'a key'))).to.equal(
      'idempotency_in_flight',
    );
    await expectMember();
    await leave('awa', 'a key');
    await expectGone();
  });

  it('is refused for the president, strangers and members of a closed association', async () => {
    expect(await outcomeOf(leave('host'))).to.equal('president_cannot_leave');
    expect(await outcomeOf(leave('stranger'))).to.equal('not_found');
    await harness.close();
    expect(await outcomeOf(leave())).to.equal('association_closed');
  });

  it('is refused while the member has a running cycle, arrears, a submitted sheet or pending transfers', async () => {
    await harness.bindCycle();
    const { contribution, treasury } = harness;
    for (const [where, reason] of [
      [contribution.obligations, 'cycle_running'],
      [contribution.obligations, 'has_arrears'],
      [contribution, 'is_on_sheet'],
      [treasury, 'pending'],
    ] as const) {
      Object.assign(where, { [reason]: true });
      expect(await outcomeOf(leave()), reason).to.equal('member_has_obligations');
      Object.assign(where, { [reason]: false });
    }
    await leave();
  });

  it('asks contribution about the cycle that binds the member, and succeeds if that is not running', async () => {
    const cycle_id = harness.newId();
    await harness.bindCycle(cycle_id);
    await harness.join('binta');
    await leave('binta');
    await leave();
    // Each request asks before the treasury locks the membership, and again when it is locked.
    const asked = harness.contribution.received(obligations).map((each) => each.cycle_id);
    expect(asked).to.deep.equal([null, null, cycle_id, cycle_id]);
  });

  it('happens once when requests are concurrent', async () => {
    const outcomes = await outcomesOf(atOnce(6, () => leave()));
    expect(outcomes.filter((outcome) => outcome === 'done')).to.have.length(1);
    await expectGone();
  });

  it('never leaves an association without a president, even if the member becomes president concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      await harness.foundOurs();
      await Promise.allSettled([leave(), harness.appoint(harness.awa.id, 'president')]);
      const presidents = (await harness.members()).filter((each) => each.role === 'president');
      expect(presidents.map((each) => each.status)).to.deep.equal(['active']);
    }
  });

  it('locks only that membership, so that a member who rejoins is not locked', async () => {
    await leave();
    await harness.join('awa');
    await leave();
    expect(locked()).to.deep.equal([`${harness.awa.id}/0`, `${harness.awa.id}/1`]);
  });

  describe('is refused without leaving a lock', () => {
    for (const [change, point, work, code] of [
      ['when a cycle binds the member', 'locking', startCycle, 'member_has_obligations'],
      ['when a cycle binds the member', 'locking.acted', startCycle, 'member_has_obligations'],
      [
        'when a whole cycle, which may have left arrears, has passed since contribution answered',
        'locking.acted',
        async () => {
          const passed = harness.newId();
          await harness.bindCycle(passed);
          await harness.releaseCycle(passed);
        },
        'member_has_obligations',
      ],
      [
        'when the member becomes president',
        'locking.acted',
        () => harness.appoint(harness.awa.id, 'president'),
        'president_cannot_leave',
      ],
      [
        'when the treasury has something pending for the member',
        'locking',
        () => (harness.treasury.pending = true),
        'member_has_obligations',
      ],
    ] as const) {
      it(`${change} at ${point}`, async () => {
        meanwhile(point, work);
        expect(await outcomeOf(leave())).to.equal(code);
        await expectMember();
      });
    }
  });

  it('keeps the member out of a cycle that begins after it', async () => {
    let bound: string[] = [];
    meanwhile('done', async () => {
      bound = (await harness.bindCycle()).members.map((member) => member.member_id);
    });
    await leave();
    expect(bound).to.deep.equal([harness.host_id]);
  });

  describe('whose process dies', () => {
    for (const point of ['locking', 'locking.acted']) {
      it(`at ${point} is completed by recovery, and a repeat with the key succeeds`, async () => {
        harness.failAt(POINT + point);
        const key = harness.newId();
        expect(await outcomeOf(leave('awa', key))).to.equal('outcome_unknown');
        await eventually(expectGone);
        await leave('awa', key);
        await expectGone();
      });
    }

    for (const point of ['locking', 'locking.acted', 'unlocking', 'unlocking.acted']) {
      it(`at ${point} is undone by recovery if something has become pending`, async () => {
        harness.failAt(POINT + point);
        meanwhile('locking', () => {
          harness.treasury.pending = true;
          if (point === 'locking') throw new Error('the process dies');
        });
        expect(await outcomeOf(leave())).to.equal('outcome_unknown');
        const stored = () =>
          harness.sql('SELECT status FROM endings WHERE association_id = $1', harness.association_id);
        await eventually(async () => expect(await stored()).to.deep.equal([{ status: 'refused' }]));
        await expectMember();
      });
    }

    it('after its end is stored is answered with that end', async () => {
      meanwhile('locking', () => (harness.treasury.pending = true));
      harness.failAt(`${POINT}refused`);
      expect(await outcomeOf(leave())).to.equal('member_has_obligations');
      await expectMember();
      harness.treasury.pending = false;
      harness.failAt(`${POINT}done`);
      await leave();
      await expectGone();
    });
  });
});
