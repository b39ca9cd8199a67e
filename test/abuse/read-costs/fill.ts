import pg from 'pg';
import { DATABASE_SERVICES, type DatabaseService } from '../../../lib/config/service-names.ts';
import type { CountedServices } from '../../harness/counted-services.ts';
import { CONTRIBUTION } from './fill-contribution.ts';
import { GOVERNANCE } from './fill-governance.ts';
import { MEMBERSHIP } from './fill-membership.ts';
import { REMINDERS } from './fill-reminders.ts';
import { TREASURY } from './fill-treasury.ts';
import { WEBHOOKS } from './fill-webhooks.ts';
import { FUNCTIONS, type Filled, type Filling } from './rows.ts';

const FILLINGS: Record<DatabaseService, Filling> = {
  membership: MEMBERSHIP,
  contribution: CONTRIBUTION,
  treasury: TREASURY,
  governance: GOVERNANCE,
  webhooks: WEBHOOKS,
  reminders: REMINDERS,
};

/** Fills the databases with far more rows than a page has. Thousands of requests would take longer than the test. */
export async function fillDatabases(services: CountedServices, filled: Filled): Promise<void> {
  for (const service of DATABASE_SERVICES) {
    const client = new pg.Client({ connectionString: services.adminUrl(service) });
    await client.connect();
    try {
      // Without triggers: the ledger's entries need not balance here.
      await client.query(`SET session_replication_role = replica; ${FUNCTIONS}`);
      for (const statement of FILLINGS[service](filled)) await client.query(statement);
      await client.query('VACUUM (ANALYZE)');
    } finally {
      await client.end();
    }
  }
}
