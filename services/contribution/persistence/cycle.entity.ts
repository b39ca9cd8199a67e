import { EntitySchema } from 'typeorm';
import type { Frequency } from '../../../lib/calendar/calendar.ts';
import type { ROTATION_ORDERS } from '../../../lib/contracts/contribution.ts';
import type { Rules } from '../../../lib/contracts/membership.ts';
import type { CycleStatus } from '../domain/cycle-states.ts';

/** A cycle with the terms that it pins. `number`, `hands_total` and `rounds` are known once it runs. */
export interface CycleRow {
  id: string;
  association_id: string;
  number: number | null;
  status: CycleStatus;
  rotation_order: (typeof ROTATION_ORDERS)[number];
  member_order: string[] | null;
  starts_on: string;
  frequency: Frequency;
  currency: string;
  contribution_amount_minor: bigint;
  rules: Rules;
  rules_version: number;
  hands_total: number | null;
  rounds: number | null;
  created_at: Date;
  driven_at: Date;
}

export const CycleEntity = new EntitySchema<CycleRow>({
  name: 'cycles',
  columns: {
    id: { type: 'uuid', primary: true },
    association_id: { type: 'uuid' },
    number: { type: 'int', nullable: true },
    status: { type: 'text' },
    rotation_order: { type: 'text' },
    member_order: { type: 'uuid', array: true, nullable: true },
    starts_on: { type: 'date' },
    frequency: { type: 'text' },
    currency: { type: 'text' },
    contribution_amount_minor: { type: 'bigint' },
    rules: { type: 'jsonb' },
    rules_version: { type: 'int' },
    hands_total: { type: 'int', nullable: true },
    rounds: { type: 'int', nullable: true },
    created_at: { type: 'timestamptz' },
    driven_at: { type: 'timestamptz' },
  },
});
