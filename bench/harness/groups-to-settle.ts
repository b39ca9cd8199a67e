import { ServiceBroker } from 'moleculer';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { signingKeys } from '../../lib/config/caller-keys.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { contribute, settle } from '../../lib/contracts/contribution.ts';
import type { Answer } from '../../lib/contracts/action.ts';
import { transfer } from '../../lib/contracts/treasury.ts';
import { resolveSecrets } from '../../lib/node/create-runtime.ts';
import { call } from '../../lib/service/call.ts';
import { brokerOptions } from '../../moleculer.config.ts';
import { makePlainDatabase } from '../baseline/plain-database.ts';
import { settlePlainly } from '../baseline/plain-settlement.ts';
import { CURRENCY, DUE_MINOR, fillMembership, fillPaidRound, fillWallets, groupOf } from './filled-group.ts';
import type { FilledGroup, PaidRound } from './filled-group.ts';
import { openWriter } from './hot-ledger.ts';
import { callerStatements } from './service-internals.ts';
import type { ServiceProcesses } from './service-processes.ts';

/** Timeout of a settlement of the largest group. */
const CALL_TIMEOUT_MS = 30_000;

/** A group whose members have all paid in its only round, whose settlement pays all of them back. */
export interface ToSettle {
  group: FilledGroup;
  round: PaidRound;
}

/** A place of settlements: the services and their databases, or a plain database with the tables of two services. */
export interface SettlementSite {
  contribution: pg.Pool;
  treasury: pg.Pool;
  membership?: pg.Pool;
  /** Pays for all members of the group by one transfer. */
  pay: (round: ToSettle) => Promise<void>;
  /** Resolves when the settlement is committed. */
  settle: (round: ToSettle) => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts a node of the cluster without services, which calls actions as the gateway does. */
export async function serviceSite({ cluster, admin }: ServiceProcesses): Promise<SettlementSite> {
  const settings = loadSettings({ DATA_DIR: cluster.dataDir, LOG_LEVEL: 'warn' });
  const broker = new ServiceBroker({ ...brokerOptions(settings, cluster.natsUrl), nodeID: 'bench' });
  await broker.start();
  await broker.waitForServices(['membership', 'contribution', 'treasury']);
  const { callerKeys } = await resolveSecrets(settings);
  const stateCaller = callerStatements(signingKeys(callerKeys), { clock: () => new Date(), newId: uuidv7 });
  return {
    contribution: admin('contribution'),
    treasury: admin('treasury'),
    membership: admin('membership'),
    // The treasury posts the payment, so that its cache has the chain and the pool, as after payments of members.
    async pay({ group: { association_id, members }, round: { meeting_id } }) {
      const [{ user_id, member_id, wallet_id } = { user_id: '', member_id: '', wallet_id: '' }] = members;
      const amount_minor = members.length * DUE_MINOR;
      const legs = [
        { account: `wallet:${wallet_id}`, amount_minor: -amount_minor },
        { account: `pool:${meeting_id}`, amount_minor },
      ];
      const paid = {
        id: uuidv7(),
        association_id,
        kind: 'contribution' as const,
        currency: CURRENCY,
        legs,
        reference: null,
        payer_user_id: user_id,
        member_id,
      };
      const { treasury: statement } = stateCaller({ user_id, name: null, scopes: [] }, contribute.name);
      await call(broker, transfer, paid, CALL_TIMEOUT_MS, statement);
    },
    async settle({ group: { association_id, members }, round: { meeting_id } }) {
      const caller = { user_id: members[0]?.user_id ?? '', name: null, scopes: [] };
      const meta = { statements: stateCaller(caller, settle.name) };
      const input = { path: { association_id, meeting_id }, query: {}, body: {} };
      const settled: Answer<typeof settle> = await broker.call(settle.name, input, { meta, timeout: CALL_TIMEOUT_MS });
      // A pending settlement was not measured completely.
      if (settled.status === 'settled' && settled.payouts.length === members.length) return;
      throw new Error(`A settlement of ${String(members.length)} hands is ${settled.status}`);
    },
    stop: () => broker.stop(),
  };
}

/** Creates the database of the cost floor, with the tables of contribution and treasury, on the same server. */
export async function plainSite({ cluster }: ServiceProcesses): Promise<SettlementSite> {
  const url = await makePlainDatabase(cluster.adminUrl);
  const open = (schema: string): pg.Pool =>
    new pg.Pool({ connectionString: url, max: 1, options: `-c search_path=${schema}` });
  const contribution = open('contribution');
  const treasury = open('treasury');
  const writer = openWriter(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    contribution,
    treasury,
    pay: ({ group, round: { meeting_id } }) => {
      const amount_minor = group.members.length * DUE_MINOR;
      return writer.post({ ...group, meeting_id }, { id: uuidv7(), payer: 0, amount_minor });
    },
    settle: ({ group, round }) => settlePlainly(client, group, round),
    stop: async () => void (await Promise.all([contribution.end(), treasury.end(), writer.stop(), client.end()])),
  };
}

/** Writes groups with their members and wallets. */
export async function fillGroups(
  { treasury, membership }: SettlementSite,
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

/** Writes a paid round for each of the groups, which must not have an open round. */
export async function fillRounds(site: SettlementSite, groups: readonly FilledGroup[]): Promise<ToSettle[]> {
  const all: ToSettle[] = [];
  for (const group of groups) {
    const round = await fillPaidRound(site.contribution, group);
    // One payment replaces all, because a settlement does not read the ledger's rows of payments.
    await site.pay({ group, round });
    all.push({ group, round });
  }
  // In production, members pay over days and autovacuum keeps up.
  for (const pool of [site.contribution, site.treasury]) await pool.query('VACUUM ANALYZE');
  return all;
}
