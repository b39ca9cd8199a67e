import { expect } from 'chai';
import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import { checkFine, executeApproval as executeByContribution } from '../../../lib/contracts/contribution.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import type { Proposal } from '../../../lib/contracts/governance.ts';
import { checkProposal, executeApproval } from '../../../lib/contracts/membership.ts';
import type { Role } from '../../../lib/contracts/permissions.ts';
import { executeApproval as executeMoney } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { DONE } from '../../harness/fakes/fake.ts';
import type { FakeAssociation } from '../../harness/fakes/membership.ts';
import { useGovernance } from '../../harness/governance.ts';
import { complaintOf, outcomeOf, refusalOf } from '../../harness/refusal.ts';

const FINE_ID = '0199dac8-1700-7c20-8000-000000000071';

type Type = Proposal['type'];
type Payload = Record<string, unknown>;

/** A payload of each type as a client may send it, and as it is stored; `member_id` is the member concerned, if any. */
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
  fine_waiver: () => ({ sent: { fine_id: FINE_ID.toUpperCase() }, stored: { fine_id: FINE_ID } }),
};
const TYPES = Object.keys(PAYLOADS) as Type[];
/** Those that membership checks and executes. */
const OF_MEMBERSHIP = TYPES.filter((type) => type !== 'motion' && type !== 'fine_waiver');
const OF_A_MEMBER = ['role_change', 'expulsion'] as const;

describe('governance: proposals', () => {
  const harness = useGovernance();
  let group: FakeAssociation;
  const found = (...roles: Role[]) => (group = harness.found(...roles));
  beforeEach(() => {
    found('president', 'treasurer', 'member');
  });

  const payloadOf = (type: Type) => PAYLOADS[type](group.members.at(-1)!.member_id);
  const made = (index: number, type: Type) => harness.propose(index, group, payloadOf(type).sent, type);
  const opened = async (type: Type) => (await made(0, type)).approval;
  const stored = () => harness.sql('SELECT 1 FROM proposals WHERE association_id = $1', group.id);

  for (const type of TYPES) {
    describe(`of the type ${type}`, () => {
      it('are stored in normal form, decided by the votes that the rules require, and executed once', async () => {
        const { id } = found('president', 'treasurer', 'secretary', 'secretary', 'member');
        group.terms.rules.approvals[type] = 3;
        const payload = payloadOf(type).stored;
        const proposal = await made(0, type);
        const { approval } = proposal;
        expect(proposal).to.deep.include({ association_id: id, type, title: 'A change', payload });
        expect(approval).to.deep.include({
          subject_type: type,
          subject_id: proposal.id,
          payload,
          payload_hash: canonicalHash(payload),
          status: 'pending',
          required_approvals: 3,
        });
        const location = `/association-service/api/v1/associations/${id}/governance/approvals/${approval.id}`;
        expect(harness.headOf(proposal).location).to.equal(location);
        for (const voter of [1, 2]) {
          expect(await harness.approve(voter, approval, approval.payload_hash)).to.include({ status: 'pending' });
        }
        expect(harness.sentDecisions(approval)).to.deep.equal([]);
        const decided = await harness.approve(3, approval, approval.payload_hash);
        expect(decided).to.deep.include({ status: 'approved', execution: DONE });
        const told = harness.membership.received(executeApproval).filter((each) => each.approval_id === approval.id);
        expect(told.map((each) => [each.decision, each.payload])).to.deep.equal(
          type === 'motion' || type === 'fine_waiver' ? [] : [['approved', payload]],
        );
        expect(harness.treasury.received(executeMoney)).to.deep.equal([]);
        expect(await harness.read(approval)).to.deep.equal(decided);
        expect((await harness.eventTypes(id)).at(-1)).to.equal('approval.approved');
      });

      it('are approved and executed immediately if the board has only one member, unless they concern money', async () => {
        found('president', 'member');
        if (type === 'fine_waiver') {
          expect(await outcomeOf(opened(type))).to.equal('no_eligible_approver');
          return;
        }
        const approval = await opened(type);
        expect(approval).to.deep.include({ status: 'approved', required_approvals: 0, votes: [], execution: DONE });
        expect(harness.sentDecisions(approval)).to.deep.equal(type === 'motion' ? [] : ['approved']);
        expect(await harness.eventTypes(group.id)).to.deep.equal(['approval.requested', 'approval.approved']);
      });

      it('are not executed when they are rejected', async () => {
        const approval = await opened(type);
        const rejected = await harness.reject(1, approval, 'No');
        expect(rejected).to.deep.include({ status: 'rejected', execution: { status: 'none', error: null } });
        expect(harness.sentDecisions(approval)).to.deep.equal(type === 'motion' ? [] : ['rejected']);
      });

      it('can be made only by the board, and are `not_found` for strangers', async () => {
        expect(await refusalOf(made(2, type))).to.deep.equal({
          code: 'role_not_allowed',
          extras: { required_roles: ['president', 'treasurer', 'secretary'] },
        });
        expect(await outcomeOf(made(9, type))).to.equal('not_found');
        group.terms.status = 'closed';
        expect(await outcomeOf(made(0, type))).to.equal('association_closed');
        expect(await stored()).to.deep.equal([]);
      });
    });
  }

  for (const type of OF_A_MEMBER) {
    it(`cannot be decided by the member concerned: ${type}`, async () => {
      found('president', 'treasurer', 'secretary');
      group.terms.rules.approvals[type] = 10;
      const approval = await opened(type);
      expect(approval.required_approvals).to.equal(1);
      expect(await outcomeOf(harness.approve(2, approval))).to.equal('beneficiary_cannot_approve');
      expect(await outcomeOf(harness.reject(2, approval))).to.equal('beneficiary_cannot_approve');
      expect((await harness.approve(1, approval)).status).to.equal('approved');
    });
  }

  for (const type of ['rules_change', 'closure', 'motion'] as const) {
    it(`without a member concerned can be decided by the whole board except the requester: ${type}`, async () => {
      found('president', 'treasurer', 'secretary');
      group.terms.rules.approvals[type] = 10;
      expect((await opened(type)).required_approvals).to.equal(2);
    });
  }

  it('are checked by membership in their stored form, except motions, which have no effect to check', async () => {
    // The closure comes first, because it is refused while another approval is pending.
    const types = OF_MEMBERSHIP.toReversed();
    for (const type of [...types, 'motion'] as const) await made(0, type);
    expect(harness.membership.received(checkProposal)).to.deep.equal(
      types.map((type) => ({ association_id: group.id, type, payload: payloadOf(type).stored })),
    );
    harness.membership.answer(checkProposal, () => Promise.reject(problem('member_has_obligations')));
    for (const type of OF_MEMBERSHIP) expect(await outcomeOf(made(0, type)), type).to.equal('member_has_obligations');
    expect(await stored()).to.have.length(types.length + 1);
  });

  it('of the type fine_waiver are checked and executed by contribution, and not decided by the fined member', async () => {
    found('president', 'treasurer', 'secretary');
    harness.contribution.fined_member_id = harness.memberId(group, 1);
    const approval = await opened('fine_waiver');
    expect(approval.required_approvals).to.equal(1);
    expect(await outcomeOf(harness.approve(1, approval))).to.equal('beneficiary_cannot_approve');
    expect((await harness.approve(2, approval)).execution).to.deep.equal(DONE);
    const [notice] = harness.contribution.received(executeByContribution);
    expect(notice).to.deep.include({ decision: 'approved', payload: { fine_id: FINE_ID } });
    expect(harness.membership.received(checkProposal)).to.deep.equal([]);
    harness.contribution.next(checkFine, problem('fine_not_due'));
    expect(await outcomeOf(made(0, 'fine_waiver'))).to.equal('fine_not_due');
  });

  it('are executed even if the process dies right after it has stored them', async () => {
    found('president', 'member');
    await harness.dieAt('governance.proposal_stored', () => made(0, 'role_change'));
    const path = { association_id: group.id };
    const [approval] = (await harness.by(0, governance.listApprovals, { path })).data;
    await harness.waitUntilExecuted(approval!);
  });

  describe('are refused', () => {
    it('for a payload that does not match their type', async () => {
      const member_id = harness.memberId(group, 2);
      const cases: [Type, Payload, string[]][] = [
        ['role_change', {}, ['/member_id', '/role']],
        ['role_change', { member_id, role: 'king' }, ['/role']],
        ['role_change', { member_id, role: 'member', 'a/b': 1 }, ['/a~1b']],
        ['role_change', { member_id: null, role: 'member' }, ['/member_id']],
        ['rules_change', {}, ['']],
        ['rules_change', { rules: {} }, ['/rules']],
        ['rules_change', { rules: { approvals: {} } }, ['/rules/approvals']],
        ['rules_change', { rules: { shortfall: 'maybe' } }, ['/rules/shortfall']],
        ['rules_change', { rules: { approvals: { motion: 11 } } }, ['/rules/approvals/motion']],
        ['rules_change', { rules: { approval_expires_in_hours: 0 } }, ['/rules/approval_expires_in_hours']],
        ['rules_change', { rules: { colour: 'red' } }, ['/rules/colour']],
        ['rules_change', { contribution_amount: 0 }, ['/contribution_amount']],
        ['rules_change', { contribution_amount: '10' }, ['/contribution_amount']],
        ['rules_change', { max_members: 1 }, ['/max_members']],
        ['rules_change', { max_members: null }, ['/max_members']],
        ['expulsion', {}, ['/member_id']],
        ['expulsion', { member_id, role: 'member' }, ['/role']],
        ['closure', { why: 'it is over' }, ['/why']],
        ['motion', {}, ['/text']],
        ['motion', { text: '  ' }, ['/text']],
        ['motion', { text: 'x'.repeat(10_001) }, ['/text']],
      ];
      for (const [type, payload, pointers] of cases) {
        const complaint = await complaintOf(harness.propose(0, group, payload, type));
        const expected = ['validation_failed', ...pointers.map((pointer) => `/payload${pointer}`)];
        expect(complaint, JSON.stringify([type, payload])).to.have.members(expected);
      }
      expect(await stored()).to.deep.equal([]);
    });

    it('for an invalid payload before the association or the user is checked', async () => {
      group.terms.status = 'closed';
      for (const index of [0, 2, 9]) {
        const complaint = await complaintOf(harness.propose(index, group, { x: 1 }, 'closure'));
        expect(complaint).to.deep.equal(['validation_failed', '/payload/x']);
      }
    });

    it('for an amount with too many decimals, after the role and before the state is checked', async () => {
      const propose = (index: number) => harness.propose(index, group, { contribution_amount: 0.5 }, 'rules_change');
      group.terms.status = 'closed';
      expect(await outcomeOf(propose(2))).to.equal('role_not_allowed');
      expect(await complaintOf(propose(0))).to.deep.equal(['amount_precision', '/payload/contribution_amount']);
    });

    for (const type of OF_A_MEMBER) {
      it(`if the member concerned is not active: ${type}`, async () => {
        group.members[2]!.status = 'expelled';
        for (const member_id of [harness.newId(), 'no-id', harness.memberId(group, 2)]) {
          const payload = { member_id, ...(type === 'role_change' ? { role: 'member' } : {}) };
          expect(await outcomeOf(harness.propose(0, group, payload, type))).to.equal('not_found');
        }
      });

      it(`if no member can decide them, after all other checks: ${type}`, async () => {
        found('president', 'treasurer');
        expect(await outcomeOf(made(0, type))).to.equal('no_eligible_approver');
        harness.membership.answer(checkProposal, () => Promise.reject(problem('president_cannot_leave')));
        expect(await outcomeOf(made(0, type))).to.equal('president_cannot_leave');
        expect(await stored()).to.deep.equal([]);
      });
    }
  });

  describe('once made', () => {
    it('keep their required votes and expiry when the rules change', async () => {
      const { rules } = found('president', 'treasurer', 'secretary', 'secretary').terms;
      rules.approvals.motion = 2;
      rules.approval_expires_in_hours = 3;
      const approval = await opened('motion');
      rules.approvals.motion = 1;
      rules.approval_expires_in_hours = 1;
      const voted = await harness.approve(1, approval);
      expect(voted).to.include({ status: 'pending', required_approvals: 2, expires_at: approval.expires_at });
      expect((await harness.approve(2, approval)).status).to.equal('approved');
    });

    it('keep their required votes when the board grows, and count votes of new officers', async () => {
      group.terms.rules.approvals.motion = 2;
      const approval = await opened('motion');
      expect(approval.required_approvals).to.equal(1);
      group.members[2]!.role = 'secretary';
      expect((await harness.approve(2, approval)).status).to.equal('approved');
    });
  });

  it('can be listed by their type', async () => {
    found('president', 'treasurer', 'secretary', 'member');
    const path = { association_id: group.id };
    // The closure comes first, because it is refused while another approval is pending.
    for (const type of ['closure', 'motion', 'expulsion', 'rules_change', 'role_change'] as const) {
      const approval = await opened(type);
      // As over HTTP, the action fills in the defaults of the other parameters.
      const query = { subject_type: type } as never;
      expect((await harness.by(3, governance.listApprovals, { path, query })).data).to.deep.equal([approval]);
    }
  });
});
