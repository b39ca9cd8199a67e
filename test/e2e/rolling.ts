import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { unfinished } from '../chaos/stored-plans.ts';
import { SERVICES, TABLE_SERVICES, type ServiceName } from '../../lib/config/service-names.ts';
import { BALANCED_DRAIN_DELAY_S, openBalancer, type Balancer } from '../harness/balancer.ts';
import { APART, startCluster, type Cluster, type Member } from '../harness/cluster.ts';
import { expectAllEventsOnce } from '../harness/cluster-events.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
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
/** Load before the first restart and after each. */
const SETTLED_MS = 500;
/** Processes of 0.1.0 are called a second after they say that they are ready. */
const EARLIER_SETTLED_MS = 2_000;

interface Process {
  service: ServiceName;
  member: Member;
  /** The port of a gateway. */
  port: string | undefined;
}

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
    let cluster: Cluster;
    let balancer: Balancer;
    let processes: Process[];
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
      const settings = { DRAIN_DELAY_S: BALANCED_DRAIN_DELAY_S, ...nats?.shared };
      const each = [...APART, ...TABLE_SERVICES.map((name) => [name])];
      cluster = await startCluster({ processes: each, settings, root });
      stops.push(() => cluster.stop());
      balancer = await openBalancer();
      stops.push(() => balancer.stop());
      const ports = [new URL(cluster.origin).port, String(await freePort())];
      await cluster.start(['gateway'], { settings: { PORT: ports[1] }, root });
      processes = cluster.members().map((member) => {
        const service = member.services[0]!;
        return { service, member, port: service === 'gateway' ? ports.shift() : undefined };
      });
      for (const { port } of processes) {
        if (port === undefined) continue;
        balancer.add(Number(port));
        await balancer.untilUsed(Number(port));
      }
    });
    after(async () => {
      for (const stop of stops.reverse()) await stop();
    });

    /** Restarts a process as this release, and waits until it is used again. @returns its exit code */
    async function restart(each: Process, release: Release, changed?: NodeJS.ProcessEnv): Promise<number | null> {
      const code = await each.member.end();
      const settings = {
        ...(each.port === undefined ? {} : { PORT: each.port }),
        ...(release === 'same' || release === 'last' ? {} : asRelease(release)),
        ...(release === 'last' ? nats?.shared : nats?.separate),
        // 0.1.0 states no callers.
        ...(root === undefined ? {} : { CALLER_STATEMENTS: 'optional' }),
        ...changed,
      };
      each.member = await cluster.start([each.service], { settings, root: release === 'last' ? root : undefined });
      if (each.port !== undefined) await balancer.untilUsed(Number(each.port));
      await sleep(release === 'last' ? EARLIER_SETTLED_MS : SETTLED_MS);
      return code;
    }

    it(`can be restarted in turn under load without any failed request: ${releases.join(', ')}`, async () => {
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
