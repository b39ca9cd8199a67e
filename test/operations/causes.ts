import { ServiceBroker } from 'moleculer';
import { DiscardPolicy } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { brokerOptions } from '../../moleculer.config.ts';
import { SHARED_LOGIN } from '../../lib/config/service-names.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { problemCode } from '../../lib/errors/problem.ts';
import { STREAM } from '../../lib/contracts/events.ts';
import { pinKeysFile } from '../../lib/config/secrets.ts';
import { rotateKeyFile } from '../../lib/pin/key-file.ts';
import { KEY_LIFE_MS, OVERLAP_MS } from '../../lib/pin/key-set.ts';
import { inDatabase } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { startProcess } from '../harness/process.ts';
import { ask, contribute, propose } from '../harness/requests.ts';
import { repeatedly, type OperationsScene } from './scene.ts';

/** Something that goes wrong. */
export interface Cause {
  name: string;
  /** The alerts that it makes fire. */
  alerts: string[];
  /** Begins it. @returns a function that removes it, as the runbook says */
  begin: (scene: OperationsScene) => Promise<() => Promise<void>>;
  /** The alerts that stop firing soon afterwards. Others look back over minutes. */
  resolved: string[];
}

const DAY_MS = 86_400_000;
/** More than one lock of a PIN takes, and more than PinGuessing tolerates. */
const WRONG_PINS = 5;
/** As many concurrent proposals as two pools have connections. */
const PROPOSALS = 32;
/** How long a session holds its lock. WritesSlow begins at 2.5 s. */
const LOCK_MS = 4_000;
const PAUSE_MS = 300;
/** Longer than EventLoopBlocked tolerates, and shorter than Prometheus waits for an answer here. */
const FROZEN_MS = 800;
const PENDING_PAYMENTS = 6;
/** More than WebhookEndpointsFailing and WebhookEndpointsDisabled tolerate, with one endpoint that works. */
const FAILING_ENDPOINTS = 4;
const GONE_ENDPOINTS = 8;
/** As many messages as are tried at once, and again after 10 s. */
const MAILS = 4;

const none = () => Promise.resolve();

/** The causes, in the order in which they begin: later ones would prevent earlier ones. */
export const CAUSES: readonly Cause[] = [
  {
    name: 'many wrong PINs',
    alerts: ['PinGuessing'],
    resolved: [],
    async begin({ group, meeting_id }) {
      const guesses = group.members.slice(2).map(async (member) => {
        for (let guess = 1; guess <= WRONG_PINS; guess += 1) {
          const pin = await member.http.sealedPin('9999');
          await ask({ ...contribute(member, meeting_id, 1_000, { pin }), pin: false });
        }
      });
      await Promise.all(guesses);
      return none;
    },
  },
  {
    name: 'a call for a user that the gateway has not stated',
    alerts: ['CallersForged'],
    resolved: [],
    async begin({ cluster, group: { id: association_id, members } }) {
      const settings = { ...loadSettings({ LOG_LEVEL: 'fatal' }), nodeId: `${SHARED_LOGIN}.attacker` };
      const broker = new ServiceBroker(brokerOptions(settings, cluster.natsUrl));
      await broker.start();
      await broker.waitForServices('membership');
      const input = { association_id, user_id: members[0]!.user, permission: 'read' };
      const refused = await broker.call('membership.authorize', input).then(() => 'done', problemCode);
      await broker.stop();
      if (refused !== 'internal_error') throw new Error(`The call was answered: ${String(refused)}`);
      return none;
    },
  },
  {
    name: 'endpoints that have gone',
    alerts: ['WebhookEndpointsDisabled'],
    resolved: [],
    async begin({ addEndpoint, receiver }) {
      for (let each = 0; each < GONE_ENDPOINTS; each += 1) await addEndpoint(`${receiver}/gone`);
      return none;
    },
  },
  {
    name: 'endpoints that cannot be reached',
    alerts: ['WebhookEndpointsFailing'],
    resolved: ['WebhookEndpointsFailing'],
    async begin({ addEndpoint, group }) {
      const url = `http://127.0.0.1:${String(await freePort())}/hook`;
      const paths = await Promise.all(Array.from({ length: FAILING_ENDPOINTS }, () => addEndpoint(url)));
      return async () => {
        for (const path of paths) await group.members[0]!.http.send('DELETE', path);
      };
    },
  },
  {
    name: 'a mail server that cannot be reached',
    alerts: ['ReminderChannelDown'],
    resolved: [],
    async begin({ group: { members } }) {
      for (const { user, http } of members.slice(0, MAILS))
        await http.send('PATCH', '/me/notifications', { email: `${user}@example.com` });
      return none;
    },
  },
  {
    name: 'a PIN key that was last rotated 80 days ago',
    alerts: ['PinKeyExpiring'],
    resolved: ['PinKeyExpiring'],
    async begin({ cluster }) {
      const file = pinKeysFile(cluster.dataDir);
      await rotateKeyFile(file, new Date(Date.now() - 80 * DAY_MS), KEY_LIFE_MS - 5 * DAY_MS);
      return async () => void (await rotateKeyFile(file, new Date(), OVERLAP_MS));
    },
  },
  {
    name: 'a balance that was changed by hand',
    alerts: ['LedgerDrift'],
    resolved: ['LedgerDrift', 'VerificationOverdue'],
    async begin(scene) {
      const { cluster, group } = scene;
      // A wallet that pays nothing here, so that the treasury does not write its balance again.
      const { wallet_id } = group.members.at(-1)!;
      const add = (amount: number) =>
        inDatabase(cluster, 'treasury', async (client) => {
          await client.query('SET session_replication_role = replica');
          const { rowCount } = await client.query('UPDATE accounts SET balance = balance + $1 WHERE account_id = $2', [
            amount,
            `wallet:${wallet_id}`,
          ]);
          if (rowCount !== 1) throw new Error(`${wallet_id} has no balance`);
        });
      await add(1);
      await scene.startVerifier();
      return () => add(-1);
    },
  },
  {
    name: 'a stream that was emptied',
    alerts: ['EventsLost'],
    resolved: [],
    async begin(scene) {
      await scene.bus.manager.streams.purge(STREAM);
      await eventually(async () => {
        const [lost] = await scene.prometheus.query('sum(outbox_lost_events_total) > 0');
        if (lost === undefined) throw new Error('No loss was noticed');
      });
      return none;
    },
  },
  {
    name: 'a handler that fails',
    alerts: ['SubscriptionBehind', 'DeadLetters'],
    resolved: ['SubscriptionBehind', 'DeadLetters'],
    async begin(scene) {
      const { cluster } = scene;
      await inDatabase(cluster, 'membership', (client) =>
        client.query(`
          CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END';
          CREATE TRIGGER refuse BEFORE UPDATE ON cycle_bindings FOR EACH ROW EXECUTE FUNCTION refuse()`),
      );
      await scene.completeCycle();
      await allPublished(scene);
      return () => retryDeadLetters(scene);
    },
  },
  {
    name: 'a stream that is full',
    alerts: ['EventsNotPublished'],
    resolved: ['EventsNotPublished'],
    async begin({ bus }) {
      const { state } = await bus.manager.streams.info(STREAM);
      await bus.manager.streams.update(STREAM, { max_msgs: state.messages, discard: DiscardPolicy.New });
      return async () => void (await bus.manager.streams.update(STREAM, { max_msgs: -1, discard: DiscardPolicy.Old }));
    },
  },
  {
    name: 'a killed process',
    alerts: ['ServiceMissing', 'ProcessNotScraped', 'RequestsFailing', 'SagaUnfinished', 'RecoveriesFailing'],
    resolved: ['ServiceMissing', 'ProcessNotScraped', 'SagaUnfinished'],
    async begin({ cluster, group, meeting_id, followProcesses }) {
      await cluster.running('treasury').end('SIGKILL');
      const [payer] = group.members;
      const payments = Array.from({ length: PENDING_PAYMENTS }, () => ask(contribute(payer!, meeting_id, 1_000)));
      await Promise.all(payments);
      const endReads = repeatedly(100, () => payer!.http.get(`/wallets/${payer!.wallet_id}`));
      return async () => {
        await endReads();
        await cluster.start(['treasury']);
        await followProcesses();
      };
    },
  },
  {
    name: 'a database that one process cannot reach',
    alerts: ['DatabaseUnavailable', 'ProcessNotReady', 'MetricsIncomplete'],
    resolved: ['DatabaseUnavailable', 'ProcessNotReady'],
    begin({ spare }) {
      spare.proxy.cut();
      return Promise.resolve(() => spare.proxy.restore());
    },
  },
  {
    name: 'a session that holds a lock',
    alerts: ['DatabasePoolExhausted', 'WritesSlow'],
    resolved: ['DatabasePoolExhausted'],
    begin({ cluster, group }) {
      const [founder] = group.members;
      const text = { text: 'We meet at the school.' };
      const endLocks = repeatedly(PAUSE_MS, () =>
        inDatabase(cluster, 'governance', async (client) => {
          await client.query('BEGIN; LOCK TABLE proposals IN ACCESS EXCLUSIVE MODE');
          await sleep(LOCK_MS);
          await client.query('ROLLBACK');
        }),
      );
      const endProposals = Array.from({ length: PROPOSALS }, () =>
        repeatedly(PAUSE_MS, () => ask(propose(founder!, 'motion', text))),
      );
      return Promise.resolve(async () => void (await Promise.all([endLocks(), ...endProposals.map((end) => end())])));
    },
  },
  {
    name: 'a process that does not get on',
    alerts: ['EventLoopBlocked'],
    resolved: ['EventLoopBlocked'],
    begin({ spare }) {
      const { pid } = spare.member;
      const end = repeatedly(100, async () => {
        process.kill(pid, 'SIGSTOP');
        await sleep(FROZEN_MS);
        process.kill(pid, 'SIGCONT');
      });
      return Promise.resolve(end);
    },
  },
];

/** Waits until no event waits in an outbox. */
async function allPublished({ prometheus }: OperationsScene): Promise<void> {
  await eventually(async () => {
    const [waiting] = await prometheus.query('sum(outbox_unpublished_events) > 0');
    if (waiting !== undefined) throw new Error('Events are not published');
  }, 30_000);
}

/** Removes the cause, and handles the dead letters again. */
async function retryDeadLetters({ cluster: { adminUrl, dataDir } }: OperationsScene): Promise<void> {
  await inDatabase({ adminUrl }, 'membership', (client) => client.query('DROP TRIGGER refuse ON cycle_bindings'));
  const { PATH, HOME } = process.env;
  const command = ['cli/dead-letters.ts', 'retry', '--all'];
  const retry = startProcess(command, { env: { PATH, HOME, DATA_DIR: dataDir } });
  if ((await retry.ended) !== 0) throw new Error(retry.output());
}
