import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeCertificateAuthority } from '../harness/certificates.ts';
import { inDatabase, startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import { startDeployedCluster, writeNatsPasswords } from '../harness/nats.ts';
import { contribute, done, openMeeting } from '../harness/requests.ts';
import { startTlsPostgres } from '../harness/tls-postgres.ts';

const FUNDING = 5_000;
const AMOUNT = 1_000;

interface Varz {
  tls_required: boolean;
  cluster: { tls_required: boolean };
}

describe('services whose NATS and PostgreSQL require TLS, with a private CA', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  const stops: (() => Promise<unknown>)[] = [];

  before(async () => {
    const dir = await mkdtemp(join(tmpdir(), 'association-tls-'));
    stops.push(() => rm(dir, { recursive: true, force: true }));
    const ca = await makeCertificateAuthority(dir, 'ca');
    // Routes between NATS servers use their address.
    const server = await ca.issue('server', ['localhost', '127.0.0.1']);
    const postgres = await startTlsPostgres(dir, 'secret');
    stops.push(() => postgres.stop());
    await postgres.use(server);
    await postgres.requireTls();
    await writeNatsPasswords(dir);
    const files = { 'nats-tls-cert': server.cert, 'nats-tls-key': server.key, 'nats-tls-ca': ca.file };
    for (const [name, file] of Object.entries(files)) await copyFile(file, join(dir, name));
    const nats = await startDeployedCluster(dir);
    stops.push(() => Promise.all(nats.map((each) => each.stop())));
    for (const { monitoringPort } of nats) {
      const server = await fetch(`http://127.0.0.1:${String(monitoringPort)}/varz`);
      const { tls_required, cluster: routes } = (await server.json()) as Varz;
      expect([tls_required, routes.tls_required]).to.deep.equal([true, true]);
    }
    cluster = await startCluster({
      settings: {
        NODE_ENV: 'production',
        NATS_URL: nats.map(({ port }) => `tls://localhost:${String(port)}`).join(','),
        EVENTS_REPLICAS: '3',
        NATS_PASSWORD_FILE: join(dir, 'nats-operator-password'),
        NATS_TLS_CA_FILE: ca.file,
        POSTGRES_URL: `${postgres.url}?sslmode=verify-full&sslrootcert=${ca.file}`,
      },
    });
    stops.push(() => cluster.stop());
  });
  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  it('take a contribution, and its events reach their subscribers', async () => {
    const { members } = await foundGroup(cluster, { size: 2, funding: FUNDING });
    const [founder] = members;
    const meeting = await done(openMeeting(founder!));
    const contribution = await done(contribute(founder!, meeting.id as string, AMOUNT));
    expect(contribution.status).to.equal('paid');
    await eventually(async () => {
      const { rows } = await inDatabase(cluster, 'contribution', (client) =>
        client.query<{ waiting: number }>('SELECT count(*)::int AS waiting FROM outbox WHERE published_at IS NULL'),
      );
      expect(rows[0]?.waiting).to.equal(0);
    });
  });
});
