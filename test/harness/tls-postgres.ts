import { chown, copyFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { startPostgres } from '../../lib/embedded/postgres.ts';
import type { CertificateFiles } from './certificates.ts';
import { eventually } from './eventually.ts';
import { withClient } from './servers.ts';

/** A PostgreSQL server whose certificate a test chooses. */
export interface TlsPostgres {
  /** The administrator's URL, with the host name of certificates. */
  url: string;
  /** Turns TLS on with a certificate, or off without one. */
  use(certificate: CertificateFiles | undefined): Promise<void>;
  /** Lets the server refuse connections without TLS, also to use(). */
  requireTls(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server without TLS, with its files in `dir`. */
export async function startTlsPostgres(dir: string, password: string): Promise<TlsPostgres> {
  const onCrash = (line: string) => void process.stderr.write(`${line}\n`);
  const server = await startPostgres({ dataDir: dir, password, onCrash });
  const data = join(dir, 'postgres');
  const reload = (...changes: string[]): Promise<void> =>
    withClient(server.url, async (admin) => {
      for (const change of [...changes, 'SELECT pg_reload_conf()']) await admin.query(change);
    });
  return {
    url: Object.assign(new URL(server.url), { hostname: 'localhost' }).href,
    async use(certificate) {
      const { uid, gid } = await stat(data);
      for (const file of Object.values(certificate ?? {}) as string[]) {
        await copyFile(file, join(data, basename(file)));
        await chown(join(data, basename(file)), uid, gid);
      }
      const isOn = certificate === undefined ? 'off' : 'on';
      const { cert, key } = certificate ?? { cert: 'server.crt', key: 'server.key' };
      await reload(
        `ALTER SYSTEM SET ssl_cert_file = '${basename(cert)}'`,
        `ALTER SYSTEM SET ssl_key_file = '${basename(key)}'`,
        `ALTER SYSTEM SET ssl = ${isOn}`,
      );
      // A new connection has the settings with which the server accepts it.
      await eventually(() =>
        withClient(server.url, async (admin) => {
          const { rows } = await admin.query<{ ssl: string; file: string }>(
            `SELECT current_setting('ssl') AS ssl, current_setting('ssl_cert_file') AS file`,
          );
          if (rows[0]?.ssl !== isOn || rows[0].file !== basename(cert))
            throw new Error('PostgreSQL has not loaded its settings');
        }),
      );
    },
    async requireTls() {
      await writeFile(join(data, 'pg_hba.conf'), 'hostssl all all all scram-sha-256\n');
      await reload();
      await eventually(async () => {
        const isOpen = await withClient(server.url, () => Promise.resolve()).then(
          () => true,
          () => false,
        );
        if (isOpen) throw new Error('PostgreSQL still accepts connections without TLS');
      });
    },
    stop: () => server.stop(),
  };
}
