/** The command of a service that lists its dead letters, or handles them again. */
import { readServiceSettings } from '../../../lib/config/other-service.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { openSqlDatabase } from '../../../lib/db/sql-database.ts';
import { listDeadLetters, retryDeadLetter } from '../../../lib/events/dead-letters.ts';
import { runOnce } from '../../../lib/node/run-once.ts';
import type { ServiceDefinition } from '../../../lib/service/define-service.ts';
import { openSubscriptions } from '../../../lib/service/open-service.ts';
import { systemRuntime } from './system-runtime.ts';

/** If there are more, retry these first. */
const LISTED_MAX = 1_000;

/** Runs `npm run dead-letters -- list | retry` of a service, with the settings of the environment. */
export function runDeadLetters<S>(definition: ServiceDefinition<S>): Promise<void> {
  return runOnce(async () => {
    const [command = 'list', ...more] = process.argv.slice(2);
    if (!['list', 'retry'].includes(command) || more.length > 0) {
      throw new StartupError('Usage: npm run dead-letters -- list | retry');
    }
    const settings = readServiceSettings(definition.name);
    const db = await openSqlDatabase(settings.databaseUrl, definition.migrations);
    const stops = [() => db.close()];
    try {
      const { runtime } = systemRuntime(settings);
      const { subscriptions, stop } = await openSubscriptions(definition, { ...settings, ...runtime }, db);
      stops.push(stop);
      const letters = await listDeadLetters(db, null, LISTED_MAX);
      const print = (line: string) => void process.stdout.write(`${line}\n`);
      print(`${String(letters.length)}${letters.length < LISTED_MAX ? '' : ' or more'} dead letters`);
      for (const letter of letters) {
        print(`${letter.event_id} ${letter.event.type} ${letter.dead_at.toISOString()} ${letter.error}`);
        if (command === 'list') continue;
        try {
          const subscription = subscriptions.find(({ durable }) => durable === letter.consumer);
          if (subscription === undefined) throw new Error(`no subscription is named ${letter.consumer}`);
          await retryDeadLetter({ db, clock: runtime.clock }, subscription, letter);
          print('  handled');
        } catch (error) {
          // The letter stays, and the others are still handled.
          print(`  not handled: ${(error as Error).message}`);
          process.exitCode = 1;
        }
      }
    } finally {
      for (const stop of stops.reverse()) await stop();
    }
  });
}
