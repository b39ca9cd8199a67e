import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { exampleEvent } from '../../../lib/contracts/event-schema.ts';
import { subjectOf } from '../../../lib/contracts/events.ts';
import { withDatabase } from '../../../lib/config/server-urls.ts';
import { openBus } from '../../../lib/events/stream.ts';
import { copySources, installContracts, packContracts } from '../../harness/contracts-package.ts';
import { eventually } from '../../harness/eventually.ts';
import { startProcess, untilPrinted, type Started } from '../../harness/process.ts';
import { adminUrl, natsUrl, withClient } from '../../harness/servers.ts';
import { REFUSED } from './consumer/refused.ts';

const run = promisify(execFile);

/** The package is loaded by every process of other teams, and has a tenth of this project's code. */
const ARCHIVE_MAX_BYTES = 250_000;

/** What the subscriber needs. */
const FOR_SUBSCRIBER = [
  'canonicalize',
  'currency-codes',
  'etag',
  'fastest-validator',
  'lru-cache',
  'moleculer',
  'nats',
  'pg',
  'pino',
  'prom-client',
  'uuidv7',
];
const FOR_TYPES = ['@types/etag', '@types/node', '@types/pg', 'typescript'];

/** Types of these packages have mistakes of their own, which `skipLibCheck` hides. */
const FAULTY_TYPES = /^\.\.\/.*node_modules\/(moleculer|nats)\/|^node_modules\/(moleculer|nats)\/|^ /;

const EVENTS = 100;
const NUMBERS = Array.from({ length: EVENTS }, (_, index) => index + 1);

describe('the package @association-service/contracts', function () {
  this.timeout(180_000);
  let work: string;
  let archive: string;
  let copy: string;
  const started: Started[] = [];

  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'contracts-package-'));
    copy = await copySources(work);
    archive = await packContracts(copy, work);
  });
  afterEach(() => Promise.all(started.splice(0).map((each) => each.end('SIGKILL'))));
  after(() => rm(work, { recursive: true, force: true }));

  /** Makes another team's folder with the package and these packages, and returns it. */
  async function newFolder(name: string, packages: readonly string[]): Promise<string> {
    const folder = join(work, name);
    await mkdir(folder);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await cp(join(import.meta.dirname, 'consumer'), folder, { recursive: true });
    await installContracts(folder, archive, packages);
    return folder;
  }

  /** Returns the code of README.md, with the values that a reader has. */
  async function examplesOfReadme(): Promise<string> {
    const readme = await readFile(join(copy, 'packages', 'contracts', 'README.md'), 'utf8');
    const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
    const values = `declare const broker: ServiceBroker;
      declare const [association_id, user_id, token]: [string, string, string];`;
    return [`import type { ServiceBroker } from 'moleculer';`, values, ...examples].join('\n');
  }

  it('has only what its entries reach: not the services, their tables, sagas and settings', async () => {
    const { stdout } = await run('tar', ['-tzf', archive]);
    const files = stdout
      .trim()
      .split('\n')
      .map((file) => file.replace('package/', ''));
    const made = /^(lib|packages\/contracts\/src)\/|^moleculer\.config\./;
    expect(files.filter((file) => !made.test(file))).to.have.members(['LICENSE', 'README.md', 'package.json']);
    expect(files.filter((file) => /^(services|cli|test)\/|template|saga|relay|variables|lib\/pin/.test(file))).to.be
      .empty;
    expect(files.filter((file) => !/\.(js|d\.ts)$/.test(file) && made.test(file))).to.be.empty;
    expect((await stat(archive)).size).to.be.below(ARCHIVE_MAX_BYTES);
  });

  it('names the versions of this project for the packages that it needs', async () => {
    const read = async (file: string) => JSON.parse(await readFile(join(copy, file), 'utf8')) as Record<string, object>;
    const { dependencies, peerDependencies } = await read('packages/contracts/package.json');
    expect((await read('package.json')).dependencies).to.include({ ...dependencies, ...peerDependencies });
  });

  it('describes events, errors, roles and actions without any other package', async () => {
    const folder = await newFolder('knowing', []);
    const { stdout } = await run(process.execPath, ['know.ts'], { cwd: folder });
    expect(stdout.split('\n')).to.deep.equal([
      '10000 XAF',
      'treasurer',
      'https://json-schema.org/draft/2020-12/schema',
      '409',
      'president,treasurer,secretary,member',
      'wallet:w',
      'payroll.count 10',
    ]);
  });

  it('has types that are right also without skipLibCheck', async () => {
    const folder = await newFolder('typed', [...FOR_SUBSCRIBER, ...FOR_TYPES]);
    const entries = ['', '/subscriber', '/service', '/moleculer', '/testing'];
    const imports = entries.map(
      (entry, index) => `export * as e${String(index)} from '@association-service/contracts${entry}';`,
    );
    await writeFile(join(folder, 'entries.ts'), imports.join('\n'));
    const options = '--noEmit --strict --skipLibCheck false --module nodenext --target esnext --types node';
    const more = '--allowImportingTsExtensions --exactOptionalPropertyTypes --noUncheckedIndexedAccess';
    const check = (...files: string[]) =>
      run(process.execPath, ['node_modules/typescript/bin/tsc', ...options.split(' '), ...more.split(' '), ...files], {
        cwd: folder,
      }).then(
        () => [],
        ({ stdout }: { stdout: string }) => stdout.trim().split('\n'),
      );
    expect(await check('know.ts')).to.deep.equal([]);
    await writeFile(join(folder, 'readme.ts'), await examplesOfReadme());
    const complaints = await check('entries.ts', 'follow.ts', 'retry.ts', 'readme.ts');
    expect(complaints.filter((line) => !FAULTY_TYPES.test(line))).to.deep.equal([]);
  });

  describe('as a subscriber with its own database', () => {
    let folder: string;
    before(async () => {
      folder = await newFolder('following', FOR_SUBSCRIBER);
    });

    /** Creates a database and the functions of one service. */
    async function scene() {
      const database = `payroll_${randomUUID().replaceAll('-', '')}`;
      await withClient(adminUrl(), (admin) => admin.query(`CREATE DATABASE ${database}`));
      const DATABASE_URL = withDatabase(adminUrl(), database);
      const env = { DATABASE_URL, NATS_URL: natsUrl(), DURABLE: `payroll-${database}` };
      const associations = [randomUUID(), randomUUID(), randomUUID()];
      const query = <R extends object>(text: string, values: unknown[] = []) =>
        withClient(DATABASE_URL, async (client) => (await client.query<R>(text, values)).rows);
      return {
        env,
        query,
        associations,
        /** Publishes one event of each association for each amount. */
        publish: async (amounts: readonly number[], member_id: string = randomUUID()) => {
          const bus = await openBus(natsUrl(), 'test');
          for (const amount_minor of amounts) {
            for (const subject of associations) {
              const event = exampleEvent('contribution.paid', {
                id: randomUUID(),
                subject,
                data: { amount_minor, member_id },
              });
              await bus.jetstream.publish(subjectOf(subject, event.type), JSON.stringify(event));
            }
          }
          await bus.close();
        },
        follow: async (more: NodeJS.ProcessEnv = {}) => {
          const process = startProcess([join(folder, 'follow.ts')], { env: { ...env, ...more } });
          started.push(process);
          await untilPrinted(process, 'following');
          return process;
        },
        /** Waits until the effects of each association are these, in this order. */
        untilEffects: async (expected: readonly number[], patience_ms?: number) => {
          const text = 'SELECT amount_minor FROM amounts WHERE association_id = $1 ORDER BY position';
          for (const association of associations) {
            await eventually(async () => {
              const rows = await query<{ amount_minor: number }>(text, [association]);
              expect(rows.map(({ amount_minor }) => amount_minor)).to.deep.equal(expected);
            }, patience_ms);
          }
        },
      };
    }

    it('applies each event once and in order, although it is killed between commit and acknowledgement', async () => {
      const { publish, follow, untilEffects } = await scene();
      await publish(NUMBERS);
      const first = await follow({ DIES_AFTER: String(EVENTS / 2) });
      await first.ended;
      expect(first.child.signalCode).to.equal('SIGKILL');
      await Promise.all([follow(), follow()]);
      // The server delivers the event that was not acknowledged again after 30 s.
      await untilEffects(NUMBERS, 60_000);
    });

    it('stores an event that it cannot handle, applies the others, and handles it again by command', async () => {
      const { env, query, associations, publish, follow, untilEffects } = await scene();
      await publish([1]);
      await publish([2], REFUSED);
      await publish([3]);
      await follow();
      await untilEffects([1, 3]);
      const retry = async (more: NodeJS.ProcessEnv = {}) => {
        const { stdout } = await run(process.execPath, ['retry.ts'], { cwd: folder, env: { ...env, ...more } });
        return stdout;
      };
      await eventually(async () => expect(await query('SELECT FROM dead_letters')).to.have.length(associations.length));
      const each = (line: string) => `${line}\n`.repeat(associations.length);
      expect(await retry()).to.equal(each('refused, 3 deliveries: refused'));
      await untilEffects([1, 3]);
      expect(await retry({ REPAIRED: 'yes' })).to.equal(each('refused, 3 deliveries: true'));
      await untilEffects([1, 3, 2]);
      expect(await retry()).to.equal('');
    });

    it('does not start without its database, and says so in one line', async () => {
      const { env } = await scene();
      const DATABASE_URL = 'postgres://x@127.0.0.1:1/absent';
      const process = startProcess([join(folder, 'follow.ts')], { env: { ...env, DATABASE_URL } });
      expect(await process.ended).to.equal(1);
      expect(process.output()).to.include('StartupError: Cannot prepare the database absent at 127.0.0.1:1: ');
    });
  });
});
