import { OPERATOR, TABLE_SERVICES, type TableService } from '../lib/config/service-names.ts';
import { loadSettings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import {
  findDeadLetters,
  listDeadLetters,
  retryDeadLetter,
  type DeadLetter,
  type DeadLetterPosition,
} from '../lib/events/dead-letters.ts';
import { Outbox } from '../lib/events/outbox.ts';
import { createRuntime } from '../lib/node/create-runtime.ts';
import { faultOf } from '../lib/errors/fault.ts';
import type { Runtime } from '../lib/node/runtime.ts';
import { isId } from '../lib/schema/rules.ts';
import { loadSubscriptions } from './catalogue.ts';
import { readArguments, runOnce } from '../lib/node/run-once.ts';
import { openSources, type OpenSources } from './verify/sources.ts';

const USAGE = `Usage: npm run dead-letters -- list              the events that a service could not handle
       npm run dead-letters -- show <event id>   an event with its error
       npm run dead-letters -- retry <event id>  handles the event again, once
       npm run dead-letters -- retry --all       handles all events again, oldest first
Exit code: 0 done, 1 an event failed again or does not exist.`;

/** Bounds the memory of a long list. */
const PAGE_LETTERS = 500;

type Context = OpenSources & { runtime: Runtime };

interface ListedLetter extends DeadLetter {
  service: TableService;
}

/** npm run dead-letters: lists and shows the events that services could not handle, and handles them again. */
async function main(): Promise<void> {
  const options = { all: { type: 'boolean', default: false } } as const;
  const { values, positionals } = readArguments(USAGE, { options, allowPositionals: true });
  const [verb, id, ...more] = positionals;
  const isRetry = verb === 'retry';
  const takesId = verb === 'show' || (isRetry && !values.all);
  const isKnown = verb === 'list' || verb === 'show' || isRetry;
  if (!isKnown || more.length > 0 || (id !== undefined) !== takesId || (values.all && !isRetry))
    throw new StartupError(USAGE);
  const settings = loadSettings(process.env, OPERATOR);
  const sources = await openSources(settings, 'dead-letters');
  try {
    const runtime = await createRuntime(settings, sources);
    if (verb === 'list') await list(sources);
    else if (id === undefined) await retryAll({ ...sources, runtime });
    else await ofEvent({ ...sources, runtime }, id, isRetry);
  } finally {
    await sources.close();
  }
}

async function* all({ db }: OpenSources): AsyncGenerator<ListedLetter> {
  for (const service of TABLE_SERVICES) {
    for (let after: DeadLetterPosition | null = null; ;) {
      const letters = await listDeadLetters(db[service], after, PAGE_LETTERS);
      for (const letter of letters) yield { ...letter, service };
      after = letters.at(-1) ?? null;
      if (after === null) break;
    }
  }
}

async function list(sources: OpenSources): Promise<void> {
  let count = 0;
  for await (const { consumer, event_id, event, dead_at, error } of all(sources)) {
    count += 1;
    console.log(`${event_id} ${event.type} ${consumer} ${dead_at.toISOString()} ${error.replaceAll(/\s+/g, ' ')}`);
  }
  console.log(`${String(count)} dead letters`);
}

async function ofEvent(sources: Context, event_id: string, isRetry: boolean): Promise<void> {
  const found: ListedLetter[] = [];
  for (const service of isId(event_id) ? TABLE_SERVICES : []) {
    const letters = await findDeadLetters(sources.db[service], event_id);
    found.push(...letters.map((letter) => ({ ...letter, service })));
  }
  if (found.length === 0) throw new StartupError(`There is no dead letter of event ${event_id}.`);
  for (const letter of found) {
    if (isRetry) await retry(sources, letter);
    else console.log(JSON.stringify(letter, null, 2));
  }
}

async function retryAll(sources: Context): Promise<void> {
  let count = 0;
  for await (const letter of all(sources)) {
    await retry(sources, letter);
    count += 1;
  }
  console.log(`${String(count)} dead letters`);
}

/** Handles an event again. A failure is reported, and the letter stays. */
async function retry({ db, runtime }: Context, letter: ListedLetter): Promise<void> {
  const { service, consumer, event_id } = letter;
  const { clock } = runtime;
  const outbox = new Outbox(service, clock, runtime.newId);
  const subscriptions = await loadSubscriptions(service, { runtime, outbox });
  const subscription = subscriptions.find(({ durable }) => durable === consumer);
  const what = `${event_id} of ${consumer}`;
  try {
    if (subscription === undefined) throw new StartupError(`${service} has no subscription ${consumer}`);
    const isHandled = await retryDeadLetter({ db: db[service], clock }, subscription, letter);
    console.log(isHandled ? `handled ${what}` : `${what} was handled before`);
  } catch (error) {
    console.log(`failed ${what}: ${faultOf(error).message}`);
    process.exitCode = 1;
  }
}

await runOnce(main);
