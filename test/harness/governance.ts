import { expect } from 'chai';
import type { Answer, CommandInput, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import type { Decision, ExecutionOutcome } from '../../lib/contracts/approvals.ts';
import * as contribution from '../../lib/contracts/contribution.ts';
import * as contract from '../../lib/contracts/governance.ts';
import type { Approval, Proposal } from '../../lib/contracts/governance.ts';
import * as membership from '../../lib/contracts/membership.ts';
import type { Role } from '../../lib/contracts/permissions.ts';
import * as treasury from '../../lib/contracts/treasury.ts';
import { SUBJECT_LOCKS } from '../../lib/locks/advisory.ts';
import { governanceDatabase } from '../../services/governance/database.ts';
import { governanceService } from '../../services/governance/governance.service.ts';
import { eventually } from './eventually.ts';
import { FakeContribution } from './fakes/contribution.ts';
import { DONE } from './fakes/fake.ts';
import { FakeMembership, RIGHT_PIN, type FakeAssociation } from './fakes/membership.ts';
import { FakeTreasury } from './fakes/treasury.ts';
import { ServiceHarness, useHarness } from './service-harness.ts';

/** Short enough for a test, and long enough that a request is handled before recovery. */
const TIMINGS = { call_timeout_ms: 200, lock_wait_ms: 500, recover_every_ms: 100, stale_after_ms: 400 };

/** The notification of an owning service about a decision. */
export type DecisionNotice = CommandInput<typeof treasury.executeApproval>;

export function useGovernance(): GovernanceHarness {
  return useHarness(new GovernanceHarness());
}

/** Members are identified by their index in the association; the founder has index 0. */
export class GovernanceHarness extends ServiceHarness {
  readonly membership = new FakeMembership(this.newId);
  readonly contribution = new FakeContribution();
  readonly treasury = new FakeTreasury();
  protected override readonly fakes = [this.membership, this.contribution, this.treasury];

  constructor() {
    super({ service: 'governance', definition: governanceDatabase, create: governanceService, timings: TIMINGS });
  }

  /** Creates an association whose members have these roles; the users are `user-0`, `user-1` and so on. */
  found(...roles: Role[]): FakeAssociation {
    const association = this.membership.found();
    for (const [index, role] of roles.entries()) {
      this.membership.join(association.id, `user-${String(index)}`, { role });
    }
    return association;
  }

  /** Returns the id of the member with this index. */
  memberId({ members }: FakeAssociation, index: number): string {
    return members[index]!.member_id;
  }

  /** Sets the answer of owning services to a decision; it is `done` by default. */
  ownerAnswers(answer: (notice: DecisionNotice) => ExecutionOutcome | Promise<ExecutionOutcome>): void {
    this.membership.answer(membership.executeApproval, answer);
    this.contribution.answer(contribution.executeApproval, answer);
    this.treasury.answer(treasury.executeApproval, answer);
  }

  /** Returns the decisions about an approval of which its owner was notified, in order. */
  sentDecisions({ id }: { id: string }): Decision[] {
    const notices = [
      ...this.membership.received(membership.executeApproval),
      ...this.contribution.received(contribution.executeApproval),
      ...this.treasury.received(treasury.executeApproval),
    ];
    return notices.filter((each) => each.approval_id === id).map((each) => each.decision);
  }

  /** Calls a public action as the member with this index. */
  by<E extends Endpoint>(
    index: number,
    endpoint: E,
    input: Partial<EndpointInput<E>>,
    key?: string,
  ): Promise<Answer<E>> {
    return this.as(`user-${String(index)}`, endpoint, input, { key });
  }

  /** Opens an approval as the treasury does for a cash deposit that member 0 has recorded. */
  request(
    { id, members }: FakeAssociation,
    changes: Partial<CommandInput<typeof contract.requestApproval>> = {},
  ): Promise<Approval> {
    return this.command(contract.requestApproval, {
      association_id: id,
      approval_id: this.newId(),
      subject_type: 'cash_deposit',
      subject_id: this.newId(),
      requested_by_member_id: members[0]!.member_id,
      concerned_member_id: null,
      payload: { amount: 10 },
      ...changes,
    });
  }

  approve(index: number, { association_id, id }: Approval, payload_hash?: string, key?: string): Promise<Approval> {
    const body = { approval_id: id, pin: RIGHT_PIN, ...(payload_hash === undefined ? {} : { payload_hash }) };
    return this.by(index, contract.approve, { path: { association_id }, body }, key);
  }

  reject(index: number, { association_id, id }: Approval, reason?: string, key?: string): Promise<Approval> {
    const body = { approval_id: id, pin: RIGHT_PIN, ...(reason === undefined ? {} : { reason }) };
    return this.by(index, contract.reject, { path: { association_id }, body }, key);
  }

  cancel(index: number, { association_id, id }: Approval, key?: string): Promise<Approval> {
    return this.by(index, contract.cancelApproval, { path: { association_id, approval_id: id } }, key);
  }

  /** Reads the approval as member 0. */
  read({ association_id, id }: Approval): Promise<Approval> {
    return this.by(0, contract.getApproval, { path: { association_id, approval_id: id } });
  }

  propose(
    index: number,
    { id }: FakeAssociation,
    payload: Record<string, unknown>,
    type: Proposal['type'] = 'role_change',
    key?: string,
  ): Promise<Proposal> {
    const body = { type, title: 'A change', payload };
    return this.by(index, contract.propose, { path: { association_id: id }, body }, key);
  }

  /** Waits until an approval has this execution outcome. */
  waitUntilExecuted(approval: Approval, outcome = DONE): Promise<unknown> {
    return eventually(async () => expect((await this.read(approval)).execution).to.deep.equal(outcome));
  }

  /** Waits until no approval is marked for reevaluation. Does not wait for events that have not arrived yet. */
  waitUntilReevaluated(): Promise<unknown> {
    const marked = 'SELECT 1 FROM approvals WHERE rejudge_mark IS NOT NULL';
    return eventually(async () => expect(await this.sql(marked)).to.deep.equal([]));
  }

  /** Waits until a transaction waits for the lock on the association. */
  waitForLockWaiter(association_id: string): Promise<void> {
    return eventually(async () => {
      const waiting = await this.sql(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
           AND classid = $1 AND objid = (hashtext($2)::bigint & 4294967295)::oid`,
        SUBJECT_LOCKS,
        association_id,
      );
      expect(waiting).to.have.length(1);
    });
  }
}
