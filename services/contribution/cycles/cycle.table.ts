import { EntitySchema } from 'typeorm';
import type { Frequency } from '../../../lib/calendar/calendar.ts';
import type { ROTATION_ORDERS } from '../../../lib/contracts/contribution.ts';
import type { Rules } from '../../../lib/contracts/membership.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { CycleStatus } from './cycle-states.ts';

/** Why a cycle could not start, as the client is told. */
export interface StoredRefusal {
  code: ErrorCode;
  extras: object;
}

/**
 * A cycle with the terms that it pins. `number` and `hands_total` are known once it runs, as are the `rounds` of a
 * rotation and the `seed` of a draw; savings are asked for with their rounds.
 */
export interface CycleRow {
  id: string;
  association_id: string;
  number: number | null;
  status: CycleStatus;
  /** Null for savings, which have no turns. */
  rotation_order: (typeof ROTATION_ORDERS)[number] | null;
  member_order: string[] | null;
  starts_on: string;
  frequency: Frequency;
  currency: string;
  contribution_amount_minor: bigint;
  rules: Rules;
  rules_version: number;
  hands_total: number | null;
  rounds: number | null;
  /** Of a draw: 32 bytes in hex, from which the order follows. */
  seed: string | null;
  /** Set while `refusing` and `refused`. */
  refusal: StoredRefusal | null;
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
    rotation_order: { type: 'text', nullable: true },
    member_order: { type: 'uuid', array: true, nullable: true },
    starts_on: { type: 'date' },
    frequency: { type: 'text' },
    currency: { type: 'text' },
    contribution_amount_minor: { type: 'bigint' },
    rules: { type: 'jsonb' },
    rules_version: { type: 'int' },
    hands_total: { type: 'int', nullable: true },
    rounds: { type: 'int', nullable: true },
    seed: { type: 'text', nullable: true },
    refusal: { type: 'jsonb', nullable: true },
    created_at: { type: 'timestamptz' },
    driven_at: { type: 'timestamptz' },
  },
});
