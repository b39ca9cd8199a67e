import type { CommandInput } from '../../../lib/contracts/action.ts';
import { checkEligibility, overview, requestApproval, type Approval } from '../../../lib/contracts/governance.ts';
import { Fake } from './fake.ts';

type ApprovalRequest = CommandInput<typeof requestApproval>;

/** A fake of governance that opens approvals; tests decide them. */
export class FakeGovernance extends Fake {
  readonly opened = new Map<string, ApprovalRequest>();

  constructor() {
    super('governance');
    this.implement(checkEligibility, () => ({ required_approvals: 1 }));
    this.implement(requestApproval, (request) => {
      this.opened.set(request.approval_id, request);
      // The services that request approvals ignore the answer.
      return {} as Approval;
    });
    this.implement(overview, () => ({ associations: [] }));
  }

  /** Returns the approvals that were opened for this subject, oldest first. */
  approvalsOf(subject_id: string): ApprovalRequest[] {
    return [...this.opened.values()].filter((request) => request.subject_id === subject_id);
  }

  /** Returns the only approval that was opened for this subject. */
  approvalOf(subject_id: string): ApprovalRequest {
    const [found, ...more] = this.approvalsOf(subject_id);
    if (found === undefined || more.length > 0) throw new Error('expected exactly one approval');
    return found;
  }
}
