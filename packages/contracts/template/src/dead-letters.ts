/** npm run dead-letters -- list | retry: lists the events that kept failing, or handles them again. */
import { readServiceSettings, runOnce, StartupError } from '@association-service/contracts/service';
import { listDeadLetters, openSqlDatabase, retryDeadLetter } from '@association-service/contracts/subscriber';
import { NAME } from './contracts.ts';
import { MIGRATIONS } from './migrations.ts';
import { SUBSCRIPTIONS } from './subscriptions.ts';

/** If there are more, retry these first. */
const LISTED_MAX = 1_000;

await runOnce(async () => {
  const [command = 'list', ...more] = process.argv.slice(2);
  if (!['list', 'retry'].includes(command) || more.length > 0) {
    throw new StartupError('Usage: npm run dead-letters -- list | retry');
  }
  const db = await openSqlDatabase(readServiceSettings(NAME).databaseUrl, MIGRATIONS);
  try {
    const letters = await listDeadLetters(db, null, LISTED_MAX);
    console.log(`${String(letters.length)}${letters.length < LISTED_MAX ? '' : ' or more'} dead letters`);
    for (const letter of letters) {
      console.log(`${letter.event_id} ${letter.event.type} ${letter.dead_at.toISOString()} ${letter.error}`);
      if (command === 'list') continue;
      try {
        const subscription = SUBSCRIPTIONS.find(({ durable }) => durable === letter.consumer);
        if (subscription === undefined) throw new Error(`no subscription is named ${letter.consumer}`);
        await retryDeadLetter({ db, clock: () => new Date() }, subscription, letter);
        console.log('  handled');
      } catch (error) {
        // The letter stays, and the others are still handled.
        console.log(`  not handled: ${(error as Error).message}`);
        process.exitCode = 1;
      }
    }
  } finally {
    await db.close();
  }
});
