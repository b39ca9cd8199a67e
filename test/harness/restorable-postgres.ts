import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startPostgres } from '../../lib/embedded/postgres.ts';
import type { EmbeddedServer } from '../../lib/embedded/server-process.ts';
import { eventually } from './eventually.ts';
import { withClient } from './servers.ts';

const run = promisify(execFile);

/** A PostgreSQL server with an archive of its WAL, which can be restored to an instant, as docs/backup.md describes. */
export class RestorablePostgres {
  readonly #dir: string;
  #server: EmbeddedServer | undefined;

  /** @param dir an empty directory */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** With the administrator's name and password. Restarts and restores keep it. */
  get url(): string {
    if (this.#server === undefined) throw new Error('The server does not run');
    return this.#server.url;
  }

  /** Starts the server, archiving its WAL. */
  async start(): Promise<void> {
    await mkdir(this.#archive, { recursive: true });
    await this.#run();
    const { uid, gid } = await stat(this.#data);
    await chown(this.#archive, uid, gid);
    await withClient(this.url, async (admin) => {
      await admin.query(`ALTER SYSTEM SET archive_mode = on`);
      await admin.query(
        `ALTER SYSTEM SET archive_command = 'test ! -f ${this.#archive}/%f && cp %p ${this.#archive}/%f'`,
      );
    });
    await this.stop();
    await this.#run();
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = undefined;
  }

  /** Copies the files of the running server. Without pg_basebackup, which no npm package has, by the low-level functions. */
  async backUp(): Promise<void> {
    // A backup belongs to a session.
    await withClient(this.url, async (admin) => {
      await admin.query(`SELECT pg_backup_start('test', fast => true)`);
      await run('cp', ['-a', this.#data, this.#backup]);
      const { rows } = await admin.query<{ labelfile: string; spcmapfile: string }>(
        'SELECT labelfile, spcmapfile FROM pg_backup_stop()',
      );
      await writeFile(join(this.#backup, 'backup_label'), rows[0]!.labelfile);
      await writeFile(join(this.#backup, 'tablespace_map'), rows[0]!.spcmapfile);
    });
    await rm(join(this.#backup, 'postmaster.pid'), { force: true });
    // What it needs of the WAL is in the archive.
    const wal = join(this.#backup, 'pg_wal');
    for (const name of await readdir(wal)) await rm(join(wal, name), { recursive: true });
  }

  /** Stops the server, and restores it to an instant from the backup and the archive. */
  async restoreTo(instant: Date): Promise<void> {
    await this.#archiveAll();
    await this.stop();
    await rm(this.#data, { recursive: true });
    await run('cp', ['-a', this.#backup, this.#data]);
    await writeFile(join(this.#data, 'recovery.signal'), '');
    await appendFile(
      join(this.#data, 'postgresql.auto.conf'),
      [
        `restore_command = 'cp ${this.#archive}/%f %p'`,
        `recovery_target_time = '${instant.toISOString().replace('T', ' ').replace('Z', '+00')}'`,
        `recovery_target_action = 'promote'`,
        '',
      ].join('\n'),
    );
    await this.#run();
  }

  /** Waits until all WAL is in the archive. */
  async #archiveAll(): Promise<void> {
    await withClient(this.url, async (admin) => {
      const { rows } = await admin.query<{ file: string }>(`SELECT pg_walfile_name(pg_switch_wal()) AS file`);
      const file = rows[0]!.file;
      await eventually(async () => {
        if (!(await this.#isArchived(admin, file))) throw new Error(`${file} is not archived`);
      });
    });
  }

  async #isArchived(admin: Client, file: string): Promise<boolean> {
    const { rows } = await admin.query<{ done: boolean }>(
      'SELECT last_archived_wal >= $1 AS done FROM pg_stat_archiver',
      [file],
    );
    return rows[0]?.done === true;
  }

  async #run(): Promise<void> {
    const fail = (line: string) => void process.stderr.write(`${line}\n`);
    this.#server = await startPostgres({ dataDir: this.#dir, password: 'restorable', onCrash: fail });
    await chmod(this.#dir, 0o755);
  }

  get #data(): string {
    return join(this.#dir, 'postgres');
  }
  get #backup(): string {
    return join(this.#dir, 'backup');
  }
  get #archive(): string {
    return join(this.#dir, 'archive');
  }
}
