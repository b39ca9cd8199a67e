import { expect } from 'chai';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../lib/config/settings.ts';
import type { Sources } from '../../cli/verify/check.ts';
import { openCheckpoint, type OpenRun, type Stored } from '../../cli/verify/checkpoint.ts';
import { CHECKS } from '../../cli/verify/checks.ts';
import type { Result } from '../../cli/verify/run-checks.ts';
import { openSources } from '../../cli/verify/sources.ts';
import { verifyDatabases } from '../../cli/verify/verify-databases.ts';
import { inDatabase, startCluster, TOGETHER, type Cluster } from '../harness/cluster.ts';
import { playEverything } from '../harness/every-kind-of-record.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import { startProcess, type Started } from '../harness/process.ts';
import { contribute, done, openedMeeting, settle } from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';
import { tampered, type Tampering } from '../harness/tamper.ts';
import { one, TAMPERINGS_OF_MONEY } from './verify-ledger/money.ts';
import { TAMPERINGS_OF_REQUESTS } from './verify-ledger/requests.ts';

/** Nothing is in flight in these tests. */
const RECHECK_AFTER_MS = 300;

describe('npm run verify -- ledger', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let sources: Sources & { close(): Promise<void> };
  let folder: string;
  let lines: string[] = [];
  let all: Result[] = [];

  before(async () => {
    cluster = await startCluster({ processes: TOGETHER });
    folder = await mkdtemp(join(tmpdir(), 'verify-'));
    await playEverything(cluster);
    sources = await openSources(loadSettings({ DATA_DIR: cluster.dataDir }));
  });
  after(async () => {
    await sources.close();
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  async function verify(): Promise<{ isValid: boolean; found: Result[] }> {
    lines = [];
    const checkpoint = openCheckpoint(join(folder, 'checkpoint.json'));
    try {
      const { isValid, results } = await verifyDatabases(sources, {
        checkpoint,
        mode: 'full',
        now: new Date(),
        say: (line) => lines.push(line),
        recheck_after_ms: RECHECK_AFTER_MS,
      });
      all = results;
      return { isValid, found: results.filter((result) => result.differences > 0) };
    } finally {
      checkpoint.release();
    }
  }

  it('finds no difference after every kind of record was written', async () => {
    expect(await verify(), lines.join('\n')).to.deep.equal({ isValid: true, found: [] });
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^VALID: \d+ records in \d+ checks/);
  });

  it('compares records in each of its checks', () => {
    expect(all.map(({ check }) => check)).to.deep.equal(CHECKS.map(({ name }) => name));
    expect(all.filter(({ compared }) => compared === 0)).to.deep.equal([]);
  });

  for (const [check, what, tampering, text] of [...TAMPERINGS_OF_MONEY, ...TAMPERINGS_OF_REQUESTS]) {
    it(`finds ${what} (${check})`, async () => {
      const { isValid, found } = await tampered(cluster, tampering, verify);
      expect(isValid, lines.join('\n')).to.equal(false);
      const result = found.find((each) => each.check === check);
      expect(result?.texts.join('\n'), lines.join('\n')).to.match(text);
      expect(lines.at(-1)).to.match(/^NOT VALID: \d+ differences/);
    });
  }

  it('finds nothing any more once the records are restored', async () => {
    expect((await verify()).found, lines.join('\n')).to.deep.equal([]);
  });

  it('finds no difference while members pay and meetings settle', async () => {
    const { members } = await foundGroup(cluster, { size: 4, funding: 1_000_000 });
    const [president] = members as [TestMember, ...TestMember[]];
    let isPaying = true;
    const paying = (async () => {
      for (let round = 0; round < 8; round += 1) {
        const meeting = await openedMeeting(president);
        await Promise.all(members.map((member) => done(contribute(member, meeting, 10))));
        await done(settle(president, meeting));
      }
    })().finally(() => (isPaying = false));
    while (isPaying) expect((await verify()).found, lines.join('\n')).to.deep.equal([]);
    await paying;
    expect((await verify()).found, lines.join('\n')).to.deep.equal([]);
  });

  /** Runs the command as an operator does, with nothing connected to stdin. */
  function command(...args: string[]): Started {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, DATA_DIR: cluster.dataDir };
    return startProcess(['cli/verify.ts', ...args], { env });
  }

  it('is a command that ends with 0, 1 or 2', async () => {
    const valid = command('ledger');
    expect(await valid.ended, valid.output()).to.equal(0);
    expect(valid.output()).to.match(/^VALID: /);
    const change = {
      service: 'treasury',
      table: 'chains',
      where: one('chains', 'seq > 1', 'chain_id'),
      set: 'seq = 99',
    };
    const wrong = await tampered(cluster, change as Tampering, async () => {
      const started = command('ledger', '--checkpoint', join(folder, 'wrong.json'), '--recheck-after', '1s');
      return { code: await started.ended, output: started.output() };
    });
    expect(wrong.output).to.match(/^heads: 1 differences in \d+ records\n {2}chain .*\nNOT VALID: 1 differences/);
    expect(wrong.code).to.equal(1);
    const { PATH } = process.env;
    const nowhere = startProcess(['cli/verify.ts', 'ledger'], { env: { PATH, DATA_DIR: join(folder, 'empty') } });
    expect(await nowhere.ended).to.equal(2);
    expect(nowhere.output()).to.match(/^NOT VERIFIED: No NATS server/);
    const misused = command('ledger', '--every', 'day');
    expect(await misused.ended).to.equal(2);
    expect(misused.output()).to.contain('Usage: npm run verify');
  });

  it('runs at intervals until it is stopped, and lets no second process use its file', async () => {
    const own = ['--checkpoint', join(folder, 'schedule.json')];
    const scheduled = command('ledger', '--every', '1s', ...own);
    await eventually(() => {
      expect(scheduled.output().match(/^VALID: /gm) ?? []).to.have.length.above(2);
    });
    const [full, incremental] = scheduled.output().match(/\d+ checks/g) ?? [];
    expect(full).to.equal(`${String(CHECKS.length)} checks`);
    expect(incremental).to.equal(`${String(CHECKS.filter(({ byId }) => byId).length)} checks`);
    const metricsUrl = /metrics on (http\S+)/.exec(scheduled.output())?.[1] ?? '';
    const metrics = await (await fetch(metricsUrl)).text();
    for (const { name } of CHECKS) expect(metrics).to.contain(`ledger_drift_differences{check="${name}"} 0\n`);
    expect(metrics)
      .to.match(/^ledger_verified_timestamp_seconds \d{10}/m)
      .and.match(/^health_ready 1$/m);
    const second = command('ledger', ...own);
    expect(await second.ended).to.equal(2);
    expect(second.output()).to.contain('Another verifier uses');
    expect(await scheduled.end(), scheduled.output()).to.equal(0);
  });

  /** Kills a run that has compared balances and waits for a table. @returns what it has stored */
  function killMidway(path: string): Promise<OpenRun> {
    return inDatabase(cluster, 'treasury', async (client) => {
      await client.query('BEGIN; LOCK TABLE wallets');
      const killed = command('ledger', '--checkpoint', path);
      await eventually(async () => {
        const { rows } = await client.query('SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass', [
          'wallets',
        ]);
        expect(rows, killed.output()).to.have.length(1);
      });
      expect(await killed.end('SIGKILL')).to.equal(null);
      await client.query('ROLLBACK');
      const { open } = JSON.parse(await readFile(path, 'utf8')) as Stored;
      if (open === null) throw new Error('The run has ended');
      return open;
    });
  }

  it('continues a run that was killed, with its checkpoint, unless --restart says otherwise', async () => {
    const path = join(folder, 'killed.json');
    const again = async (...args: string[]) => {
      const started = command('ledger', '--checkpoint', path, '--recheck-after', '1s', ...args);
      return { code: await started.ended, output: started.output() };
    };
    // Only the check of balances finds this change.
    const [, , change] = TAMPERINGS_OF_MONEY.find(([, what]) => what === 'an entry that its transfer does not have')!;
    for (const [args, code] of [
      [[], 0],
      [['--restart'], 1],
    ] as const) {
      const { began_at, progress } = await killMidway(path);
      const compared = progress.scanned[0] ?? progress.current?.scan;
      expect(compared?.check).to.equal('balances');
      expect(compared?.compared).to.be.above(0);
      const run = await tampered(cluster, change, () => again(...args));
      expect(run.code, run.output).to.equal(code);
      const isContinued = run.output.startsWith(`Continues the run of ${began_at} at `);
      expect(isContinued, run.output).to.equal(code === 0);
      expect(run.output).to.match(code === 0 ? /^VALID: /m : /^balances: 1 differences[^]*^NOT VALID: 1 differences/m);
    }
    const full = await again();
    const continued = await killMidway(path).then(() => again());
    const [records, counted] = [full, continued].map(({ output }) => /\d+ records in \d+ checks/.exec(output)?.[0]);
    expect(counted, continued.output).to.equal(records);
  });

  it('says which database was restored to an earlier instant', async () => {
    await verify();
    const last = { service: 'contribution', table: 'outbox', where: 'position = (SELECT max(position) FROM outbox)' };
    await tampered(cluster, last as Tampering, verify);
    expect(lines[0]).to.match(
      /^note: the database of contribution no longer has event .*: it was restored to an earlier/,
    );
  });
});
