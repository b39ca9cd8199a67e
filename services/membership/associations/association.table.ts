import type { Frequency } from '../../../lib/calendar/calendar.ts';
import type { ASSOCIATION_STATUSES, ASSOCIATION_TYPES, Rules, Terms } from '../../../lib/contracts/membership.ts';
import type { Metadata } from '../../../lib/contracts/metadata.ts';
import {
  bigint,
  bool,
  hidden,
  instant,
  integer,
  json,
  jsonb,
  key,
  optional,
  table,
  text,
  uuid,
} from '../../../lib/db/table.ts';
import type { RowOf } from '../../../lib/db/table.ts';

export type AssociationStatus = (typeof ASSOCIATION_STATUSES)[number];

export const associations = table('associations', {
  id: key(uuid()),
  name: text(),
  description: optional(text()),
  type: text<(typeof ASSOCIATION_TYPES)[number]>(),
  status: text<AssociationStatus>(),
  currency: text(),
  /** The amount that each hand owes at each meeting. */
  contribution_amount_minor: bigint(),
  contribution_frequency: text<Frequency>(),
  time_zone: text(),
  max_members: integer(),
  is_public: bool(),
  /** The number of active members. It changes only under the lock on this row. */
  member_count: integer(),
  rules: jsonb<Rules>(),
  rules_version: integer(),
  created_at: instant(),
  /** Null if there is none. */
  metadata: optional(json<Metadata>()),
  /** From searchText(). Only conditions use it; it is never read because it is long. */
  search_text: hidden(text()),
});

export type AssociationRow = Omit<RowOf<typeof associations>, 'search_text'>;

/** The columns from which termsOf() makes the terms, the part of an association that other services receive. */
export type AgreedTerms = Pick<
  AssociationRow,
  'id' | 'contribution_amount_minor' | Exclude<keyof Terms, 'association_id' | 'contribution_amount_minor'>
>;
