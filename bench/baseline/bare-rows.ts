/**
 * The actions of the bare route. Each returns the rows of a prepared statement in the form of the measured answers,
 * without tokens, checks, limits or cursors.
 */
import type { Context, ServiceSchema } from 'moleculer';
import pg from 'pg';
import type { BareNodeInput } from './bare-nodes.ts';

/** The number of connections of each measured service. */
const POOL_MAX_CONNECTIONS = 16;

/** The default page size of the measured services. */
const PAGE_ROWS = 50;

interface Statement {
  name: string;
  text: string;
}

// XAF has no minor digits, so amounts need no division. JSON.stringify() writes the instants.
const MY: Statement = {
  name: 'my',
  text: `SELECT a.id, a.name, a.description, a.type, a.currency, a.contribution_amount_minor::float8 AS contribution_amount,
           a.contribution_frequency, a.time_zone, a.max_members, a.is_public, a.status, a.member_count, a.rules, a.rules_version,
           a.created_at, coalesce(a.metadata, '{}') AS metadata, m.id AS member_id, m.role, m.status AS member_status,
           m.hands, m.joined_at
         FROM members m JOIN associations a ON a.id = m.association_id
         WHERE m.user_id = $1 AND m.status = 'active'
         ORDER BY m.joined_at DESC, m.id DESC LIMIT ${String(PAGE_ROWS)}`,
};

const MEMBERS: Statement = {
  name: 'members',
  text: `SELECT id, association_id, user_id, display_name, role, status, hands, payout_wallet_id, joined_at
         FROM members WHERE association_id = $1 ORDER BY joined_at, id LIMIT ${String(PAGE_ROWS)}`,
};

const LEDGER: Statement = {
  name: 'ledger',
  text: `SELECT id, seq::float8 AS seq, association_id, kind, legs, currency, reference, posted_at, prev_hash, hash
         FROM transfers WHERE chain_id = $1 ORDER BY transfers.seq DESC LIMIT ${String(PAGE_ROWS)}`,
};

const DUES: Statement = {
  name: 'dues',
  text: `SELECT cm.member_id, (cm.hands * c.contribution_amount_minor)::float8 AS due,
           (coalesce(d.paid_minor, 0) + a.late)::float8 AS paid,
           (cm.hands * c.contribution_amount_minor - coalesce(d.paid_minor, 0) - a.late)::float8 AS outstanding,
           a.arrears::float8 AS arrears
         FROM meetings m JOIN cycles c ON c.id = m.cycle_id JOIN cycle_members cm ON cm.cycle_id = c.id
         LEFT JOIN dues d ON d.meeting_id = m.id AND d.member_id = cm.member_id
         CROSS JOIN LATERAL (
           SELECT coalesce(sum(paid_minor), 0) AS late, coalesce(sum(amount_minor - paid_minor), 0) AS arrears
           FROM arrears WHERE meeting_id = m.id AND debtor_id = cm.member_id
         ) a
         WHERE m.id = $1 AND m.association_id = $2
         ORDER BY cm.ordinal LIMIT ${String(PAGE_ROWS)}`,
};

interface MyRow {
  member_id: string;
  role: string;
  member_status: string;
  hands: number;
  joined_at: Date;
}

/** Creates the service of the rows, with connections to the databases of three services. */
export function bareRows(urls: BareNodeInput['databases']): ServiceSchema {
  const pools = {
    membership: new pg.Pool({ connectionString: urls.membership, max: POOL_MAX_CONNECTIONS }),
    contribution: new pg.Pool({ connectionString: urls.contribution, max: POOL_MAX_CONNECTIONS }),
    treasury: new pg.Pool({ connectionString: urls.treasury, max: POOL_MAX_CONNECTIONS }),
  };
  const page = async (pool: pg.Pool, statement: Statement, values: unknown[]) => {
    const { rows } = await pool.query<object>({ ...statement, values });
    return { data: rows, next_cursor: null };
  };
  return {
    name: 'rows',
    actions: {
      my: async (ctx: Context<{ user_id: string }>) => {
        const { rows } = await pools.membership.query<MyRow>({ ...MY, values: [ctx.params.user_id] });
        return { data: rows.map(withMembership), next_cursor: null };
      },
      members: (ctx: Context<{ association_id: string }>) =>
        page(pools.membership, MEMBERS, [ctx.params.association_id]),
      ledger: (ctx: Context<{ association_id: string }>) => page(pools.treasury, LEDGER, [ctx.params.association_id]),
      dues: (ctx: Context<{ association_id: string; meeting_id: string }>) =>
        page(pools.contribution, DUES, [ctx.params.meeting_id, ctx.params.association_id]),
    },
    async stopped() {
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
    },
  };
}

function withMembership({ member_id, role, member_status, hands, joined_at, ...association }: MyRow): object {
  return { ...association, membership: { member_id, role, status: member_status, hands, joined_at } };
}
