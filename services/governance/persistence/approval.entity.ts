import { EntitySchema } from 'typeorm';
import type { SubjectType } from '../../../lib/contracts/approvals.ts';
import type { ApprovalStatus, ExecutionStatus } from '../domain/states.ts';

export interface ApprovalRow {
  id: string;
  association_id: string;
  subject_type: SubjectType;
  subject_id: string;
  payload: Record<string, unknown>;
  payload_hash: string;
  status: ApprovalStatus;
  required_approvals: number;
  requested_by_member_id: string;
  concerned_member_id: string | null;
  requested_at: Date;
  expires_at: Date;
  decided_at: Date | null;
  execution_status: ExecutionStatus;
  execution_error: string | null;
  /** When the owner of the subject acknowledged the decision; null while it has still to be told. */
  owner_told_at: Date | null;
  /** When somebody last tried to tell the owner: sweepers leave fresh tries alone. */
  touched_at: Date;
  /** The event that changed the board since the votes were last judged, if any. */
  rejudge_mark: string | null;
  /** The requester's operation that cancelled it, so that a repeat of it knows its own work. */
  cancelled_by_operation_id: string | null;
}

export const ApprovalEntity = new EntitySchema<ApprovalRow>({
  name: 'approval',
  tableName: 'approvals',
  columns: {
    id: { type: 'uuid', primary: true },
    association_id: { type: 'uuid' },
    subject_type: { type: 'text' },
    subject_id: { type: 'uuid' },
    payload: { type: 'json' },
    payload_hash: { type: 'text' },
    status: { type: 'text' },
    required_approvals: { type: 'integer' },
    requested_by_member_id: { type: 'uuid' },
    concerned_member_id: { type: 'uuid', nullable: true },
    requested_at: { type: 'timestamptz' },
    expires_at: { type: 'timestamptz' },
    decided_at: { type: 'timestamptz', nullable: true },
    execution_status: { type: 'text' },
    execution_error: { type: 'text', nullable: true },
    owner_told_at: { type: 'timestamptz', nullable: true },
    touched_at: { type: 'timestamptz' },
    rejudge_mark: { type: 'uuid', nullable: true },
    cancelled_by_operation_id: { type: 'uuid', nullable: true },
  },
});
