import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { unfinished } from '../chaos/stored-plans.ts';
import { SERVICES } from '../../lib/config/service-names.ts';
import type { Cluster } from '../harness/cluster.ts';
import { expectAllEventsOnce } from '../harness/cluster-events.ts';
import {
  SETTLED_MS,
  startDoubledCluster,
  type DoubledCluster,
  type DoubledProcess,
} from '../harness/doubled-cluster.ts';
import { eventually } from '../harness/eventually.ts';
import type { Checkout } from '../harness/last-release.ts';
import { startMovingNats, type MovingNats } from '../harness/nats.ts';
import { asRelease, type NextRelease } from '../harness/next-release.ts';
import { SteadyLoad, summaryOf } from '../harness/steady-load.ts';
import { expectAgreement } from '../harness/verified-databases.ts';

const GROUPS = 6;
/** Far fewer than a busy machine manages during the restarts, and enough to meet each of them. */
const REQUESTS_MIN = 500;
/** More than the restarts of one pass, or the start, take on a busy machine. */
const PASS_TIMEOUT_MS = 200_000;
/** Processes of 0.1.0 are called a second after they say that they are ready. */
const EARLIER_SETTLED_MS = 2_000;

/** `same` is this release without a change, `last` the one that runs at first if that is another. */
type Release = 'same' | 'last' | NextRelease;

/**
 * Defines a test that restarts all processes in turn as each of these releases. If another release runs at first, NATS has one
 * login for all services then, and one for each while all processes are of this release.
 * @param checkOut returns the release that runs at first, if that is another one; undefined if that is not available
 * @param settingsOf returns the variables that change with each pass
 */
export function rollTo(
  releases: readonly Release[],
  checkOut?: () => Promise<Checkout | undefined>,
  settingsOf?: (pass: number, cluster: Cluster) => Promise<NodeJS.ProcessEnv>,
): void {
  describe('two processes of each service', function () {
    this.timeout((releases.length + 1) * PASS_TIMEOUT_MS);
    let doubled: DoubledCluster;
    let root: string | undefined;
    let nats: MovingNats | undefined;
    const stops: (() => Promise<void>)[] = [];

    before(async function () {
      const earlier = await checkOut?.();
      if (checkOut !== undefined && earlier === undefined) {
        process.stderr.write('    skipped: the history lacks the last release (git fetch --unshallow)\n');
        this.skip();
      }
      root = earlier?.root;
      if (earlier !== undefined) {
        stops.push(earlier.remove);
        nats = await startMovingNats();
        stops.push(nats.stop);
      }
      doubled = await startDoubledCluster({ ...nats?.shared }, root);
      stops.push(() => doubled.stop());
    });
    after(async () => {
      for (const stop of stops.reverse()) await stop();
    });

    /** Restarts a process as this release, and waits until it is used again. @returns its exit code */
    function restart(each: DoubledProcess, release: Release, changed?: NodeJS.ProcessEnv): Promise<number | null> {
      // 0.1.0 states no callers.
      const settings = { ...(root !== undefined && { CALLER_STATEMENTS: 'optional' }), ...changed };
      if (release === 'last') {
        return doubled.restart(each, { ...nats?.shared, ...settings }, { root, settled_ms: EARLIER_SETTLED_MS });
      }
      const next = release === 'same' ? {} : asRelease(release);
      return doubled.restart(each, { ...next, ...nats?.separate, ...settings });
    }

    it(`can be restarted in turn under load without any failed request: ${releases.join(', ')}`, async () => {
      const { cluster, balancer, processes } = doubled;
      const load = await SteadyLoad.prepare({ ...cluster, origin: balancer.origin }, GROUPS);
      load.start();
      await sleep(SETTLED_MS);
      const codes: (number | null)[] = [];
      const summaries: string[] = [];
      for (const [index, release] of releases.entries()) {
        await nats?.reach('both');
        const changed = await settingsOf?.(index, cluster);
        // The order does not matter: of any two services, each is restarted before the other once.
        for (const service of index % 2 === 0 ? SERVICES.toReversed() : SERVICES) {
          const since_ms = performance.now();
          for (const each of processes.filter((process) => process.service === service)) {
            codes.push(await restart(each, release, changed));
          }
          const attempts = load.attempts.filter(({ began_ms }) => began_ms >= since_ms);
          summaries.push(`${release} ${service}: ${summaryOf(attempts)}`);
        }
        await nats?.reach(release === 'last' ? 'shared' : 'separate');
        await sleep(SETTLED_MS);
      }
      await load.stop();
      const errors = cluster.members().flatMap(({ output }) => output().match(/.*ERROR.*/g) ?? []);
      const failed = load.failed().map(({ what, outcome }) => `${what}: ${String(outcome)}`);
      const seen = [...summaries, ...new Set(failed), ...errors].join('\n');
      process.stderr.write(`${summaries.join('\n')}\n`);
      expect(load.failed(), seen).to.deep.equal([]);
      expect(load.attempts).to.have.length.above(REQUESTS_MIN);
      expect(new Set(codes)).to.deep.equal(new Set([0]));
      await eventually(async () => expect(await unfinished(cluster)).to.deep.equal([]));
      await load.expectNothingLostOrDoubled();
      await expectAllEventsOnce(cluster);
      await expectAgreement(cluster);
    });
  });
}
