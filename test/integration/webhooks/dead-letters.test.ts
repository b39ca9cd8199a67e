import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { exampleEvent } from '../../../lib/contracts/event-schema.ts';
import { openSqlDatabase, type SqlDatabase } from '../../../lib/db/sql-database.ts';
import { provision } from '../../../lib/embedded/provision.ts';
import { webhooks } from '../../../services/webhooks/src/service.ts';
import { startProcess } from '../../harness/process.ts';
import { adminUrl, withClient } from '../../harness/servers.ts';

const CONSUMER = 'webhooks-events';

describe('npm run dead-letters -- --service webhooks', function () {
  this.timeout(60_000);
  const name = `d${randomBytes(4).toString('hex')}`;
  const event = exampleEvent('contribution.paid', { id: randomUUID(), subject: randomUUID() });
  let url: string;
  let db: SqlDatabase;

  before(async () => {
    const login = { name, password: 'secret' };
    ({ url } = (await provision(adminUrl(), { webhooks: { database: name, login, isOwner: true } })).webhooks);
    db = await openSqlDatabase(url, webhooks.migrations);
    for (const consumer of [CONSUMER, 'webhooks-other'])
      await db.run(
        `INSERT INTO dead_letters (consumer, event_id, subject, event, error, deliveries, dead_at)
         VALUES ($1, $2, 'ledger.v1.x.contribution.paid', $3, 'the disk was full', 8, now())`,
        [consumer, event.id, JSON.stringify(event)],
      );
  });
  after(async () => {
    await db.close();
    await withClient(adminUrl(), async (admin) => {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.query(`DROP ROLE ${name}`);
    });
  });

  /** Runs the command as in the container of webhooks: with its database and secrets, and no others. */
  async function command(...args: string[]): Promise<{ code: number | null; output: string }> {
    const own = { WEBHOOKS_DATABASE_URL: url, WEBHOOK_SECRET_KEY: 'k'.repeat(32), NODE_ENV: 'production' };
    const env = { PATH: process.env['PATH'], WEBHOOKS_CALLER_KEY: 'c'.repeat(32), ...own };
    const started = startProcess(['cli/dead-letters.ts', ...args], { env });
    return { code: await started.ended, output: started.output() };
  }

  it('lists those of that service alone', async () => {
    const { code, output } = await command('list', '--service', 'webhooks');
    expect(output).to.match(new RegExp(`^${event.id} contribution.paid ${CONSUMER} \\S+Z the disk was full$`, 'm'));
    expect(output).to.match(/^2 dead letters$/m);
    expect(code).to.equal(0);
  });

  it('handles them again, and says which have no subscription any more', async () => {
    const { code, output } = await command('retry', event.id, '--service', 'webhooks');
    expect(output).to.contain(`handled ${event.id} of ${CONSUMER}\n`);
    expect(output).to.contain(`failed ${event.id} of webhooks-other: webhooks has no subscription webhooks-other\n`);
    expect(code).to.equal(1);
    expect(await db.rows('SELECT id FROM events')).to.deep.equal([{ id: event.id }]);
    expect(await db.rows('SELECT consumer FROM dead_letters')).to.deep.equal([{ consumer: 'webhooks-other' }]);
  });

  it('refuses a service that has none of its own', async () => {
    const { code, output } = await command('list', '--service', 'gateway');
    expect(output).to.match(/^Usage: npm run dead-letters[^]*--service webhooks or reminders/);
    expect(code).to.equal(1);
  });
});
