/** npm run dead-letters [-- retry]: lists the events that kept failing, or handles them again. */
import { readServiceSettings, runOnce } from '@association-service/contracts/service';
import { listDeadLetters, openSqlDatabase, retryDeadLetter } from '@association-service/contracts/subscriber';
import { NAME } from './contracts.ts';
import { MIGRATIONS } from './migrations.ts';
import { SUBSCRIPTIONS } from './subscriptions.ts';

/** If there are more, run it again. */
const LISTED_MAX = 1_000;

await runOnce(async () => {
  const db = await openSqlDatabase(readServiceSettings(NAME).databaseUrl, MIGRATIONS);
  try {
    for (const letter of await listDeadLetters(db, null, LISTED_MAX)) {
      console.log(`${letter.event_id} ${letter.event.type} ${letter.dead_at.toISOString()} ${letter.error}`);
      const subscription = SUBSCRIPTIONS.find(({ durable }) => durable === letter.consumer);
      if (process.argv[2] !== 'retry' || subscription === undefined) continue;
      try {
        await retryDeadLetter({ db, clock: () => new Date() }, subscription, letter);
        console.log('  handled');
      } catch (error) {
        // The letter stays, and the others are still handled.
        console.log(`  failed again: ${(error as Error).message}`);
        process.exitCode = 1;
      }
    }
  } finally {
    await db.close();
  }
});
