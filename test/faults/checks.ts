/** What must hold when all faults have ended. Each check returns the rules that were broken, one line each. */
import { CHECKS } from '../../cli/verify/checks.ts';
import { runChecks } from '../../cli/verify/run-checks.ts';
import { openSources } from '../../cli/verify/sources.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { API_BASE } from '../../lib/contracts/api.ts';
import { againIfNatsFails } from './again-if-nats-fails.ts';
import { checkEvents } from './event-checks.ts';
import type { Recorder } from './history/recorder.ts';
import { checkLinearizable } from './linearizable.ts';
import { checkNotFound } from './refusals.ts';
import type { Site } from './site.ts';
import { compareEffects, compareMemberships } from './stored-effects.ts';
import { checkMails, checkWebhooks } from './told-checks.ts';
import type { World } from './world.ts';

/** Only read again if something differs. Nothing is unfinished any more when the checks begin. */
const RECHECK_AFTER_MS = 2_000;

export interface CheckedRun {
  site: Site;
  world: World;
  recorder: Recorder;
  /** The beginning of the names of its people. */
  run: string;
}

type CheckOfRun = (checked: CheckedRun) => Promise<string[]>;

export const RUN_CHECKS: Record<string, CheckOfRun> = {
  'acknowledged effects': ({ site, world, run }) => compareEffects(site, world, run),
  memberships: ({ site, world, run }) => compareMemberships(site, world, run),
  'false refusals': ({ site, world, run }) => checkNotFound(site, world, run),
  'databases agree': ({ site }) => againIfNatsFails(() => databasesAgree(site)),
  events: ({ site, world }) => checkEvents(site, world),
  webhooks: ({ site, world }) => checkWebhooks(site, world),
  mails: ({ site, world, run }) => checkMails(site, world, run),
  'linearizable histories': ({ world, recorder }) => checkLinearizable(world, recorder),
  locations: ({ world }) => locationsAnswer(world),
  'service after recovery': ({ world }) => everythingServes(world),
  'processes that ended by themselves': ({ site }) => Promise.resolve(site.crashes()),
  // Last, as other checks send requests too.
  'what the clients saw': ({ world }) => Promise.resolve(world.violations),
};

/** Compares the ledger, the other records, outboxes, stream and inboxes as `npm run verify` does. */
async function databasesAgree({ dataDir, natsUrl }: Site): Promise<string[]> {
  const sources = await openSources(loadSettings({ DATA_DIR: dataDir, NATS_URL: natsUrl }));
  try {
    const progress = { scanned: [], current: null };
    const options = { checks: CHECKS, since_id: null, progress, save: () => undefined };
    const results = await runChecks(sources, { ...options, recheck_after_ms: RECHECK_AFTER_MS });
    return results.flatMap(({ check, texts }) => texts.map((text) => `${check}: ${text}`));
  } finally {
    await sources.close();
  }
}

/** Each `Location` answers its caller, unless they have left the association or their office since. */
async function locationsAnswer({ people, written }: World): Promise<string[]> {
  const broken = await Promise.all(
    people.map(async (person) => {
      const lost: string[] = [];
      const own = written.filter((each) => each.person === person && each.outcome.isDone === true);
      const locations = own.map(({ outcome }) => outcome.headers?.get('location') ?? null);
      for (const location of new Set(locations.filter((each) => each !== null))) {
        const path = location.slice(location.indexOf(API_BASE) + API_BASE.length);
        const { status = 0, text = '', body } = await person.client.request('GET', path);
        // Only officers may read an invitation.
        const isFormerOfficer = path.includes('/invitations/') && body?.code === 'role_not_allowed';
        if (status === 200 || isFormerOfficer || (status === 404 && (await hasLeft(person, path)))) continue;
        lost.push(`${path} gave ${String(status)} to ${person.client.user}: ${text}`);
      }
      return lost;
    }),
  );
  return broken.flat();
}

async function hasLeft({ client }: World['people'][0], path: string): Promise<boolean> {
  const [association] = /^\/associations\/[^/]+/.exec(path) ?? [];
  if (association === undefined) return false;
  return (await client.request('GET', `${association}/members/me`)).status === 404;
}

/**
 * After recovery no request fails, and none has to be repeated. A PIN may be locked, and an association of others refuses to be
 * read.
 */
async function everythingServes({ people, groups }: World): Promise<string[]> {
  const broken = await Promise.all(
    people.map(async ({ client, wallets, pin }) => {
      const failed: string[] = [];
      const request = async (method: string, path: string, wanted = {}, mayBeRefused = false) => {
        const { isDone, failed_attempts, text = '' } = await client.request(method, path, wanted);
        const isServed = isDone === true || (mayBeRefused && isDone === false);
        if (!isServed || failed_attempts.length > 0)
          failed.push(`${method} ${path}: ${[...failed_attempts, text].join(', then ')}`);
      };
      await request('GET', '/associations/my');
      await request('PUT', '/me/pin', { body: { current_pin: await client.seal(pin) }, pin }, true);
      for (const [currency, wallet] of wallets) {
        await request('POST', `/wallets/${wallet}/deposits`, { body: { amount: 1, reference: `after ${currency}` } });
      }
      for (const { path } of groups) {
        for (const read of ['', '/balances', '/meetings', '/governance/approvals']) {
          await request('GET', path + read, {}, true);
        }
      }
      return failed;
    }),
  );
  return broken.flat();
}
