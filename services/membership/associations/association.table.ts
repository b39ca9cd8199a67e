import type { Frequency } from '../../../lib/calendar/calendar.ts';
import type { ASSOCIATION_STATUSES, ASSOCIATION_TYPES, Rules, Terms } from '../../../lib/contracts/membership.ts';
import {
  bigint,
  bool,
  instant,
  integer,
  jsonb,
  key,
  optional,
  other,
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
  /** What each hand owes at each meeting. */
  contribution_amount_minor: bigint(),
  contribution_frequency: text<Frequency>(),
  max_members: integer(),
  is_public: bool(),
  /** Active members; changed only under the lock on this row. */
  member_count: integer(),
  rules: jsonb<Rules>(),
  rules_version: integer(),
  created_at: instant(),
  /** From searchText(), for the directory's condition alone: it is long, so it is never read. */
  search_text: other<string>('text', { select: false }),
});

export type AssociationRow = Omit<RowOf<typeof associations>, 'search_text'>;

/** What decides the terms: all that other services know of an association. */
export type AgreedTerms = Pick<
  AssociationRow,
  'id' | 'contribution_amount_minor' | Exclude<keyof Terms, 'association_id' | 'contribution_amount_minor'>
>;
