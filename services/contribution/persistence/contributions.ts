import { Not } from 'typeorm';
import type { EntityManager } from 'typeorm';
import { rowsOf } from '../../../lib/db/rows-of.ts';
import type { Connection } from '../../../lib/db/statements.ts';
import { SWEEP_MAX_ROWS } from '../../../lib/saga/drive-each.ts';
import { NO_FUNDS } from '../domain/monies.ts';
import type { Funds } from '../domain/monies.ts';
import type { Paid } from '../domain/refund.ts';
import { ContributionEntity } from './contribution.entity.ts';
import type { ContributionRow } from './contribution.entity.ts';

export async function contributionById(manager: EntityManager, id: string): Promise<ContributionRow> {
  return manager.findOneByOrFail(ContributionEntity, { id });
}

/** A contribution that clients may see. */
export async function findShownContribution(
  manager: EntityManager,
  association_id: string,
  meeting_id: string,
  id: string,
): Promise<ContributionRow | null> {
  return manager.findOneBy(ContributionEntity, { id, association_id, meeting_id, status: Not('refused') });
}

/** Where a page of contributions ended. */
export type ContributionPosition = [created_at: string, id: string];

/** A meeting's contributions, newest first; undefined if the association has no such meeting. */
export async function listShownContributions(
  manager: EntityManager,
  { association_id, meeting_id }: { association_id: string; meeting_id: string },
  before: ContributionPosition | null,
  limit: number,
): Promise<ContributionRow[] | undefined> {
  const [created_at, id] = before ?? [null, null];
  const rows: (ContributionRow | { id: null })[] = await manager.query(
    `SELECT c.* FROM meetings m LEFT JOIN LATERAL (
       SELECT * FROM contributions
       WHERE meeting_id = m.id AND status <> 'refused'
         AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4::uuid))
       ORDER BY created_at DESC, id DESC LIMIT $5
     ) AS c ON true
     WHERE m.id = $1 AND m.association_id = $2
     ORDER BY c.created_at DESC, c.id DESC`,
    [meeting_id, association_id, created_at, id, limit],
  );
  if (rows.length === 0) return undefined;
  // The meeting alone, where nobody has contributed.
  return rows.filter((row): row is ContributionRow => row.id !== null);
}

/** A contribution that an earlier request of the same operation may have stored. */
export async function findContribution(manager: EntityManager, id: string): Promise<ContributionRow | null> {
  return manager.findOneBy(ContributionEntity, { id });
}

/** What is in flight to a meeting: `cash` is for people to decide, so waiting a moment for it is no use. */
export type InFlight = 'nothing' | 'wallet' | 'cash';

const IN_FLIGHT_TO = {
  name: 'contribution.in_flight_to',
  text: `SELECT coalesce(min(method), 'nothing') AS in_flight FROM contributions
         WHERE meeting_id = $1 AND status = 'pending'`,
};

export async function inFlightTo(connection: Connection, meeting_id: string): Promise<InFlight> {
  const [answer] = await connection.rows<{ in_flight: InFlight }>(IN_FLIGHT_TO, [meeting_id]);
  return answer?.in_flight ?? 'nothing';
}

const FUNDS_OF = {
  name: 'contribution.funds_of',
  text: `SELECT coalesce(sum(amount_minor) FILTER (WHERE method = 'wallet'), 0)::bigint AS emoney_minor,
           coalesce(sum(amount_minor) FILTER (WHERE method = 'cash'), 0)::bigint AS cash_minor
         FROM contributions WHERE meeting_id = $1 AND status = 'paid' AND kind = 'pool'`,
};

/** What came in for a meeting in each money. */
export async function fundsOf(connection: Connection, meeting_id: string): Promise<Funds> {
  const [row] = await connection.rows<Funds>(FUNDS_OF, [meeting_id]);
  return row ?? NO_FUNDS;
}

const PAID_INTO = {
  name: 'contribution.paid_into',
  text: `SELECT member_id, wallet_id, sum(amount_minor)::bigint AS amount_minor FROM contributions
         WHERE meeting_id = $1 AND status = 'paid' AND kind = 'pool'
         GROUP BY member_id, wallet_id ORDER BY min(created_at), member_id, wallet_id`,
};

/** What came in for a meeting, for each member from each wallet, and in cash (wallet null); first paid comes first. */
export async function paidInto(connection: Connection, meeting_id: string): Promise<Paid[]> {
  return connection.rows(PAID_INTO, [meeting_id]);
}

/** Takes up contributions that were left undecided; cash is decided by the board, and the treasury tells how. */
export async function claimUndecided(
  manager: EntityManager,
  now: Date,
  stale_before: Date,
): Promise<ContributionRow[]> {
  return rowsOf<ContributionRow>(
    manager,
    `UPDATE contributions SET driven_at = $1 WHERE id IN (
       SELECT id FROM contributions WHERE status = 'pending' AND method = 'wallet' AND driven_at < $2
       ORDER BY driven_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING *`,
    [now, stale_before, SWEEP_MAX_ROWS],
  );
}
