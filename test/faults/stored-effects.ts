/** Compares what the clients know with the databases: each acknowledged effect is stored once, and nothing else is. */
import type { TableService } from '../../lib/config/service-names.ts';
import { inDatabase, type Deployment } from '../harness/cluster.ts';
import type { Effect, World } from './world.ts';

interface Stored {
  service: TableService;
  /** Selects `id` of the effects in the associations $1, and of the people whose names begin with $2. */
  sql: string;
}

const OF_ASSOCIATIONS = 'association_id = ANY($1::uuid[]) AND $2::text IS NOT NULL';

/** A payment that a correction reverses was made. */
const POSTED = `'paid', 'reversing', 'reversed'`;

/** Rows that have taken effect: what was refused before an answer is not among them. */
const STORED: Partial<Record<Effect, Stored>> = {
  association: {
    service: 'membership',
    sql: `SELECT DISTINCT association_id AS id FROM members WHERE user_id LIKE $2 || '%' AND $1::uuid[] IS NOT NULL`,
  },
  invitation: { service: 'membership', sql: `SELECT id FROM invitations WHERE ${OF_ASSOCIATIONS}` },
  contribution: {
    service: 'contribution',
    sql: `SELECT id FROM contributions WHERE ${OF_ASSOCIATIONS} AND method = 'wallet' AND status IN (${POSTED})`,
  },
  meeting: { service: 'contribution', sql: `SELECT id FROM meetings WHERE ${OF_ASSOCIATIONS} AND cycle_id IS NULL` },
  cycle: { service: 'contribution', sql: `SELECT id FROM cycles WHERE ${OF_ASSOCIATIONS} AND number IS NOT NULL` },
  settlement: {
    service: 'contribution',
    sql: `SELECT id FROM meetings WHERE ${OF_ASSOCIATIONS} AND status = 'settled'`,
  },
  cash: { service: 'treasury', sql: `SELECT id FROM cash_deposits WHERE ${OF_ASSOCIATIONS} AND status <> 'refused'` },
  distribution: {
    service: 'treasury',
    sql: `SELECT id FROM distributions WHERE ${OF_ASSOCIATIONS} AND status <> 'refused'`,
  },
  fine: {
    service: 'contribution',
    sql: `SELECT id FROM fines WHERE ${OF_ASSOCIATIONS} AND assessed_by_member_id IS NOT NULL`,
  },
  fine_payment: {
    service: 'contribution',
    sql: `SELECT id FROM fine_payments WHERE ${OF_ASSOCIATIONS} AND status IN (${POSTED})`,
  },
  sheet: { service: 'contribution', sql: `SELECT id FROM sheets WHERE ${OF_ASSOCIATIONS}` },
  submission: {
    service: 'contribution',
    sql: `SELECT approval_id AS id FROM sheet_submissions WHERE ${OF_ASSOCIATIONS} AND status <> 'refused'`,
  },
  correction: {
    service: 'treasury',
    sql: `SELECT id FROM corrections WHERE ${OF_ASSOCIATIONS} AND status <> 'refused'`,
  },
  funding: {
    service: 'treasury',
    sql: `SELECT transfer_id AS id FROM wallet_funding
          JOIN transfers ON transfers.id = transfer_id AND refusal IS NULL
          JOIN wallets ON wallets.id = wallet_id
          WHERE user_id LIKE $2 || '%' AND $1::uuid[] IS NOT NULL`,
  },
  proposal: { service: 'governance', sql: `SELECT id FROM proposals WHERE ${OF_ASSOCIATIONS}` },
  vote: {
    service: 'governance',
    sql: `SELECT approval_id || ' ' || member_id AS id FROM votes JOIN approvals ON id = approval_id
          WHERE ${OF_ASSOCIATIONS} AND member_id <> requested_by_member_id`,
  },
};

/** @returns each difference, one line each */
export async function compareEffects(site: Pick<Deployment, 'adminUrl'>, world: World, run: string): Promise<string[]> {
  const differences: string[] = [];
  const associations = associationsOf(world);
  for (const [effect, { service, sql }] of Object.entries(STORED) as [Effect, Stored][]) {
    const stored = await inDatabase(site, service, async (client) => {
      const { rows } = await client.query<{ id: string }>(sql, [associations, `${run}-`]);
      return rows.map(({ id }) => id);
    });
    differences.push(...compare(effect, stored, world));
  }
  return differences;
}

function compare(effect: Effect, stored: string[], world: World): string[] {
  const own = world.written.filter((each) => each.effect === effect);
  const acknowledged = new Set(own.flatMap((each) => keyOf(effect, each, world) ?? []));
  const uncertain = own.filter(({ outcome }) => outcome.isDone === undefined).length;
  const known = new Set(stored);
  const differences: string[] = [];
  for (const id of acknowledged) if (!known.has(id)) differences.push(`${effect} ${id} was acknowledged, and is lost`);
  for (const [index, id] of stored.entries()) {
    if (stored.indexOf(id) !== index) differences.push(`${effect} ${id} is there twice`);
  }
  const others = [...known].filter((id) => !acknowledged.has(id));
  if (others.length > uncertain) {
    const why = `${String(uncertain)} requests had an unknown outcome`;
    differences.push(`${effect}: ${others.join(', ')} stored without an acknowledgement, although only ${why}`);
  }
  return differences;
}

/** The member of the answer that names the effect, if the answer shows another object. */
const NAMED_BY: Partial<Record<Effect, string>> = { fine_payment: 'transfer_id', submission: 'approval_id' };

/** Returns the key under which an acknowledged effect is stored; undefined if it was not acknowledged. */
export function keyOf(
  effect: Effect,
  { id, person, outcome }: World['written'][0],
  world: Pick<World, 'groups'>,
): string | undefined {
  const name = NAMED_BY[effect];
  if (id !== undefined && name !== undefined) return outcome.body?.[name] as string;
  if (id === undefined || effect !== 'vote') return id;
  const group = world.groups.find(({ path }) => outcome.request.path.startsWith(path));
  const member = group?.members.find((each) => each.person === person);
  return member === undefined ? undefined : `${id} ${member.member_id}`;
}

/**
 * The last acknowledged joining or leaving of a person decides whether they are a member, unless they were expelled. What has an
 * unknown outcome may take effect later, so that it leaves open what follows.
 */
export async function compareMemberships(
  site: Pick<Deployment, 'adminUrl'>,
  { written }: World,
  run: string,
): Promise<string[]> {
  const rows = await inDatabase(site, 'membership', async (client) => {
    const sql = `SELECT association_id || ' ' || user_id AS key, status FROM members WHERE user_id LIKE $1 || '-%'`;
    return (await client.query<{ key: string; status: string }>(sql, [run])).rows;
  });
  const stored = new Map(rows.map(({ key, status }) => [key, status]));
  const own = written.filter(({ effect }) => effect === 'join' || effect === 'leave');
  const byMember = Map.groupBy(own, ({ person, outcome: { request, body } }) => {
    const [, association = body?.association_id] = /^\/associations\/([^/]+)/.exec(request.path) ?? [];
    return `${String(association)} ${person.client.user}`;
  });
  return [...byMember].flatMap(([key, changes]) => {
    const { person } = changes[0]!;
    const isOpen = own.some((each) => each.person === person && each.outcome.isDone === undefined);
    const last = changes.findLast(({ outcome }) => outcome.isDone === true);
    const status = stored.get(key) ?? 'none';
    const expected = last?.effect === 'join' ? 'active' : 'left';
    if (isOpen || last === undefined || status === expected || status === 'expelled') return [];
    return [`${key}: the last ${last.effect} was acknowledged, but the membership is ${status}`];
  });
}

/** Returns the ids of all associations of a run, also of those founded during the work. */
export function associationsOf(world: World): string[] {
  const founded = world.written.filter(({ effect }) => effect === 'association').flatMap(({ id }) => id ?? []);
  return [...new Set([...world.groups.map(({ id }) => id), ...founded])];
}
