import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from 'nats';
import { natsConnectOptions } from '../../../lib/config/server-urls.ts';
import { loadSettings } from '../../../lib/config/settings.ts';
import { openDatabase } from '../../../lib/db/database.ts';
import { openProber, PROBE_TIMINGS } from '../../../lib/db/prober.ts';
import { probeDatabase, probeNats, refuseOpenNats } from '../../../lib/embedded/probe.ts';
import { openBus } from '../../../lib/events/stream.ts';
import {
  makeCertificateAuthority,
  type CertificateAuthority,
  type CertificateFiles,
} from '../../harness/certificates.ts';
import { eventually } from '../../harness/eventually.ts';
import { startNats } from '../../harness/nats.ts';
import { startRecordingServer, type Greeting } from '../../harness/recording-server.ts';
import { startRefusalOf } from '../../harness/refusal.ts';
import { startTlsPostgres, type TlsPostgres } from '../../harness/tls-postgres.ts';

const PASSWORD = 'a-password-on-the-wire';
const LOGIN = `authorization { user: treasury, password: "${PASSWORD}" }`;
const HOUR_MS = 3_600_000;
/** The first message of a PostgreSQL client that wants TLS: its length and a code, and nothing of the client. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

describe('TLS with a private CA', function () {
  this.timeout(60_000);
  let dir: string;
  let ca: CertificateAuthority;
  let good: CertificateFiles;
  let otherCa: CertificateAuthority;
  /** Certificates with which a server must not be trusted, and what the refusal says. */
  const untrusted: [what: string, make: () => Promise<CertificateFiles>, reason: string][] = [
    ['of another CA', () => otherCa.issue('foreign', ['localhost']), 'its certificate is not of a trusted CA'],
    ['for another host', () => ca.issue('elsewhere', ['db.example.com']), 'its certificate is of another host'],
    ['that has expired', () => ca.issue('expired', ['localhost'], -HOUR_MS), 'certificate has expired'],
  ];
  const ADVICE: Record<string, { NATS: string; Postgres: string }> = {
    'of another CA': {
      NATS: 'set NATS_TLS_CA_FILE to the certificate of its CA.',
      Postgres: 'set sslrootcert in TREASURY_DATABASE_URL to the certificate of its CA.',
    },
    'for another host': {
      NATS: 'name it in NATS_URL as its certificate does, or renew that.',
      Postgres: 'name it in TREASURY_DATABASE_URL as its certificate does, or renew that.',
    },
    'that has expired': {
      NATS: 'renew its certificate, or correct the clock.',
      Postgres: 'renew its certificate, or correct the clock.',
    },
  };

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'association-tls-'));
    ca = await makeCertificateAuthority(dir, 'ca');
    otherCa = await makeCertificateAuthority(dir, 'other-ca');
    good = await ca.issue('good', ['localhost']);
  });
  after(() => rm(dir, { recursive: true, force: true }));

  describe('of NATS', () => {
    /** Starts a server while `work` runs. */
    async function withNats<T>(config: string, work: (port: number) => Promise<T>): Promise<T> {
      const nats = await startNats(config);
      try {
        return await work(nats.port);
      } finally {
        await nats.stop();
      }
    }

    const tlsOf = ({ cert, key }: CertificateFiles, more = '') =>
      `${LOGIN}\ntls { cert_file: ${JSON.stringify(cert)}, key_file: ${JSON.stringify(key)} ${more} }`;
    const ownClients = () => `, ca_file: ${JSON.stringify(ca.file)}, verify: true`;

    /** Returns NATS_URL as a process has it. */
    function urlFor(port: number, env: NodeJS.ProcessEnv = {}): string {
      const own = { NATS_URL: `tls://localhost:${String(port)}`, NATS_PASSWORD: PASSWORD, NATS_TLS_CA_FILE: ca.file };
      return loadSettings({ ...own, ...env }, 'treasury').natsUrl ?? '';
    }

    const refusal = (port: number, env?: NodeJS.ProcessEnv) => startRefusalOf(probeNats('NATS_URL', urlFor(port, env)));

    it('lets the client check the server, and the server check the client if it wants to', async () => {
      await withNats(tlsOf(good), async (port) => {
        await probeNats('NATS_URL', urlFor(port));
        await refuseOpenNats(urlFor(port));
        const bus = await openBus(urlFor(port), 'test');
        expect((await bus.jetstream.publish('ledger.v1.a.test', '{}')).seq).to.equal(1);
        await bus.close();
      });
      await withNats(tlsOf(good, ownClients()), async (port) => {
        const own = await ca.issue('treasury', ['treasury']);
        const files = { NATS_TLS_CERT_FILE: own.cert, NATS_TLS_KEY_FILE: own.key };
        await probeNats('NATS_URL', urlFor(port, files));
        await refuseOpenNats(urlFor(port, files));
        expect(await refusal(port)).to.match(/: (start it or, .*)?set NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE\.$/);
        const foreign = await otherCa.issue('foreign-client', ['treasury']);
        expect(await refusal(port, { NATS_TLS_CERT_FILE: foreign.cert, NATS_TLS_KEY_FILE: foreign.key })).to.match(
          /set NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE\.$/,
        );
      });
    });

    it('hides the password from all but the server', async () => {
      const info = JSON.stringify({ server_id: 'x', version: '2.14.0', proto: 1, headers: true, tls_required: true });
      const server = await startRecordingServer({ hello: `INFO ${info}\r\n` }, good);
      const connecting = connect({ ...natsConnectOptions(urlFor(server.port)), reconnect: false, timeout: 10_000 });
      await eventually(() => expect(server.deciphered().toString()).to.contain(PASSWORD));
      expect(server.clear().toString()).to.equal('');
      await server.stop();
      await connecting.catch(() => undefined);
    });

    it('notices a server that accepts clients without credentials', async () => {
      await withNats(tlsOf(good).replace(LOGIN, ''), async (port) => {
        expect(await startRefusalOf(refuseOpenNats(urlFor(port)))).to.contain('accepts clients without credentials');
      });
    });

    for (const [what, make, reason] of untrusted) {
      it(`refuses a certificate ${what}, and says what to do`, async () => {
        await withNats(tlsOf(await make()), async (port) => {
          const expected = `Cannot reach NATS at localhost:${String(port)} (${reason}): ${ADVICE[what]?.NATS ?? ''}`;
          expect(await refusal(port)).to.equal(expected);
        });
      });

      it(`sends nothing to a server with a certificate ${what}`, async () => {
        const info = JSON.stringify({ server_id: 'x', version: '2.14.0', proto: 1, headers: true, tls_required: true });
        await expectSilence({ hello: `INFO ${info}\r\n` }, await make(), (port) => refusal(port));
      });
    }

    it('trusts only the CA of NATS_TLS_CA_FILE, or else the public ones', async () => {
      await withNats(tlsOf(good), async (port) => {
        for (const file of [otherCa.file, '']) {
          expect(await refusal(port, { NATS_TLS_CA_FILE: file })).to.contain('its certificate is not of a trusted CA');
        }
      });
    });

    it('refuses a server without TLS, and sends nothing to it', async () => {
      await withNats(LOGIN, async (port) => {
        expect(await refusal(port)).to.equal(
          `Cannot reach NATS at localhost:${String(port)} (it has no TLS): give it a certificate, or change NATS_URL.`,
        );
      });
      const info = JSON.stringify({ server_id: 'x', version: '2.14.0', proto: 1, headers: true });
      await expectSilence({ hello: `INFO ${info}\r\n` }, undefined, (port) => refusal(port));
    });
  });

  describe('of PostgreSQL', () => {
    let postgres: TlsPostgres;

    before(async () => {
      postgres = await startTlsPostgres(dir, PASSWORD);
    });
    after(() => postgres.stop());

    /** Returns TREASURY_DATABASE_URL as a process has it. */
    function urlFor(search: string, port = new URL(postgres.url).port): string {
      const TREASURY_DATABASE_URL = Object.assign(new URL(postgres.url), { port, search }).href;
      return loadSettings({ TREASURY_DATABASE_URL }).databaseUrls.treasury ?? '';
    }

    const verified = () => `sslmode=verify-full&sslrootcert=${ca.file}`;
    const refusal = (search = verified(), port?: number) =>
      startRefusalOf(
        probeDatabase('TREASURY_DATABASE_URL', urlFor(search, port === undefined ? undefined : String(port))),
      );
    const at = () => `localhost:${new URL(postgres.url).port}`;

    it('protects each connection of a service', async () => {
      await postgres.use(good);
      const url = urlFor(verified());
      await probeDatabase('TREASURY_DATABASE_URL', url);
      const database = await openDatabase({ url }, { tables: [], migrations: [] });
      const statement = `SELECT count(*) FILTER (WHERE NOT ssl)::int AS open, count(*)::int AS all FROM pg_stat_ssl
        JOIN pg_stat_activity USING (pid) WHERE backend_type = 'client backend'`;
      await database.batches.rows('SELECT 1');
      const prober = openProber(url, PROBE_TIMINGS);
      await prober.probe();
      const [row] = await database.rows<{ open: number; all: number }>(statement);
      expect(row?.open).to.equal(0);
      // Those of both pools and of the probe.
      expect(row?.all).to.be.at.least(3);
      prober.close();
      await database.close();
    });

    for (const [what, make, reason] of untrusted) {
      it(`refuses a certificate ${what}, and says what to do`, async () => {
        await postgres.use(await make());
        expect(await refusal()).to.equal(
          `Cannot reach Postgres at ${at()} (${reason}): ${ADVICE[what]?.Postgres ?? ''}`,
        );
      });

      it(`sends nothing to a server with a certificate ${what}`, async () => {
        await expectSilence({ answer: 'S' }, await make(), (port) => refusal(undefined, port), SSL_REQUEST);
      });
    }

    it('trusts only the CA of sslrootcert, or else the public ones', async () => {
      await postgres.use(good);
      for (const search of ['sslmode=verify-full', `sslmode=verify-full&sslrootcert=${otherCa.file}`]) {
        expect(await refusal(search)).to.contain('its certificate is not of a trusted CA');
      }
    });

    it('refuses a server without TLS, and sends nothing to it', async () => {
      await postgres.use(undefined);
      expect(await refusal()).to.equal(
        `Cannot reach Postgres at ${at()} (it has no TLS): give it a certificate, or change TREASURY_DATABASE_URL.`,
      );
      await expectSilence({ answer: 'N' }, undefined, (port) => refusal(undefined, port), SSL_REQUEST);
    });
  });
});

/**
 * Checks that a client sends nothing to a server that it refuses.
 * @param begin what it sends before TLS
 */
async function expectSilence(
  greeting: Greeting,
  certificate: CertificateFiles | undefined,
  refusedBy: (port: number) => Promise<string>,
  begin = Buffer.alloc(0),
): Promise<void> {
  const server = await startRecordingServer(greeting, certificate);
  try {
    expect(await refusedBy(server.port)).to.match(/^Cannot reach /);
    expect(server.clear().subarray(0, begin.length)).to.deep.equal(begin);
    expect(server.clear().length % Math.max(begin.length, 1)).to.equal(0);
    expect(server.deciphered().toString()).to.equal('');
    if (begin.length === 0) expect(server.clear().toString()).to.equal('');
  } finally {
    await server.stop();
  }
}
