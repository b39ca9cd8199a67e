import { expect } from 'chai';
import fc from 'fast-check';
import { DECISIONS, PROPOSAL_TYPES } from '../../../lib/contracts/approvals.ts';
import { APPROVAL_STATUSES } from '../../../lib/contracts/governance.ts';
import { problemExtras } from '../../../lib/errors/problem.ts';
import {
  eligibleApprovers,
  evaluateVotes,
  requiredApprovals,
  voteRefusal,
  waitingVoters,
} from '../../../services/governance/approvals/approval.rules.ts';
import type { Ballot, ApprovalRequest, Vote } from '../../../services/governance/approvals/approval.rules.ts';
import { APPROVAL_STATES, PENDING } from '../../../services/governance/approvals/approval.table.ts';
import { executionAfter, firstStep, OWNER_OF } from '../../../services/governance/executions/execution.rules.ts';
import { concernedMember, readProposal } from '../../../services/governance/proposals/proposal.rules.ts';
import type { TypedPayload } from '../../../services/governance/proposals/proposal.rules.ts';

const PEOPLE = ['awa', 'ben', 'cleo', 'dia', 'eno', 'fati'];

function request(changes: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return { subject_type: 'cash_deposit', requested_by_member_id: 'awa', concerned_member_id: null, ...changes };
}

const approve = (member_id: string): Vote => ({ member_id, decision: 'approve' });

describe('the eligible approvers of a request', () => {
  it('are the board without the requester and the member concerned', () => {
    const board = ['awa', 'ben', 'cleo'];
    expect(eligibleApprovers(board, request())).to.deep.equal(['ben', 'cleo']);
    expect(eligibleApprovers(board, request({ concerned_member_id: 'ben' }))).to.deep.equal(['cleo']);
    expect(eligibleApprovers(board, request({ concerned_member_id: 'dia' }))).to.deep.equal(['ben', 'cleo']);
  });

  it('include a president who would be replaced by the request', () => {
    const roleChange = request({ subject_type: 'role_change', concerned_member_id: 'dia' });
    expect(eligibleApprovers(['awa', 'president'], roleChange)).to.deep.equal(['president']);
  });
});

describe('the required approvals of a request', () => {
  it('are the number of the rules, but never more than the eligible approvers', () => {
    const needs = (board: string[], rule: number) => requiredApprovals(board, request(), rule);
    expect(needs(['awa', 'ben', 'cleo', 'dia'], 2)).to.equal(2);
    expect(needs(['awa', 'ben'], 2)).to.equal(1);
  });

  it('cannot be reached without eligible approvers', () => {
    const needs = (changes: Partial<ApprovalRequest>, board: string[]) => requiredApprovals(board, request(changes), 1);
    expect(needs({}, ['awa'])).to.equal(null);
    expect(needs({ concerned_member_id: 'ben' }, ['awa', 'ben'])).to.equal(null);
    expect(needs({ subject_type: 'role_change', concerned_member_id: 'ben' }, ['awa', 'ben'])).to.equal(null);
  });

  it('are zero for a proposal of the only board member, but never for money', () => {
    const alone = (subject_type: ApprovalRequest['subject_type'], board = ['awa']) =>
      requiredApprovals(board, request({ subject_type, concerned_member_id: 'dia' }), 1);
    expect(alone('role_change')).to.equal(0);
    expect(alone('cash_deposit')).to.equal(null);
    expect(alone('distribution')).to.equal(null);
    expect(alone('role_change', ['ben'])).to.equal(1);
  });

  it('can always be reached by the eligible approvers', () => {
    fc.assert(
      fc.property(
        fc.subarray(PEOPLE),
        fc.option(fc.constantFrom(...PEOPLE)),
        fc.integer({ min: 1, max: 10 }),
        (board, concerned, rule) => {
          const asked = request({ concerned_member_id: concerned });
          const required_approvals = requiredApprovals(board, asked, rule);
          if (required_approvals === null) return;
          const needs = { ...asked, required_approvals };
          expect(evaluateVotes(needs, [], board)).to.equal('pending');
          expect(evaluateVotes(needs, eligibleApprovers(board, asked).map(approve), board)).to.equal('approved');
        },
      ),
    );
  });
});

describe('the verdict of votes', () => {
  it('never counts the requester or the member concerned', () => {
    const needs = { ...request({ concerned_member_id: 'ben' }), required_approvals: 2 };
    expect(evaluateVotes(needs, [approve('awa'), approve('ben')], ['awa', 'ben', 'cleo', 'dia'])).to.equal('pending');
  });

  it('is approved with the required approvals of present voters, rejected if too few voters remain, else pending', () => {
    const votes = fc.uniqueArray(
      fc.record({
        member_id: fc.constantFrom(...PEOPLE),
        decision: fc.constantFrom('approve' as const, 'reject' as const),
      }),
      { selector: (vote) => vote.member_id },
    );
    fc.assert(
      fc.property(fc.subarray(PEOPLE), votes, fc.integer({ min: 1, max: 4 }), (present, cast, required_approvals) => {
        const verdict = evaluateVotes({ ...request(), required_approvals }, cast, present);
        const eligible = present.filter((member) => member !== 'awa');
        const counted = cast.filter((vote) => eligible.includes(vote.member_id));
        const approvals = counted.filter((vote) => vote.decision === 'approve').length;
        const rejections = counted.length - approvals;
        expect(verdict === 'approved').to.equal(approvals >= required_approvals);
        if (verdict !== 'approved') {
          expect(verdict === 'rejected').to.equal(eligible.length - rejections < required_approvals);
        }
      }),
    );
  });
});

describe('a request waits for the votes', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const pending = (changes: Partial<Ballot['approval']> = {}) => {
    const expires_at = new Date(now.getTime() + 1);
    return { ...request(), status: 'pending' as const, expires_at, payload_hash: 'a'.repeat(64), ...changes };
  };

  it('of exactly those on the board whose vote would not be refused', () => {
    const anyone = fc.constantFrom(...PEOPLE);
    const statuses = fc.constantFrom('pending' as const, ...DECISIONS);
    fc.assert(
      fc.property(
        fc.record({ status: statuses, requested_by_member_id: anyone, concerned_member_id: fc.option(anyone) }),
        fc.integer({ min: -1, max: 1 }),
        fc.subarray(PEOPLE),
        fc.subarray(PEOPLE),
        (changes, left_ms, board, voters) => {
          const approval = pending({ ...changes, expires_at: new Date(now.getTime() + left_ms) });
          const votes = voters.map(approve);
          const ballot = { approval, votes, seen_payload_hash: undefined, now };
          const may = board.filter((voter_id) => voteRefusal({ ...ballot, voter_id }) === undefined);
          expect(waitingVoters(approval, votes, board, now)).to.deep.equal(may);
        },
      ),
    );
    // A random run may have no request that waits for a member.
    expect(waitingVoters(pending(), [approve('ben')], ['awa', 'ben', 'cleo'], now)).to.deep.equal(['cleo']);
  });
});

describe('a vote', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const hash = 'a'.repeat(64);
  function ballot(changes: Partial<Ballot> = {}, approval: Partial<Ballot['approval']> = {}): Ballot {
    return {
      approval: {
        ...request(),
        status: 'pending',
        expires_at: new Date(now.getTime() + 1),
        payload_hash: hash,
        ...approval,
      },
      votes: [],
      voter_id: 'ben',
      seen_payload_hash: undefined,
      now,
      ...changes,
    };
  }

  it('may be cast by another board member while the request is pending', () => {
    expect(voteRefusal(ballot())).to.equal(undefined);
    expect(voteRefusal(ballot({ seen_payload_hash: hash.toUpperCase() }))).to.equal(undefined);
  });

  it('is refused in a fixed order: because of the voter first, then because of the request', () => {
    const everything = ballot(
      { voter_id: 'awa', votes: [approve('awa')], seen_payload_hash: 'b' },
      { concerned_member_id: 'awa', status: 'approved' },
    );
    expect(voteRefusal(everything)).to.equal('own_request');
    const concerned = { ...everything, approval: { ...everything.approval, requested_by_member_id: 'ben' } };
    expect(voteRefusal(concerned)).to.equal('beneficiary_cannot_approve');
    const decided = { ...concerned, approval: { ...concerned.approval, concerned_member_id: null } };
    expect(voteRefusal(decided)).to.equal('approval_not_pending');
    const changed: Ballot = { ...decided, approval: { ...decided.approval, status: 'pending' } };
    expect(voteRefusal(changed)).to.equal('approval_changed');
    expect(voteRefusal({ ...changed, seen_payload_hash: hash })).to.equal('already_voted');
  });

  it('is refused from the instant at which the request expires', () => {
    expect(voteRefusal(ballot({}, { expires_at: now }))).to.equal('approval_not_pending');
  });
});

describe('the states of an approval', () => {
  it('change only from pending, to any of the other states', () => {
    expect(Object.keys(APPROVAL_STATES)).to.have.members([...APPROVAL_STATUSES]);
    expect(PENDING).to.deep.equal(['pending']);
    expect(APPROVAL_STATES.pending.next).to.have.members(APPROVAL_STATUSES.filter((status) => status !== 'pending'));
  });

  it('lead to an execution only if approved; the owning service is notified of every decision', () => {
    for (const decision of DECISIONS) {
      const isApproved = decision === 'approved';
      expect(executionAfter('distribution', decision)).to.equal(isApproved ? 'pending' : 'none');
      expect(firstStep('distribution', decision)).to.equal('notifying');
      expect(executionAfter('motion', decision)).to.equal(isApproved ? 'done' : 'none');
      expect(firstStep('motion', decision)).to.equal(null);
      expect(firstStep('closure', decision)).to.equal(isApproved ? 'locking' : 'notifying');
    }
  });
});

describe('a proposal', () => {
  const member_id = 'dia';
  const proposals: [TypedPayload, string | null][] = [
    [{ type: 'role_change', payload: { member_id, role: 'president' } }, member_id],
    [{ type: 'expulsion', payload: { member_id } }, member_id],
    [{ type: 'rules_change', payload: { max_members: 5 } }, null],
    [{ type: 'closure', payload: {} }, null],
    [{ type: 'motion', payload: { text: 'Thanks' } }, null],
    [{ type: 'fine_waiver', payload: { fine_id: '0199dac8-1700-7c20-8000-000000000071' } }, null],
  ];

  it('names only the member whose role or membership it changes', () => {
    for (const [proposal, concerned] of proposals) expect(concernedMember(proposal), proposal.type).to.equal(concerned);
    expect(proposals.map(([{ type }]) => type)).to.have.members([...PROPOSAL_TYPES]);
  });

  it('of type rules_change must change at least one rule', () => {
    const empty = (payload: Record<string, unknown>) => {
      try {
        readProposal('rules_change', payload);
        return null;
      } catch (error) {
        return (problemExtras(error).errors as { pointer: string; code: string }[]).map(
          ({ pointer, code }) => `${code} ${pointer}`,
        );
      }
    };
    expect(empty({})).to.deep.equal(['required /payload']);
    expect(empty({ rules: {} })).to.deep.equal(['required /payload/rules']);
    expect(empty({ rules: {}, max_members: 5 })).to.deep.equal(['required /payload/rules']);
    expect(empty({ rules: { approvals: {} } })).to.deep.equal(['required /payload/rules/approvals']);
    expect(empty({ rules: { shortfall: 'block', approvals: { motion: 1 } } })).to.equal(null);
    for (const [{ type, payload }] of proposals) expect(readProposal(type, payload).type).to.equal(type);
  });

  it('is executed by the service that owns its subject, unless it is a motion', () => {
    const { cash_deposit, distribution, correction, meeting_sheet, fine_waiver, motion, ...changes } = OWNER_OF;
    expect(new Set([cash_deposit, distribution, correction])).to.deep.equal(new Set(['treasury']));
    expect(new Set([meeting_sheet, fine_waiver])).to.deep.equal(new Set(['contribution']));
    expect(motion).to.equal(null);
    expect(new Set(Object.values(changes))).to.deep.equal(new Set(['membership']));
  });
});
