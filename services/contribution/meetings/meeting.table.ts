import { EntitySchema } from 'typeorm';
import type { MeetingStatus } from './meeting-states.ts';

/** A round of a cycle, or, with neither cycle nor round, a meeting outside of one. */
export interface MeetingRow {
  id: string;
  association_id: string;
  cycle_id: string | null;
  round: number | null;
  title: string | null;
  due_on: string;
  status: MeetingStatus;
  currency: string;
  expected_minor: bigint;
  attempt_id: string | null;
  settling_since: Date | null;
  settled_at: Date | null;
  created_at: Date;
}

export const MeetingEntity = new EntitySchema<MeetingRow>({
  name: 'meetings',
  columns: {
    id: { type: 'uuid', primary: true },
    association_id: { type: 'uuid' },
    cycle_id: { type: 'uuid', nullable: true },
    round: { type: 'int', nullable: true },
    title: { type: 'text', nullable: true },
    due_on: { type: 'date' },
    status: { type: 'text' },
    currency: { type: 'text' },
    expected_minor: { type: 'bigint' },
    attempt_id: { type: 'uuid', nullable: true },
    settling_since: { type: 'timestamptz', nullable: true },
    settled_at: { type: 'timestamptz', nullable: true },
    created_at: { type: 'timestamptz' },
  },
});
