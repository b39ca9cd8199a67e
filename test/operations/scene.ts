import { setTimeout as sleep } from 'node:timers/promises';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { openBus, type StreamBus } from '../../lib/events/stream.ts';
import { APART_WITH_FURTHER, metricsUrl, startCluster, type Cluster, type Member } from '../harness/cluster.ts';
import { freePort } from '../harness/free-port.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';
import { ask, contribute, done, openedMeeting, settle, startedRounds } from '../harness/requests.ts';
import { startProcess, untilPrinted, type Started } from '../harness/process.ts';
import { openTcpProxy, type TcpProxy } from '../harness/tcp-proxy.ts';
import { startPrometheus, type ActiveAlert, type Prometheus } from '../harness/prometheus.ts';
import { startReceiver } from './receiver.ts';

const FUNDING = 1_000_000;
const AMOUNT = 1_000;
/** Enough PINs to lock for PinGuessing. */
const MEMBERS = 14;
const PACE_MS = 200;
const LOOK_EVERY_MS = 500;
/** A phone for which there is no channel: what would be sent to it is recorded as skipped. */
const PHONE = '+237670000000';
/** Often, so that the alert fires soon after its cause. */
const VERIFY_EVERY = '1s';

/** A cluster under load, with a Prometheus that scrapes each of its processes. */
export interface OperationsScene {
  cluster: Cluster;
  prometheus: Prometheus;
  bus: StreamBus;
  /** A group that pays all the time. Its wrong PINs and its other requests are those of the causes. */
  group: TestGroup;
  meeting_id: string;
  /** A second contribution process, whose connections to its database can fail. It has no subscription to hold up. */
  spare: { member: Member; proxy: TcpProxy };
  /** The origin of a server for webhooks. */
  receiver: string;
  /** Adds an endpoint for the events of the group. @returns its path */
  addEndpoint: (url: string) => Promise<string>;
  /** The alerts that have fired, as Prometheus reported them. */
  fired: Map<string, ActiveAlert>;
  /** The alerts that fire now. */
  firing(): Promise<string[]>;
  /** Lets Prometheus scrape the processes that run. */
  followProcesses: () => Promise<void>;
  /** Starts a scheduled verification, which Prometheus scrapes too. */
  startVerifier(): Promise<void>;
  /** Completes a cycle in another group. */
  completeCycle(): Promise<void>;
  stop(): Promise<void>;
}

export async function openScene(): Promise<OperationsScene> {
  const stops: (() => Promise<unknown> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const cluster = await startCluster({
      processes: APART_WITH_FURTHER,
      // No mail server listens there.
      settings: {
        WEBHOOK_PRIVATE_ADDRESSES: 'allow',
        SMTP_URL: `smtp://127.0.0.1:${String(await freePort())}`,
        SMTP_FROM: 'no-reply@example.com',
      },
    });
    stops.push(() => cluster.stop());
    const receiver = await startReceiver();
    stops.push(receiver.stop);
    const proxy = await openTcpProxy(withDatabase(cluster.adminUrl, defaultDatabaseName('contribution')));
    const member = await cluster.start(['contribution'], { settings: { CONTRIBUTION_DATABASE_URL: proxy.url } });
    stops.push(() => proxy.cut());
    const bus = await openBus(cluster.natsUrl, 'test');
    stops.push(() => bus.close());
    const prometheus = await startPrometheus();
    stops.push(() => prometheus.stop());
    const group = await foundGroup(cluster, { size: MEMBERS, funding: FUNDING });
    const founder = group.members[0]!;
    const meeting_id = await openedMeeting(founder);
    const addEndpoint = async (url: string) =>
      `${group.path}/webhooks/${String((await founder.http.created(`${group.path}/webhooks`, { url })).id)}`;
    await addEndpoint(receiver.origin);
    await founder.http.send('PATCH', '/me/notifications', { phone: PHONE });
    const fired = new Map<string, ActiveAlert>();
    const verifiers: Started[] = [];
    stops.push(() => Promise.all(verifiers.map((each) => each.end())));
    const scene: OperationsScene = {
      cluster,
      prometheus,
      bus,
      group,
      meeting_id,
      spare: { member, proxy },
      receiver: receiver.origin,
      addEndpoint,
      fired,
      firing: async () => (await firingAlerts(prometheus)).map(({ labels }) => labels['alertname'] ?? ''),
      followProcesses: () =>
        prometheus.scrape([...cluster.members(), ...verifiers].flatMap((each) => metricsUrl(each) ?? [])),
      async startVerifier() {
        verifiers.push(await startVerifier(cluster.dataDir));
        await scene.followProcesses();
      },
      completeCycle: () => completeCycle(cluster),
      stop,
    };
    await scene.followProcesses();
    stops.push(
      repeatedly(LOOK_EVERY_MS, () => recordFiring(scene)),
      repeatedly(PACE_MS, () => pay(scene)),
    );
    return scene;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Repeats `work` until the returned function is called, which waits for its end. Work that fails is repeated too. */
export function repeatedly(pause_ms: number, work: () => Promise<unknown>): () => Promise<void> {
  let isStopping = false;
  const running = (async () => {
    while (!isStopping) {
      // The load goes on while services are missing.
      await work().catch(() => undefined);
      await sleep(pause_ms);
    }
  })();
  return () => {
    isStopping = true;
    return running;
  };
}

/** Runs `npm run verify` at intervals, as docs/backup.md has it, but more often. */
async function startVerifier(dataDir: string): Promise<Started> {
  const { PATH, HOME } = process.env;
  const options = ['--every', VERIFY_EVERY, '--recheck-after', VERIFY_EVERY];
  const verifier = startProcess(['cli/verify.ts', 'ledger', ...options], { env: { PATH, HOME, DATA_DIR: dataDir } });
  await untilPrinted(verifier, 'metrics on');
  return verifier;
}

async function firingAlerts(prometheus: Prometheus): Promise<ActiveAlert[]> {
  return (await prometheus.alerts()).filter(({ state }) => state === 'firing');
}

async function recordFiring({ prometheus, fired }: OperationsScene): Promise<void> {
  for (const alert of await firingAlerts(prometheus)) fired.set(alert.labels['alertname'] ?? '', alert);
}

/** One of the members pays, and another sends a wrong amount, so that there are refusals too. */
async function pay({ group: { members }, meeting_id }: OperationsScene): Promise<void> {
  const [first, second] = members;
  await ask(contribute(first!, meeting_id, AMOUNT));
  await ask(contribute(second!, meeting_id, 0));
  await first!.http.get('/me/notifications');
}

async function completeCycle(cluster: Cluster): Promise<void> {
  const group = await foundGroup(cluster, { size: 2, funding: FUNDING });
  const [founder] = group.members;
  for (const meeting_id of await startedRounds(founder!)) {
    for (const member of group.members) await done(contribute(member, meeting_id, AMOUNT));
    await done(settle(founder!, meeting_id));
  }
}
