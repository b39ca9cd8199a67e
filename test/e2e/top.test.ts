import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ServiceBroker } from 'moleculer';
import { loadSettings } from '../../lib/config/settings.ts';
import { brokerOptions } from '../../moleculer.config.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { freePort } from '../harness/free-port.ts';
import { foundGroup } from '../harness/group.ts';
import { ROOT } from '../harness/process.ts';

describe('npm run top', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let silent: ServiceBroker;

  before(async () => {
    cluster = await startCluster({
      processes: [
        ['gateway', 'membership'],
        ['contribution', 'treasury', 'governance'],
        ['webhooks', 'reminders'],
      ],
    });
    // A process whose metrics port cannot be reached.
    silent = new ServiceBroker({
      ...brokerOptions(loadSettings({}), cluster.natsUrl, { metrics_port: await freePort() }),
      nodeID: 'a-silent-node',
      logger: false,
    });
    await silent.start();
  });
  after(async () => {
    await silent.stop();
    await cluster.stop();
  });

  async function top(...args: string[]): Promise<string[]> {
    const env = { ...process.env, DATA_DIR: cluster.dataDir };
    const { stdout } = await promisify(execFile)(process.execPath, ['cli/top.ts', '--once', ...args], {
      cwd: ROOT,
      env,
    });
    return stdout.split('\n');
  }

  it('finds all processes over NATS, and shows their work and those that cannot be read', async () => {
    const [lines] = await Promise.all([top(), foundGroup(cluster, { size: 4, funding: 1_000 })]);
    const shown = lines.join('\n');
    expect(lines[0]).to.match(/4 processes, 3 ready {3}HTTP \d+\.\d\/s, 0\.0\/s fail, p99 /);
    expect(shown).to.match(/^a-silent-node +not scraped: ECONNREFUSED$/m);
    const figures = String.raw` +ready +\d+(\.\d)? m?s +\d+ % +\d+ MiB +\d+ ms +\d+\.\d +0\.0 +`;
    expect(shown).to.match(new RegExp(`gateway membership${figures}`));
    expect(shown).to.match(new RegExp(`contribution treasury governance${figures}`));
    expect(shown).to.match(new RegExp(`webhooks reminders${figures}`));
    expect(shown).to.match(/^membership +\d+\.\d +\d+ +\d/m);
    expect(shown).to.match(/^membership-cycle-completed +0 +0 ms +0$/m);
  });

  it('reads the named targets without NATS', async () => {
    const [url = ''] = /http\S+(?=\/metrics)/.exec(cluster.running('treasury').output()) ?? [];
    const [lines] = await Promise.all([top('--targets', `${url},http://127.0.0.1:1`)]);
    expect(lines[0]).to.contain('2 processes, 1 ready');
    expect(lines.join('\n'))
      .to.contain(`${new URL(url).host} `)
      .and.contain('127.0.0.1:1 ');
  });

  it('refuses other arguments in one line', async () => {
    const refusal = await top('--targets', 'nowhere').then(
      () => ({ code: 0, stderr: '' }),
      (error: unknown) => error as { code: number; stderr: string },
    );
    expect([refusal.code, refusal.stderr]).to.deep.equal([1, refusal.stderr.split('\n')[0] + '\n']);
    expect(refusal.stderr).to.match(/^Usage: npm run top /);
  });
});
