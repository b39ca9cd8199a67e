import { expect } from 'chai';
import type { EventType } from '../../../lib/contracts/events.ts';
import {
  acceptInvitation,
  bindCycle,
  changeOwnMembership,
  checkProposal,
  createInvitation,
  DEFAULT_RULES,
  executeApproval,
  getAssociation,
  leaveAssociation,
  listMembers,
} from '../../../lib/contracts/membership.ts';
import type { Member } from '../../../lib/contracts/membership.ts';
import { useMembership } from '../../harness/membership.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

const DONE = { status: 'done', error: null };
const failed = (error: string) => ({ status: 'failed', error });

describe('an approved proposal', () => {
  const bench = useMembership();
  let association_id: string;
  let host_id: string;
  let awa: Member;
  beforeEach(async () => {
    const association = await bench.found('host');
    association_id = association.id;
    host_id = association.membership!.member_id;
    awa = await bench.join('awa', association_id);
  });

  const path = () => ({ path: { association_id } });
  const show = () => bench.as('host', getAssociation, path());
  const check = (type: 'role_change' | 'rules_change' | 'expulsion' | 'closure' | 'motion', payload: object) =>
    bench.command(checkProposal, { association_id, type, payload: { ...payload } });
  const eventsOf = <T extends EventType>(type: T) => bench.events(association_id, type);
  /** Neither may write anything. */
  const refusedBoth = async (type: 'role_change' | 'rules_change' | 'expulsion', payload: object, code: string) => {
    const before = [await show(), await bench.events(association_id)];
    expect(await outcomeOf(check(type, payload))).to.equal(code);
    expect(await bench.execute(association_id, type, { ...payload })).to.deep.equal(failed(code));
    expect([await show(), await bench.events(association_id)]).to.deep.equal(before);
  };

  describe('to change the rules', () => {
    it('merges them, increments the version and publishes an event', async () => {
      const payload = {
        rules: { shortfall: 'pay_collected', approvals: { distribution: 3 } },
        contribution_amount: 12_500,
        max_members: 2,
      };
      await check('rules_change', payload);
      const approval_id = bench.newId();
      expect(await bench.execute(association_id, 'rules_change', payload, approval_id)).to.deep.equal(DONE);
      const approvals = { ...DEFAULT_RULES.approvals, distribution: 3 };
      expect(await show()).to.deep.include({
        rules: { ...DEFAULT_RULES, shortfall: 'pay_collected', approvals },
        rules_version: 2,
        contribution_amount: 12_500,
        max_members: 2,
      });
      const data = { rules_version: 2, contribution_amount_minor: 12_500, max_members: 2, approval_id };
      expect(await eventsOf('rules.changed')).to.deep.equal([{ type: 'rules.changed', data }]);
      await bench.execute(association_id, 'rules_change', payload, approval_id);
      expect(await eventsOf('rules.changed')).to.have.length(1);
    });

    it('applies both of two that are executed at once', async () => {
      await Promise.all([
        bench.execute(association_id, 'rules_change', { contribution_amount: 7 }),
        bench.execute(association_id, 'rules_change', { rules: { approvals: { motion: 9 } } }),
        bench.execute(association_id, 'rules_change', { rules: { beneficiaries_per_meeting: 2 } }),
      ]);
      const { rules, rules_version, contribution_amount } = await show();
      expect(contribution_amount).to.equal(7);
      expect(rules).to.include({ beneficiaries_per_meeting: 2 });
      expect(rules.approvals.motion).to.equal(9);
      expect(rules_version).to.equal(4);
    });

    it('refuses a maximum below the number of members', async () => {
      await bench.join('binta', association_id);
      await refusedBoth('rules_change', { max_members: 2 }, 'association_full');
    });

    it('has a winner against a user who joins at the same time, and never too many members', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id } = await bench.found('host', { max_members: 3 });
        await bench.join('awa', id);
        const [joined, changed] = await Promise.allSettled([
          bench.join('binta', id),
          bench.execute(id, 'rules_change', { max_members: 2 }),
        ]);
        const { member_count, max_members } = await bench.as('host', getAssociation, { path: { association_id: id } });
        expect(member_count).to.be.at.most(max_members);
        if (joined.status === 'fulfilled') expect(changed).to.have.nested.property('value.error', 'association_full');
        else expect(max_members).to.equal(2);
      }
    });

    it("takes an amount in the currency's precision, naming the field", async () => {
      await refusedBoth('rules_change', { contribution_amount: 0.5 }, 'amount_precision');
      const { extras } = await refusalOf(check('rules_change', { contribution_amount: 0.5 }));
      expect((extras.errors as unknown[])[0]).to.include({ pointer: '/payload/contribution_amount' });
    });

    it('takes only what a change of rules is', async () => {
      await refusedBoth('rules_change', { rules: { currency: 'EUR' } }, 'validation_failed');
      await refusedBoth('rules_change', { max_members: 1 }, 'validation_failed');
    });
  });

  describe('to change a role', () => {
    const change = (member_id: string, role: string, approval_id = bench.newId()) =>
      bench.execute(association_id, 'role_change', { member_id, role }, approval_id);
    const roles = async () =>
      (await bench.as('host', listMembers, path())).data.map(({ user_id, role }) => [user_id, role]);
    const changes = async () => (await eventsOf('member.role_changed')).map(({ data }) => data);

    it('changes it and publishes an event', async () => {
      const approval_id = bench.newId();
      expect(await change(awa.id, 'treasurer', approval_id)).to.deep.equal(DONE);
      expect(await roles()).to.deep.equal([
        ['host', 'president'],
        ['awa', 'treasurer'],
      ]);
      expect(await changes()).to.deep.equal([{ member_id: awa.id, from: 'member', to: 'treasurer', approval_id }]);
    });

    it('hands the presidency over in one step', async () => {
      await check('role_change', { member_id: awa.id, role: 'president' });
      await change(awa.id, 'president');
      expect(await roles()).to.deep.equal([
        ['host', 'member'],
        ['awa', 'president'],
      ]);
      expect((await changes()).map(({ from, to }) => [from, to])).to.deep.equal([
        ['president', 'member'],
        ['member', 'president'],
      ]);
    });

    it('is executed once for each approval, also by many parallel requests', async () => {
      const approval_id = bench.newId();
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => change(awa.id, 'secretary', approval_id)));
      for (const outcome of outcomes) expect(outcome).to.deep.equal(DONE);
      expect(await changes()).to.have.length(1);
      await change(awa.id, 'member');
      await change(awa.id, 'secretary', approval_id);
      expect(await roles()).to.deep.include(['awa', 'member']);
    });

    it('fails for good for a member who has left, and stays failed when they are back', async () => {
      await bench.as('awa', leaveAssociation, path());
      const approval_id = bench.newId();
      expect(await change(awa.id, 'secretary', approval_id)).to.deep.equal(failed('not_found'));
      await bench.join('awa', association_id);
      expect(await change(awa.id, 'secretary', approval_id)).to.deep.equal(failed('not_found'));
      expect(await changes()).to.deep.equal([]);
    });

    it('is refused to a president who names no successor, for an unknown member, and for a payload that is none', async () => {
      await refusedBoth('role_change', { member_id: host_id, role: 'member' }, 'president_cannot_leave');
      await refusedBoth('role_change', { member_id: bench.newId(), role: 'member' }, 'not_found');
      await refusedBoth('role_change', { role: 'king' }, 'validation_failed');
    });
  });

  describe('to expel a member', () => {
    const expel = (member_id = awa.id) => bench.execute(association_id, 'expulsion', { member_id });

    it('frees a place, publishes an event, and ends access for the member', async () => {
      await check('expulsion', { member_id: awa.id });
      const approval_id = bench.newId();
      const outcome = await bench.execute(association_id, 'expulsion', { member_id: awa.id }, approval_id);
      expect(outcome).to.deep.equal(DONE);
      expect((await show()).member_count).to.equal(1);
      const data = { member_id: awa.id, user_id: 'awa', approval_id };
      expect(await eventsOf('member.expelled')).to.deep.equal([{ type: 'member.expelled', data }]);
      const { data: members } = await bench.as('host', listMembers, path());
      expect(members.find(({ id }) => id === awa.id)).to.include({
        status: 'expelled',
        hands: 1,
        payout_wallet_id: 'wallet-awa-XAF',
      });
      expect(await outcomeOf(bench.as('awa', listMembers, path()))).to.equal('not_found');
    });

    it('is executed once, also by many parallel requests', async () => {
      const approval_id = bench.newId();
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, () => bench.execute(association_id, 'expulsion', { member_id: awa.id }, approval_id)),
      );
      for (const outcome of outcomes) expect(outcome).to.deep.equal(DONE);
      expect((await show()).member_count).to.equal(1);
    });

    it('is done by one of two approvals that come at once', async () => {
      const outcomes = await Promise.all([expel(), expel()]);
      expect(outcomes.map(({ error }) => error).toSorted()).to.deep.equal(['not_found', null]);
      expect((await show()).member_count).to.equal(1);
      expect(await eventsOf('member.expelled')).to.have.length(1);
    });

    it('leaves the member count right when they leave at the same time', async () => {
      await Promise.allSettled([expel(), bench.as('awa', leaveAssociation, path())]);
      expect((await show()).member_count).to.equal(1);
    });

    it('is refused for the president and for users who are not active members', async () => {
      await refusedBoth('expulsion', { member_id: host_id }, 'president_cannot_leave');
      await refusedBoth('expulsion', { member_id: bench.newId() }, 'not_found');
      await refusedBoth('expulsion', { member_id: 'no-such-member' }, 'not_found');
      await bench.as('awa', leaveAssociation, path());
      await refusedBoth('expulsion', { member_id: awa.id }, 'not_found');
    });

    it('waits for the end of a cycle that binds them; who joined since then may go', async () => {
      bench.contribution.obligations.cycle_running = true;
      await bench.command(bindCycle, { association_id, cycle_id: bench.newId() });
      await refusedBoth('expulsion', { member_id: awa.id }, 'member_has_obligations');
      const binta = await bench.join('binta', association_id);
      expect(await expel(binta.id)).to.deep.equal(DONE);
    });

    it('needs no event to know that the cycle has completed, and no paid arrears', async () => {
      await bench.command(bindCycle, { association_id, cycle_id: bench.newId() });
      bench.contribution.obligations.has_arrears = true;
      expect(await expel()).to.deep.equal(DONE);
    });

    it('waits for the decision on a cash deposit or distribution of the member', async () => {
      bench.treasury.pending = true;
      await refusedBoth('expulsion', { member_id: awa.id }, 'member_has_obligations');
      expect([...bench.treasury.membership_locks.values()]).to.not.include(`${awa.id}/0`);
      bench.treasury.pending = false;
      expect(await expel()).to.deep.equal(DONE);
    });

    it('is checked by what will carry it out', async () => {
      await bench.command(bindCycle, { association_id, cycle_id: bench.newId() });
      await check('expulsion', { member_id: awa.id });
      expect(await eventsOf('member.expelled')).to.deep.equal([]);
      expect((await show()).member_count).to.equal(2);
    });

    it('ends with an invitation alone: the same member, with their wallet', async () => {
      await expel();
      expect(await outcomeOf(bench.join('awa', association_id))).to.equal('not_found');
      const { code } = await bench.as('host', createInvitation, path());
      const back = await bench.as('awa', acceptInvitation, { path: { code }, body: { hands: 2 } });
      expect(back).to.include({ id: awa.id, role: 'member', status: 'active', hands: 2 });
      await bench.as('awa', changeOwnMembership, { ...path(), body: { display_name: 'Awa again' } });
    });

    it('is not what happens to a member who leaves: they may join again', async () => {
      await bench.as('awa', leaveAssociation, path());
      expect((await bench.join('awa', association_id)).id).to.equal(awa.id);
    });
  });

  it('changes nothing unless it was approved', async () => {
    const approval = { association_id, subject_id: bench.newId(), payload: { member_id: awa.id, role: 'treasurer' } };
    for (const decision of ['rejected', 'expired', 'cancelled'] as const) {
      const closed = { ...approval, approval_id: bench.newId(), subject_type: 'role_change' as const, decision };
      expect(await bench.command(executeApproval, closed)).to.deep.equal(DONE);
    }
    expect(await eventsOf('member.role_changed')).to.deep.equal([]);
  });

  it('of another type is checked and carried out like any other', async () => {
    await check('motion', { text: 'We meet on Sundays.' });
    expect(await bench.execute(association_id, 'motion', { text: 'We meet on Sundays.' })).to.deep.equal(DONE);
    const nowhere = { association_id: bench.newId(), type: 'motion', payload: {} } as const;
    expect(await outcomeOf(bench.command(checkProposal, nowhere))).to.equal('not_found');
    expect(await outcomeOf(bench.execute(nowhere.association_id, 'motion', {}))).to.equal('not_found');
  });
});
