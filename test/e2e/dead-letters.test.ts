import { expect } from 'chai';
import { loadSubscriptions } from '../../cli/catalogue.ts';
import { TABLE_SERVICES } from '../../lib/config/service-names.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { STREAM } from '../../lib/contracts/events.ts';
import { Outbox } from '../../lib/events/outbox.ts';
import { openSources } from '../../cli/verify/sources.ts';
import { inDatabase, sharedCluster, type Deployment } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import { startProcess } from '../harness/process.ts';
import { contribute, done, settle, startedRounds } from '../harness/requests.ts';
import { testClock, testIds, testRuntime } from '../harness/runtime.ts';
import type { TestMember } from '../harness/test-member.ts';

const CONSUMER = 'membership-cycle-completed';

describe('npm run dead-letters', function () {
  this.timeout(120_000);
  let cluster: Deployment;

  before(async () => {
    cluster = await sharedCluster();
  });

  async function command(...args: string[]): Promise<{ code: number | null; output: string }> {
    const { PATH, HOME } = process.env;
    const started = startProcess(['cli/dead-letters.ts', ...args], { env: { PATH, HOME, DATA_DIR: cluster.dataDir } });
    return { code: await started.ended, output: started.output() };
  }

  /** Completes a cycle, and makes its event one that membership could not handle. @returns the event's id, and the cycle's */
  async function failedEvent(data?: string): Promise<{ event_id: string; cycle_id: string }> {
    const { id, members } = await foundGroup(cluster, { size: 2, funding: 5_000 });
    const [ama, bih] = members as [TestMember, TestMember];
    for (const round of await startedRounds(ama)) {
      for (const payer of [ama, bih]) await done(contribute(payer, round, 1_000));
      await done(settle(ama, round));
    }
    const [event] = await inDatabase(cluster, 'contribution', async (client) => {
      const text = `SELECT event FROM outbox WHERE association_id = $1 AND type = 'cycle.completed'`;
      return (await client.query<{ event: { id: string; data: { cycle_id: string } } }>(text, [id])).rows;
    });
    const { id: event_id, data: completed } = event!.event;
    await inDatabase(cluster, 'membership', async (client) => {
      await eventually(async () => {
        expect((await client.query('DELETE FROM inbox WHERE event_id = $1', [event_id])).rowCount).to.equal(1);
      });
      await client.query('UPDATE cycle_bindings SET released_at = NULL WHERE cycle_id = $1', [completed.cycle_id]);
      await client.query(
        `INSERT INTO dead_letters (consumer, event_id, subject, event, error, deliveries, dead_at)
         VALUES ($1, $2, 'ledger.v1.x.cycle.completed', $3, 'the disk was\n full', 8, now())`,
        [CONSUMER, event_id, data ?? JSON.stringify(event!.event)],
      );
    });
    return { event_id, cycle_id: completed.cycle_id };
  }

  async function stateOf({ event_id, cycle_id }: { event_id: string; cycle_id: string }) {
    return inDatabase(cluster, 'membership', async (client) => {
      const count = async (text: string) => (await client.query(text, [event_id])).rowCount;
      const { rows } = await client.query<{ is_open: boolean }>(
        'SELECT released_at IS NULL AS is_open FROM cycle_bindings WHERE cycle_id = $1',
        [cycle_id],
      );
      return {
        letters: await count('SELECT FROM dead_letters WHERE event_id = $1'),
        inbox: await count('SELECT FROM inbox WHERE event_id = $1'),
        is_open: rows[0]?.is_open,
      };
    });
  }

  it('lists, shows and handles an event again, once', async () => {
    const failed = await failedEvent();
    const { event_id } = failed;
    const listed = await command('list');
    expect(listed.output).to.match(new RegExp(`^${event_id} cycle.completed ${CONSUMER} .*Z the disk was full$`, 'm'));
    expect(listed.output).to.match(/^\d+ dead letters$/m);
    const shown = JSON.parse((await command('show', event_id)).output) as { service: string; event: { id: string } };
    expect(shown).to.include({
      service: 'membership',
      consumer: CONSUMER,
      deliveries: 8,
      error: 'the disk was\n full',
    });
    expect(shown.event.id).to.equal(event_id);
    expect(await stateOf(failed)).to.deep.equal({ letters: 1, inbox: 0, is_open: true });
    const retries = await Promise.all([command('retry', event_id), command('retry', event_id)]);
    const outputs = retries.map(({ output }) => output).sort();
    expect(outputs[0], outputs.join()).to.match(/was handled before|^There is no dead letter|^handled/);
    expect(outputs.filter((output) => output === `handled ${event_id} of ${CONSUMER}\n`)).to.have.length(1);
    expect(await stateOf(failed)).to.deep.equal({ letters: 0, inbox: 1, is_open: false });
    expect(await command('show', event_id)).to.deep.equal({
      code: 1,
      output: `There is no dead letter of event ${event_id}.\n`,
    });
  });

  it('keeps an event that fails again, and handles the others', async () => {
    const failing = await failedEvent('{"id":"x","type":"cycle.completed","subject":"no id","data":{}}');
    const working = await failedEvent();
    const { code, output } = await command('retry', '--all');
    expect(code).to.equal(1);
    expect(output).to.match(new RegExp(`^failed ${failing.event_id} of ${CONSUMER}: .*uuid`, 'm'));
    expect(output).to.contain(`handled ${working.event_id} of ${CONSUMER}\n`);
    expect(await stateOf(failing)).to.deep.equal({ letters: 1, inbox: 0, is_open: true });
    expect(await stateOf(working)).to.deep.equal({ letters: 0, inbox: 1, is_open: false });
    await inDatabase(cluster, 'membership', (client) =>
      client.query('DELETE FROM dead_letters WHERE event_id = $1', [failing.event_id]),
    );
  });

  it('shows its usage for wrong arguments', async () => {
    for (const given of [[], ['retry'], ['list', 'all'], ['retry', 'x', '--all'], ['forget']]) {
      const { code, output } = await command(...given);
      expect(output, given.join(' ')).to.match(/^Usage: npm run dead-letters/);
      expect(code).to.equal(1);
    }
  });

  it('knows the subscriptions of all services', async () => {
    const sources = await openSources(loadSettings({ DATA_DIR: cluster.dataDir }));
    const deps = { runtime: testRuntime({}, {}), outbox: new Outbox('test', testClock, testIds()) };
    const known = await Promise.all(TABLE_SERVICES.map((service) => loadSubscriptions(service, deps)));
    const consumers: string[] = [];
    for await (const { config } of sources.bus.manager.consumers.list(STREAM)) {
      if (config.durable_name !== undefined) consumers.push(config.durable_name);
    }
    await sources.close();
    const durables = known.flat().map(({ durable }) => durable);
    expect(durables.sort()).to.deep.equal(consumers.filter((name) => /^(member|contri|treas|gover)/.test(name)).sort());
  });
});
