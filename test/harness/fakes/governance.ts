import type { CommandInput } from '../../../lib/contracts/action.ts';
import { checkEligibility, requestApproval, type Approval } from '../../../lib/contracts/governance.ts';
import { Fake } from './fake.ts';

type ApprovalRequest = CommandInput<typeof requestApproval>;

/** Governance: approvals are opened, and a test decides them. */
export class FakeGovernance extends Fake {
  readonly opened = new Map<string, ApprovalRequest>();

  constructor() {
    super('governance');
    this.play(checkEligibility, () => ({ required_approvals: 1 }));
    this.play(requestApproval, (request) => {
      this.opened.set(request.approval_id, request);
      // The treasury, which alone asks for approvals, does not look at the answer.
      return {} as Approval;
    });
  }

  /** The only approval opened for this subject. */
  approvalOf(subject_id: string): ApprovalRequest {
    const [found, ...more] = [...this.opened.values()].filter((request) => request.subject_id === subject_id);
    if (found === undefined || more.length > 0) throw new Error('not one approval was opened');
    return found;
  }
}
