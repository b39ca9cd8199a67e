import { pinKeysFile } from '../../lib/config/secrets.ts';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { readKeyFile } from '../../lib/pin/key-file.ts';
import { APART } from '../../test/harness/cluster.ts';
import { ContributionLoad, foundContributingGroup } from '../harness/contribution-load.ts';
import { fillPaidRound, groupOf } from '../harness/filled-group.ts';
import { fillLedger, PUBLISHED_AT } from '../harness/fill-ledger.ts';
import { inTurn, type Contender } from '../harness/in-turn.ts';
import { startServiceProcesses, type ServiceProcesses } from '../harness/service-processes.ts';
import type { Section } from '../section.ts';

const IN_FLIGHT = 32;

/** Time until hot code is compiled; not measured. */
const WARM_UP_MS = 4_000;

/** Size of the associations in the history, which have one round each; it is the maximum size. */
const GROUP_SIZE = 10_000;

/** Younger than the history: the relays publish events again that a stream without a maximum age lacks. */
const STREAM = { EVENTS_MAX_AGE: '30d' };

/** The rate of contributions with a history, compared with an empty database. */
export const growthOfContributions: Section = {
  id: 'growth-of-contributions',
  title: 'Growth: contributions over HTTP with contributions already there',
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const start = async () => stack.adopt(await startServiceProcesses(), (processes) => processes.stop());
    const empty = await start();
    const grown = await start();
    bench.log(` filling in ${String(bench.history)} contributions`);
    await fillHistory(grown, bench.history);
    const contenders = [await contenderOn(grown, 'grown'), await contenderOn(empty, 'empty')];
    const { spread, ratio } = await inTurn(bench, contenders);
    return [
      {
        id: `growth.contributions.${String(bench.history)}`,
        what: `contributions with ${String(bench.history)} there, ${String(IN_FLIGHT)} in flight`,
        unit: '/s',
        ours: spread('grown'),
        baseline: { what: 'empty', figure: spread('empty') },
        ratio: ratio('grown', 'empty'),
        goal: { of: 'ratio', at: 'least', value: 0.9 },
      },
    ];
  },
};

/** Writes contributions with their transfers, dues, events that were published long ago, and used ciphertexts. */
async function fillHistory(processes: ServiceProcesses, count: number): Promise<void> {
  const { cluster } = processes;
  const contribution = processes.admin('contribution');
  const membership = processes.admin('membership');
  // Running relays would publish the events while they are written.
  await processes.stopServices();
  const url = withDatabase(cluster.adminUrl, defaultDatabaseName('treasury'));
  await fillLedger({ url, adminUrl: url }, count);
  for (let left = count; left > 0; left -= GROUP_SIZE) {
    await fillPaidRound(contribution, groupOf(Math.min(left, GROUP_SIZE)));
  }
  await contribution.query(
    `INSERT INTO outbox (event_id, association_id, type, event, published_at)
     SELECT uuidv7(), association_id, 'contribution.paid', json_build_object('data', c), ${PUBLISHED_AT} FROM contributions AS c`,
  );
  // Ciphertexts of an expired key would be deleted.
  const [key] = await readKeyFile(pinKeysFile(cluster.dataDir));
  await membership.query(
    `INSERT INTO used_ciphertexts (digest, user_id, kid, used_at)
     SELECT sha256(uuid_send(uuidv7())), 'user-' || gen_random_uuid(), $2, now() FROM generate_series(1, $1::int)`,
    [count, key?.kid],
  );
  for (const pool of [contribution, membership]) await pool.query('VACUUM (ANALYZE)');
  await membership.query('CHECKPOINT');
  await Promise.all(APART.map((services) => cluster.start(services, { settings: STREAM })));
  await cluster.ready();
}

async function contenderOn(processes: ServiceProcesses, name: string): Promise<Contender> {
  const load = await ContributionLoad.of(processes.cluster, await foundContributingGroup(processes.cluster));
  await load.run({ in_flight: IN_FLIGHT, duration_ms: WARM_UP_MS });
  return {
    name,
    // Remaining work of the relays would slow down the other contender.
    before: () => processes.relaysAreDone(),
    async run(duration_ms) {
      const { count, seconds } = await load.run({ in_flight: IN_FLIGHT, duration_ms });
      await processes.relaysAreDone();
      return { figure: count / seconds };
    },
  };
}
