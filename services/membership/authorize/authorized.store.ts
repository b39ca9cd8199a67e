import type { Db } from '../../../lib/db/db.ts';
import type { AgreedTerms } from '../associations/association.table.ts';
import type { MemberFacts } from '../members/member.table.ts';
import type { StoredPin } from '../pins/pin.rules.ts';

/** The facts about a user and an association that decide whether a request is authorized. */
export interface Authorized {
  association: AgreedTerms;
  member: MemberFacts;
  /** The member's PIN; null if it was not requested, they have none, or a wrong attempt is recorded. */
  pin: StoredPin | null;
}

/** The user to authorize, and which facts to read. */
export interface AuthorizationQuery {
  association_id: string;
  user_id: string;
  /** Whether to read the PIN. */
  pin?: boolean;
  /** Whether to find members who have left or were expelled. */
  former?: boolean;
}

type Row = Omit<AgreedTerms, 'id' | 'status'> &
  Omit<MemberFacts, 'id' | 'status'> & {
    /** The position of the query in the batch, from 1. */
    place: bigint;
    association_id: string;
    association_status: AgreedTerms['status'];
    member_id: string;
    member_status: MemberFacts['status'];
    salt: Buffer | null;
    hash: Buffer | null;
  };

const FIND_ALL = {
  name: 'membership.find_all_authorized',
  text: `
    SELECT asked.place, a.id AS association_id, a.name, a.type, a.status AS association_status,
      a.currency, a.contribution_amount_minor, a.contribution_frequency, a.rules, a.rules_version, a.time_zone,
      m.id AS member_id, m.user_id, m.display_name, m.role, m.status AS member_status, m.hands,
      m.payout_wallet_id, m.joined_at,
      p.salt, p.hash
    FROM unnest($1::uuid[], $2::text[], $3::boolean[], $4::boolean[])
      WITH ORDINALITY AS asked (association_id, user_id, pin, former, place)
    JOIN members m ON m.association_id = asked.association_id AND m.user_id = asked.user_id
      AND (m.status = 'active' OR asked.former)
    JOIN associations a ON a.id = m.association_id
    LEFT JOIN pins p ON asked.pin AND p.user_id = m.user_id
      -- After a wrong attempt all attempts take the same path, so that the time of an answer reveals no right guess.
      AND p.failed_attempts = 0 AND p.lock_count = 0 AND p.locked_until IS NULL`,
};

/**
 * Reads the facts that authorize() needs, in one statement.
 * @returns null for users who are not active members (or former members, if the query allows them)
 */
export async function findAllAuthorized(db: Db, asked: readonly AuthorizationQuery[]): Promise<(Authorized | null)[]> {
  const rows = await db.rows<Row>(FIND_ALL, [
    asked.map((each) => each.association_id),
    asked.map((each) => each.user_id),
    asked.map((each) => each.pin === true),
    asked.map((each) => each.former === true),
  ]);
  const found: (Authorized | null)[] = asked.map(() => null);
  for (const row of rows) found[Number(row.place) - 1] = authorizedOf(row);
  return found;
}

/** Reads the facts about one user; see findAllAuthorized(). */
export async function findAuthorized(
  db: Db,
  association_id: string,
  user_id: string,
  options: Pick<AuthorizationQuery, 'pin' | 'former'> = {},
): Promise<Authorized | null> {
  return (await findAllAuthorized(db, [{ association_id, user_id, ...options }]))[0] ?? null;
}

function authorizedOf(row: Row): Authorized {
  const { salt, hash } = row;
  return {
    association: { ...row, id: row.association_id, status: row.association_status },
    member: { ...row, id: row.member_id, status: row.member_status },
    pin: salt === null || hash === null ? null : { salt, hash },
  };
}
