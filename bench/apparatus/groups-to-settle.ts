import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { transfer } from '../../lib/contracts/treasury.ts';
import { defaultDatabaseName, withDatabase } from '../../lib/embedded/provision.ts';
import { makePlainDatabase } from '../beside/plain-database.ts';
import { CURRENCY } from './amounts.ts';
import type { ClientNode } from './client-node.ts';
import { DUE_MINOR, fillMembership, fillPaidRound, fillPool, fillWallets, groupOf, poolLegs } from './filled-group.ts';
import type { FilledGroup, FilledMember, PaidRound, PoolPayment } from './filled-group.ts';
import type { ServiceProcesses } from './service-processes.ts';

/** A group whose members have all paid for its one round, which is therefore the last: everyone is to be paid back. */
export interface ToSettle {
  group: FilledGroup;
  round: PaidRound;
}

/** The tables that a settlement reads and writes: the services' own databases, or one plain one. */
export interface SettlementTables {
  contribution: pg.Pool;
  treasury: pg.Pool;
  treasury_url: string;
}

/** The tables of the services, those of membership beside them. */
export function serviceTables(processes: ServiceProcesses): SettlementTables & { membership: pg.Pool } {
  const treasury_url = withDatabase(processes.cluster.adminUrl, defaultDatabaseName('treasury'));
  return {
    contribution: processes.admin('contribution'),
    treasury: processes.admin('treasury'),
    membership: processes.admin('membership'),
    treasury_url,
  };
}

/** The same tables in one database of the same server. */
export async function plainTables({
  cluster,
}: ServiceProcesses): Promise<SettlementTables & { end: () => Promise<void> }> {
  const url = await makePlainDatabase(cluster.adminUrl);
  const pool = (schema: string): pg.Pool =>
    new pg.Pool({ connectionString: url, max: 1, options: `-c search_path=${schema}` });
  const [contribution, treasury] = [pool('contribution'), pool('treasury')];
  const end = async () => void (await Promise.all([contribution.end(), treasury.end()]));
  return { contribution, treasury, treasury_url: url, end };
}

/** Writes groups that stay: their members with wallets. */
export async function fillGroups(
  { treasury, membership }: SettlementTables & { membership?: pg.Pool },
  count: number,
  size: number,
): Promise<FilledGroup[]> {
  const groups = Array.from({ length: count }, () => groupOf(size));
  for (const group of groups) {
    await fillWallets(treasury, group.members);
    if (membership !== undefined) await fillMembership(membership, group);
  }
  await membership?.query('VACUUM ANALYZE');
  return groups;
}

/** Pays into the pool of a round. */
export type PayInto = (group: FilledGroup, payment: PoolPayment) => Promise<void>;

/** By the treasury, as members do: it knows the chain and the pool when the round is settled. */
export function payByTreasury(node: ClientNode): PayInto {
  return async ({ association_id }, { meeting_id, payer, amount_minor }) => {
    const about = { payer_user_id: payer.user_id, member_id: payer.member_id, reference: null };
    const legs = poolLegs(payer.wallet_id, meeting_id, amount_minor);
    const kind = 'contribution' as const;
    await node.command(transfer, { id: uuidv7(), association_id, kind, currency: CURRENCY, legs, ...about });
  };
}

/** Into tables that no treasury serves. */
export function payPlainly({ treasury_url }: SettlementTables): PayInto {
  return (group, payment) => fillPool(treasury_url, group, [payment]);
}

/** Writes a paid round for each of the groups, which must have none that is open. */
export async function fillRounds(
  tables: SettlementTables,
  groups: readonly FilledGroup[],
  pay: PayInto,
): Promise<ToSettle[]> {
  const all: ToSettle[] = [];
  for (const group of groups) {
    const round = await fillPaidRound(tables.contribution, group);
    // One payment stands for all: the ledger's rows of the members' own are of no account to a settlement.
    const payer = group.members[0] as FilledMember;
    const amount_minor = group.members.length * DUE_MINOR;
    await pay(group, { meeting_id: round.meeting_id, payer, amount_minor });
    all.push({ group, round });
  }
  // Members pay over days, and autovacuum keeps up with them.
  for (const pool of [tables.contribution, tables.treasury]) await pool.query('VACUUM ANALYZE');
  return all;
}
