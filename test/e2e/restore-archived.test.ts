import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { TABLE_SERVICES, type TableService } from '../../lib/config/service-names.ts';
import { playEverything } from '../harness/every-kind-of-record.ts';
import { Restoration } from './restore/restoration.ts';

describe('databases that were restored after events were archived', function () {
  this.timeout(300_000);
  let restoration: Restoration;
  let dir: string;

  before(async () => {
    restoration = await Restoration.start();
    dir = await mkdtemp(join(tmpdir(), 'archive-'));
  });
  after(async () => {
    await restoration.stop();
    await rm(dir, { recursive: true });
  });

  async function archive(...services: readonly TableService[]): Promise<void> {
    for (const service of services) {
      await restoration.cluster.sql(
        service,
        `UPDATE outbox SET published_at = now() - interval '31 days' WHERE published_at IS NOT NULL`,
      );
      const { code, output } = await restoration.cluster.archive(service, dir);
      expect(code, output).to.equal(0);
      expect(output).to.match(/: [1-9]\d* events/);
    }
  }

  const verifyArchive = () => restoration.cluster.command('verify.ts', 'archive', dir);

  it('to an instant after that: repair repeats what came later, and nothing that was archived', async () => {
    await playEverything(restoration.cluster.cluster);
    await archive(...TABLE_SERVICES);
    const instant = await restoration.cluster.instant();
    const { tontine } = await playEverything(restoration.cluster.cluster);
    const before = await restoration.seenBy(tontine);
    await restoration.cluster.restore({ treasury: instant });
    await restoration.verify(1);
    await restoration.bringTogether();
    await restoration.expectSeen(tontine, before, ['requested_at', 'recorded_at', 'decided_at', 'created_at']);
    await restoration.verify(0);
    expect((await verifyArchive()).code).to.equal(0);
  });

  it('to an instant before that: the events are in the outbox again, and their file is not recorded', async () => {
    const instant = await restoration.cluster.instant();
    await archive('governance');
    const [record] = await restoration.cluster.sql<{ file: string }>(
      'governance',
      'SELECT file FROM outbox_archives ORDER BY last_position DESC LIMIT 1',
    );
    await restoration.cluster.restore({ governance: instant });
    await restoration.cluster.startServices();
    await restoration.verify(0);
    const { code, output } = await verifyArchive();
    expect(output).to.contain(`note: ${record!.file} is not recorded`);
    expect(code, output).to.equal(0);
    await archive('governance');
    expect((await verifyArchive()).code).to.equal(0);
  });

  it('so that repair needs archived events of another service: it asks for them', async () => {
    const instant = await restoration.cluster.instant();
    await playEverything(restoration.cluster.cluster, false);
    await archive('membership');
    await restoration.cluster.restore({ contribution: instant });
    const without = await restoration.repair('--apply');
    expect(without.output).to.match(
      /^Archived events since \S+ are needed: give --archive DIR, with membership\.\S+\.$/m,
    );
    expect(without.code).to.equal(1);
    const { code, output } = await restoration.repair('--apply', '--archive', dir);
    expect(code, output).to.equal(0);
    await restoration.cluster.startServices();
    await restoration.verify(0);
  });
});
