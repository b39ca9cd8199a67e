import { FURTHER_SERVICES, isFurtherService, OPERATOR } from '../lib/config/service-names.ts';
import { loadSettings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import {
  findDeadLetters,
  listDeadLetters,
  retryDeadLetter,
  type DeadLetter,
  type DeadLetterPosition,
} from '../lib/events/dead-letters.ts';
import { faultOf } from '../lib/errors/fault.ts';
import { isId } from '../lib/schema/rules.ts';
import { readArguments, runOnce } from '../lib/node/run-once.ts';
import { openFurtherLetters, openLedgerLetters, type LetterSource, type LetterSources } from './dead-letter-sources.ts';

const USAGE = `Usage: npm run dead-letters -- list              the events that a service could not handle
       npm run dead-letters -- show <event id>   an event with its error
       npm run dead-letters -- retry <event id>  handles the event again, once
       npm run dead-letters -- retry --all       handles all events again, oldest first
With --service ${FURTHER_SERVICES.join(' or ')}: those of that service, with its settings; otherwise those of all others.
Exit code: 0 done, 1 an event failed again or does not exist.`;

/** Bounds the memory of a long list. */
const PAGE_LETTERS = 500;

interface ListedLetter {
  source: LetterSource;
  letter: DeadLetter;
}

/** npm run dead-letters: lists and shows the events that services could not handle, and handles them again. */
async function main(): Promise<void> {
  const options = { all: { type: 'boolean', default: false }, service: { type: 'string' } } as const;
  const { values, positionals } = readArguments(USAGE, { options, allowPositionals: true });
  const [verb, id, ...more] = positionals;
  const isRetry = verb === 'retry';
  const takesId = verb === 'show' || (isRetry && !values.all);
  const isKnown = verb === 'list' || verb === 'show' || isRetry;
  if (!isKnown || more.length > 0 || (id !== undefined) !== takesId || (values.all && !isRetry))
    throw new StartupError(USAGE);
  const sources = await open(values.service);
  try {
    if (verb === 'list') await list(sources);
    else if (id === undefined) await retryAll(sources);
    else await ofEvent(sources, id, isRetry);
  } finally {
    await sources.close();
  }
}

/** @throws StartupError for an unknown service, or a database that cannot be reached */
function open(service: string | undefined): Promise<LetterSources> {
  if (service === undefined) return openLedgerLetters(loadSettings(process.env, OPERATOR));
  if (!isFurtherService(service)) throw new StartupError(USAGE);
  return openFurtherLetters(loadSettings(process.env, service), service);
}

async function* all({ services }: LetterSources): AsyncGenerator<ListedLetter> {
  for (const source of services) {
    for (let after: DeadLetterPosition | null = null; ;) {
      const letters = await listDeadLetters(source.db, after, PAGE_LETTERS);
      for (const letter of letters) yield { source, letter };
      after = letters.at(-1) ?? null;
      if (after === null) break;
    }
  }
}

async function list(sources: LetterSources): Promise<void> {
  let count = 0;
  for await (const { letter } of all(sources)) {
    const { consumer, event_id, event, dead_at, error } = letter;
    count += 1;
    console.log(`${event_id} ${event.type} ${consumer} ${dead_at.toISOString()} ${error.replaceAll(/\s+/g, ' ')}`);
  }
  console.log(`${String(count)} dead letters`);
}

async function ofEvent(sources: LetterSources, event_id: string, isRetry: boolean): Promise<void> {
  const found: ListedLetter[] = [];
  for (const source of isId(event_id) ? sources.services : []) {
    const letters = await findDeadLetters(source.db, event_id);
    found.push(...letters.map((letter) => ({ source, letter })));
  }
  if (found.length === 0) throw new StartupError(`There is no dead letter of event ${event_id}.`);
  for (const each of found) {
    if (isRetry) await retry(sources, each);
    else console.log(JSON.stringify({ ...each.letter, service: each.source.service }, null, 2));
  }
}

async function retryAll(sources: LetterSources): Promise<void> {
  let count = 0;
  for await (const letter of all(sources)) {
    await retry(sources, letter);
    count += 1;
  }
  console.log(`${String(count)} dead letters`);
}

/** Handles an event again. A failure is reported, and the letter stays. */
async function retry({ clock }: LetterSources, { source, letter }: ListedLetter): Promise<void> {
  const { service, db } = source;
  const { consumer, event_id } = letter;
  const subscriptions = await source.subscriptions();
  const subscription = subscriptions.find(({ durable }) => durable === consumer);
  const what = `${event_id} of ${consumer}`;
  try {
    if (subscription === undefined) throw new StartupError(`${service} has no subscription ${consumer}`);
    const isHandled = await retryDeadLetter({ db, clock }, subscription, letter);
    console.log(isHandled ? `handled ${what}` : `${what} was handled before`);
  } catch (error) {
    console.log(`failed ${what}: ${faultOf(error).message}`);
    process.exitCode = 1;
  }
}

await runOnce(main);
