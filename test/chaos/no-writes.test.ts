import { randomUUID } from 'node:crypto';
import { rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { startCluster, TOGETHER, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import type { TestGroup } from '../harness/group.ts';
import { HttpClient } from '../harness/http.ts';
import { QUICK_PROBES } from '../harness/runtime.ts';
import { expectValidLedger } from '../harness/verified-ledger.ts';
import { kitty as openMeeting } from './stories/asking.ts';
import { Scene } from './stories/scene.ts';

const DATABASE = defaultDatabaseName('treasury');
const FUNDING = 1_000;
const AMOUNT = 10;

interface Fault {
  name: string;
  begin: () => Promise<unknown>;
  end: () => Promise<unknown>;
}

describe('a service whose database refuses writes', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let group: TestGroup;
  let kitty: string;
  let admin: pg.Pool;

  before(async () => {
    cluster = await startCluster({ processes: TOGETHER, faults: true, probeTimings: QUICK_PROBES });
    admin = new pg.Pool({ connectionString: withDatabase(cluster.adminUrl, DATABASE), max: 1 });
    const scene = await Scene.open(cluster, { size: 2, funding: FUNDING, roles: ['president', 'treasurer'] });
    ({ group } = scene);
    kitty = `${group.path}/meetings/${await openMeeting(scene)}`;
  });
  after(async () => {
    await admin.end();
    await cluster.stop();
  });

  /** Ends the sessions, because sessions keep the settings that they began with. */
  const endSessions = () =>
    admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'treasury'`);

  /** Replaces the file of the table that the trigger writes to. */
  async function swapFile(swap: (file: string) => Promise<void>): Promise<void> {
    await admin.query('CHECKPOINT');
    const { rows } = await admin.query<{ file: string }>(`SELECT pg_relation_filepath('growth') AS file`);
    await swap(join(cluster.dataDir, 'postgres', rows[0]!.file));
    await endSessions();
  }

  const faults: Fault[] = [
    {
      name: 'the database is read-only',
      begin: () => admin.query(`ALTER DATABASE ${DATABASE} SET default_transaction_read_only = on`).then(endSessions),
      end: () => admin.query(`ALTER DATABASE ${DATABASE} RESET default_transaction_read_only`),
    },
    {
      name: 'the database has no free connection',
      begin: () => admin.query('ALTER ROLE treasury CONNECTION LIMIT 0').then(endSessions),
      end: () => admin.query('ALTER ROLE treasury CONNECTION LIMIT -1'),
    },
    {
      // A test without root cannot fill a disk. Instead, each new transfer also writes to a table whose file is
      // /dev/full, where the kernel refuses writes with ENOSPC as on a full disk.
      name: 'the disk is full',
      async begin() {
        await admin.query(`
          CREATE TABLE growth (transfer_id uuid);
          CREATE FUNCTION grow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS
            'BEGIN INSERT INTO growth VALUES (NEW.id); RETURN NULL; END';
          CREATE TRIGGER grow AFTER INSERT ON transfers FOR EACH ROW EXECUTE FUNCTION grow();`);
        await swapFile(async (file) => {
          await rename(file, `${file}.kept`);
          await symlink('/dev/full', file);
        });
      },
      async end() {
        await swapFile(async (file) => {
          await rm(file);
          await rename(`${file}.kept`, file);
        });
      },
    },
  ];

  for (const { name, begin, end } of faults) {
    it(`answers 503 and is not ready while ${name}, then recovers without a restart`, async () => {
      const [{ http, wallet_id }] = group.members as [TestGroup['members'][0]];
      const bank = new HttpClient(cluster.origin, cluster.token('the-bank', { scope: 'wallets:fund' }));
      const deposit = `/wallets/${wallet_id}/deposits`;
      const body = { amount: AMOUNT, reference: name };
      const keyed = { 'Idempotency-Key': randomUUID() };
      const before = (await http.ok(`/wallets/${wallet_id}`)).balance as number;
      await begin();
      try {
        const refused = await bank.send('POST', deposit, body, keyed);
        expect([refused.status, refused.body.code]).to.deep.equal([503, 'service_unavailable']);
        expect(Number(refused.headers.get('retry-after'))).to.be.at.least(1);
        const payment = { wallet_id, amount: AMOUNT, pin: await http.sealedPin() };
        const pending = await http.post(`${kitty}/contribute`, payment);
        expect(pending.status).to.be.oneOf([202, 503]);
        await eventually(async () => {
          const ready = await fetch(`${cluster.origin}/health/ready`);
          expect(ready.status).to.equal(503);
          expect(ready.headers.get('retry-after')).to.not.equal(null);
          expect(((await ready.json()) as { services: object }).services).to.include({ treasury: 'down' });
        });
        const { rows } = await admin.query('SELECT FROM transfers WHERE reference = $1', [name]);
        expect(rows).to.have.lengthOf(0);
      } finally {
        await end();
      }
      await cluster.ready();
      await eventually(
        async () => expect((await bank.send('POST', deposit, body, keyed)).status).to.equal(201),
        30_000,
      );
      let paid = 0;
      await eventually(async () => {
        const contributions = (await http.ok(`${kitty}/contributions`)).data as { status: string }[];
        expect(contributions.map(({ status }) => status)).to.not.include('pending');
        paid = contributions.filter(({ status }) => status === 'paid').length;
      });
      expect((await http.ok(kitty)).collected_amount).to.equal(paid * AMOUNT);
      const balances = (await http.ok(`/wallets/${wallet_id}`)).balance as number;
      expect(before + AMOUNT - balances).to.be.oneOf([0, AMOUNT]);
      await expectValidLedger(http, group.path);
    });
  }
});
