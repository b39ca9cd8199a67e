import { expect } from 'chai';
import * as governance from '../../../lib/contracts/governance.ts';
import type { Proposal } from '../../../lib/contracts/governance.ts';
import { checkProposal, executeApproval } from '../../../lib/contracts/membership.ts';
import { executeApproval as executeMoney } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import type { FakeAssociation } from '../../harness/fakes/membership.ts';
import { useGovernance } from '../../harness/governance.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

type Type = Proposal['type'];
type Payload = Record<string, unknown>;

/** A payload of each type as a client may send it, and as it is stored. The fourth member is the one concerned. */
const PAYLOADS: Record<Type, (member_id: string) => { sent: Payload; stored: Payload }> = {
  role_change: (member_id) => ({
    sent: { member_id: member_id.toUpperCase(), role: ' Secretary ' },
    stored: { member_id, role: 'secretary' },
  }),
  rules_change: () => {
    const stored = { rules: { shortfall: 'pay_collected', approvals: { motion: 3 } }, contribution_amount: 12_000 };
    return { sent: { ...stored, rules: { ...stored.rules, shortfall: 'PAY_COLLECTED' } }, stored };
  },
  expulsion: (member_id) => ({ sent: { member_id: member_id.toUpperCase() }, stored: { member_id } }),
  closure: () => ({ sent: {}, stored: {} }),
  motion: () => ({ sent: { text: ' We thank Awa. ' }, stored: { text: 'We thank Awa.' } }),
};
const TYPES = Object.keys(PAYLOADS) as Type[];
const CARRIED_OUT = TYPES.filter((type) => type !== 'motion');

describe('governance: proposals', () => {
  const bench = useGovernance();

  const payloadOf = (type: Type, group: FakeAssociation) => PAYLOADS[type](group.members.at(-1)!.member_id);
  const made = async (index: number, group: FakeAssociation, type: Type) =>
    await bench.propose(index, group, payloadOf(type, group).sent, type);
  const count = async (group: FakeAssociation) =>
    (await bench.sql('SELECT 1 FROM proposals WHERE association_id = $1', group.id)).length;

  for (const type of TYPES) {
    describe(`of the type ${type}`, () => {
      it('are kept in their normal form, decided by as many as its rule asks, and done once', async () => {
        const group = bench.found('president', 'treasurer', 'secretary', 'secretary', 'member');
        group.terms.rules.approvals[type] = 3;
        const { stored } = payloadOf(type, group);
        const proposal = await made(0, group, type);
        expect(proposal).to.deep.include({ association_id: group.id, type, title: 'A change', payload: stored });
        expect(proposal.approval).to.deep.include({
          subject_type: type,
          subject_id: proposal.id,
          payload: stored,
          payload_hash: canonicalHash(stored),
          status: 'pending',
          required_approvals: 3,
        });
        const { approval } = proposal;
        for (const voter of [1, 2]) {
          expect(await bench.approve(voter, approval, approval.payload_hash)).to.include({ status: 'pending' });
        }
        expect(bench.toldOf(approval)).to.deep.equal([]);
        const decided = await bench.approve(3, approval, approval.payload_hash);
        expect(decided.status).to.equal('approved');
        expect(decided.execution).to.deep.equal({ status: 'done', error: null });
        const told = bench.membership.received(executeApproval).filter((each) => each.approval_id === approval.id);
        expect(told.map(({ decision, payload }) => ({ decision, payload }))).to.deep.equal(
          type === 'motion' ? [] : [{ decision: 'approved', payload: stored }],
        );
        expect(bench.treasury.received(executeMoney)).to.deep.equal([]);
        expect(await bench.read(approval)).to.deep.equal(decided);
        expect((await bench.eventTypes(group.id)).at(-1)).to.equal('approval.approved');
      });

      it('are approved by his own act and done before the answer while the board is one person', async () => {
        const group = bench.found('president', 'member');
        const { approval } = await made(0, group, type);
        expect(approval).to.deep.include({
          status: 'approved',
          required_approvals: 0,
          votes: [],
          execution: { status: 'done', error: null },
        });
        expect(bench.toldOf(approval)).to.deep.equal(type === 'motion' ? [] : ['approved']);
        expect(await bench.eventTypes(group.id)).to.deep.equal(['approval.requested', 'approval.approved']);
      });

      it('leave nothing to be done when they are rejected', async () => {
        const group = bench.found('president', 'treasurer', 'member');
        const { approval } = await made(0, group, type);
        const rejected = await bench.reject(1, approval, 'No');
        expect(rejected).to.deep.include({ status: 'rejected', execution: { status: 'none', error: null } });
        expect(bench.toldOf(approval)).to.deep.equal(type === 'motion' ? [] : ['rejected']);
      });

      it('are the board’s alone, and refused to strangers as if there were nothing', async () => {
        const group = bench.found('president', 'treasurer', 'member', 'member');
        expect(await refusalOf(made(2, group, type))).to.deep.include({
          code: 'role_not_allowed',
          extras: { required_roles: ['president', 'treasurer', 'secretary'] },
        });
        expect(await outcomeOf(made(9, group, type))).to.equal('not_found');
        group.terms.status = 'closed';
        expect(await outcomeOf(made(0, group, type))).to.equal('association_closed');
        expect(await count(group)).to.equal(0);
      });
    });
  }

  for (const type of CARRIED_OUT) {
    it(`say why they failed and stay approved: ${type}`, async () => {
      const group = bench.found('president', 'treasurer', 'member');
      bench.ownerAnswers(() => ({ status: 'failed', error: 'member_has_obligations' }));
      const { approval } = await made(0, group, type);
      const decided = await bench.approve(1, approval);
      expect(decided).to.deep.include({
        status: 'approved',
        execution: { status: 'failed', error: 'member_has_obligations' },
      });
    });
  }

  for (const type of ['role_change', 'expulsion'] as const) {
    it(`are not decided by the one whom they concern: ${type}`, async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      group.terms.rules.approvals[type] = 10;
      const { approval } = await made(0, group, type);
      expect(approval.required_approvals).to.equal(1);
      expect(await outcomeOf(bench.approve(2, approval))).to.equal('beneficiary_cannot_approve');
      expect(await outcomeOf(bench.reject(2, approval))).to.equal('beneficiary_cannot_approve');
      expect((await bench.approve(1, approval)).status).to.equal('approved');
    });
  }

  for (const type of ['rules_change', 'closure', 'motion'] as const) {
    it(`concern nobody in particular, so that every other of the board may decide: ${type}`, async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      group.terms.rules.approvals[type] = 10;
      expect((await made(0, group, type)).approval.required_approvals).to.equal(2);
    });
  }

  it('are not asked of membership where there is nothing to carry out', async () => {
    bench.membership.answer(checkProposal, () => Promise.reject(problem('member_has_obligations')));
    const group = bench.found('president', 'treasurer', 'member');
    expect((await made(0, group, 'motion')).approval.status).to.equal('pending');
    for (const type of CARRIED_OUT) {
      expect(await outcomeOf(made(0, group, type)), type).to.equal('member_has_obligations');
    }
    expect(await count(group)).to.equal(1);
  });

  it('are judged by membership in the form in which they are kept', async () => {
    const group = bench.found('president', 'treasurer', 'member');
    // Nothing else may be pending when a closure is proposed.
    const types = CARRIED_OUT.toReversed();
    for (const type of types) await made(0, group, type);
    expect(bench.membership.received(checkProposal)).to.deep.equal(
      types.map((type) => ({ association_id: group.id, type, payload: payloadOf(type, group).stored })),
    );
  });

  describe('are refused', () => {
    const pointersOf = async (group: FakeAssociation, type: Type, payload: Payload, index = 0) => {
      const { code, extras } = await refusalOf(bench.propose(index, group, payload, type));
      expect(code).to.equal('validation_failed');
      return (extras.errors as { pointer: string }[]).map((error) => error.pointer);
    };

    it('for a payload that is not one of their type', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const { member_id } = group.members[2]!;
      const cases: [Type, Payload, string[]][] = [
        ['role_change', {}, ['/payload/member_id', '/payload/role']],
        ['rules_change', {}, ['/payload']],
        ['rules_change', { rules: {} }, ['/payload/rules']],
        ['rules_change', { rules: { approvals: {} } }, ['/payload/rules/approvals']],
        ['rules_change', { rules: { shortfall: 'maybe' } }, ['/payload/rules/shortfall']],
        ['rules_change', { rules: { approvals: { motion: 11 } } }, ['/payload/rules/approvals/motion']],
        ['rules_change', { rules: { approval_expires_in_hours: 0 } }, ['/payload/rules/approval_expires_in_hours']],
        ['rules_change', { rules: { colour: 'red' } }, ['/payload/rules/colour']],
        ['rules_change', { contribution_amount: 0 }, ['/payload/contribution_amount']],
        ['rules_change', { contribution_amount: '10' }, ['/payload/contribution_amount']],
        ['rules_change', { max_members: 1 }, ['/payload/max_members']],
        ['rules_change', { max_members: null }, ['/payload/max_members']],
        ['expulsion', {}, ['/payload/member_id']],
        ['expulsion', { member_id, role: 'member' }, ['/payload/role']],
        ['closure', { why: 'it is over' }, ['/payload/why']],
        ['motion', {}, ['/payload/text']],
        ['motion', { text: '  ' }, ['/payload/text']],
        ['motion', { text: 'x'.repeat(10_001) }, ['/payload/text']],
      ];
      for (const [type, payload, pointers] of cases) {
        expect(await pointersOf(group, type, payload), JSON.stringify([type, payload])).to.have.members(pointers);
      }
      expect(await count(group)).to.equal(0);
    });

    it('for what the request alone decides first, whoever asks', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      group.terms.status = 'closed';
      for (const index of [0, 2, 9]) expect(await pointersOf(group, 'closure', { x: 1 }, index)).to.have.length(1);
    });

    it('for an amount that the currency has not, after the role and before what is in the way', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const propose = (index: number) =>
        refusalOf(bench.propose(index, group, { contribution_amount: 0.5 }, 'rules_change'));
      group.terms.status = 'closed';
      expect(await propose(2)).to.include({ code: 'role_not_allowed' });
      const { code, extras } = await propose(0);
      expect(code).to.equal('amount_precision');
      expect(extras.errors).to.deep.equal([
        { pointer: '/payload/contribution_amount', code: 'amount_precision', detail: '' },
      ]);
    });

    it('for whom the association has no active member', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const [, , member] = group.members;
      for (const type of ['role_change', 'expulsion'] as const) {
        const propose = (member_id: string) =>
          refusalOf(
            bench.propose(0, group, { member_id, ...(type === 'role_change' ? { role: 'member' } : {}) }, type),
          );
        expect(await propose(bench.newId())).to.include({ code: 'not_found' });
        expect(await propose('nobody')).to.include({ code: 'not_found' });
        member!.status = 'expelled';
        expect(await propose(member!.member_id)).to.include({ code: 'not_found' });
        member!.status = 'active';
      }
    });

    it('where nobody may decide, after what else would be in the way', async () => {
      const pair = bench.found('president', 'treasurer');
      for (const type of ['role_change', 'expulsion'] as const) {
        expect(await outcomeOf(made(0, pair, type)), type).to.equal('no_eligible_approver');
      }
      bench.membership.answer(checkProposal, () => Promise.reject(problem('president_cannot_leave')));
      expect(await outcomeOf(made(0, pair, 'expulsion'))).to.equal('president_cannot_leave');
      expect(await count(pair)).to.equal(0);
    });
  });

  describe('keep what was agreed on when they were made', () => {
    it('however the rules change meanwhile', async () => {
      const group = bench.found('president', 'treasurer', 'secretary', 'secretary');
      group.terms.rules.approvals.motion = 2;
      group.terms.rules.approval_expires_in_hours = 3;
      const { approval } = await made(0, group, 'motion');
      group.terms.rules.approvals.motion = 1;
      group.terms.rules.approval_expires_in_hours = 1;
      const voted = await bench.approve(1, approval);
      expect(voted).to.include({ status: 'pending', required_approvals: 2, expires_at: approval.expires_at });
      expect((await bench.approve(2, approval)).status).to.equal('approved');
    });

    it('however the board grows meanwhile', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      group.terms.rules.approvals.motion = 2;
      const { approval } = await made(0, group, 'motion');
      expect(approval.required_approvals).to.equal(1);
      group.members[2]!.role = 'secretary';
      expect((await bench.approve(2, approval)).status).to.equal('approved');
    });
  });

  it('can be listed by their type', async () => {
    const group = bench.found('president', 'treasurer', 'secretary', 'member');
    for (const type of ['closure', 'motion', 'expulsion', 'rules_change', 'role_change'] as const) {
      const { approval } = await made(0, group, type);
      const { data } = await bench.by(3, governance.listApprovals, {
        path: { association_id: group.id },
        // As over HTTP: the defaults of the other parameters are for the action to fill in.
        query: { subject_type: type } as never,
      });
      expect(data).to.deep.equal([approval]);
    }
  });
});
