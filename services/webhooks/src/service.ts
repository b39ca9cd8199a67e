/** Wires the parts of the service. */
import { createRequire } from 'node:module';
import { randomInt } from 'node:crypto';
import { defineService, oneOf, secrets, SECRET_MIN_BYTES, StartupError } from '@association-service/contracts/service';
import type { Log, ReadSetting, ServiceParts, StartedParts } from '@association-service/contracts/service';
import { publicLookup, publicResolver } from './addresses/public-lookup.ts';
import { API, NAME, ofAll, ofAssociation } from './contracts.ts';
import { webhookActions } from './endpoints/webhook-actions.ts';
import { asBoard, asManager } from './endpoints/authorize-owner.ts';
import { requireKnownKeys, resealSecrets } from './endpoints/sealed-keys.ts';
import { onAnyEvent } from './events/on-any-event.ts';
import { wakeReceivers } from './events/wake-receivers.ts';
import { measureAttempt, measureDatabase } from './metrics.ts';
import { MIGRATIONS } from './migrations.ts';
import { isServed, tellOwners } from './notices/tell-owners.ts';
import { runReplays } from './replays/run-replays.ts';
import { messageOf } from './secrets/message.ts';
import { secretBox } from './secrets/secret-box.ts';
import { createDispatcher, POLL_EVERY_MS } from './sending/dispatcher.ts';
import { createPoster } from './sending/post.ts';
import { createRecorder } from './sending/recorder.ts';
import { giveUpDisabled, purge } from './upkeep/run-upkeep.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/** Replays go on as soon as fewer of their deliveries wait. */
const REPLAY_EVERY_MS = 1_000;
/** A user who has just disabled an endpoint may look at what became of its deliveries. */
const GIVE_UP_EVERY_MS = 5_000;
/** The owners of disabled endpoints learn of it within minutes. */
const TELL_EVERY_MS = 30_000;
/** Rarely, as old rows only take space. */
const PURGE_EVERY_MS = 60_000;
/** As fine as jitter needs to be. */
const RANDOM_STEPS = 2 ** 32;

export interface Settings {
  secretKeys: string[];
  allowsPrivate: boolean;
}

/** @throws StartupError with a message of one line */
function readSettings(read: ReadSetting, { production }: { production: boolean }): Settings {
  const allowsPrivate = read('WEBHOOK_PRIVATE_ADDRESSES', oneOf(['allow'])) !== undefined;
  if (allowsPrivate && production) {
    throw new StartupError('WEBHOOK_PRIVATE_ADDRESSES=allow is not for NODE_ENV=production: leave it out.');
  }
  // It is one of the generated secrets, without which no service starts.
  return { secretKeys: read('WEBHOOK_SECRET_KEY', secrets(SECRET_MIN_BYTES))!, allowsPrivate };
}

async function start(parts: ServiceParts<Settings>): Promise<StartedParts> {
  const { db, clock, systemClock, newId, reached, log, broker, settings } = parts;
  const box = secretBox(settings.secretKeys, parts.randomBytes);
  await requireKnownKeys(db, box);
  await resealSecrets(db, box);
  const resolver = publicResolver();
  const allows_private = settings.allowsPrivate;
  const dispatcher = createDispatcher({
    ...parts,
    poster: createPoster({ allows_private, lookup: allows_private ? undefined : publicLookup(resolver) }),
    recorder: createRecorder({ db, clock, newId, log }),
    messageOf: (claim) => messageOf({ box, clock, systemClock }, claim),
    random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
    measure: (claim, outcome, exchange) => measureAttempt(claim, outcome, exchange, clock()),
  });
  const wake = (webhook_ids: readonly string[]) => dispatcher.wake(webhook_ids);
  const replay = (stopping: AbortSignal) => runReplays({ db, clock, newId, reached, wake }, stopping);
  const replaying = startReplaying(replay, log);
  const continueReplays = () => replaying.begin();
  const deps = { ...parts, parts, box, resolver, allows_private, dispatcher, continueReplays };
  const stopMeasuring = measureDatabase(db, clock, () => dispatcher.inFlight());
  return {
    actions: {
      ...webhookActions(deps, ofAssociation, (access) => asBoard(deps.db, access)),
      ...webhookActions(deps, ofAll, () => asManager(deps.db)),
    },
    subscriptions: [onAnyEvent({ clock, newId, reached, stored: wakeReceivers(db, wake) })],
    jobs: [
      { name: 'webhook deliveries', every_ms: POLL_EVERY_MS, followsClock: true, run: () => dispatcher.poll() },
      { name: 'webhook replays', every_ms: REPLAY_EVERY_MS, run: replay },
      {
        name: 'deliveries of disabled endpoints',
        every_ms: GIVE_UP_EVERY_MS,
        run: (stopping) => giveUpDisabled(db, clock(), stopping),
      },
      {
        name: 'owner notices',
        every_ms: TELL_EVERY_MS,
        run: () => tellOwners({ ...parts, canTell: () => isServed(broker) }),
      },
      { name: 'webhook retention', every_ms: PURGE_EVERY_MS, run: (stopping) => purge(db, clock(), stopping) },
    ],
    async stop() {
      stopMeasuring();
      await Promise.all([replaying.stop(), dispatcher.stop()]);
    },
  };
}

/** Runs replays when a request has begun one, besides the job that goes on with them. One run follows the other. */
function startReplaying(replay: (stopping: AbortSignal) => Promise<void>, log: Log) {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  return {
    begin(): void {
      running = running
        .then(() => replay(stopping.signal))
        .catch((error: Error) => log.warn('a replay waits', { message: error.message }));
    },
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}

/** Sends events to the endpoints of other programs. */
export const webhooks = defineService<Settings>({
  name: NAME,
  version,
  api: API,
  migrations: MIGRATIONS,
  generatedSecrets: ['WEBHOOK_SECRET_KEY'],
  settings: readSettings,
  start,
});
