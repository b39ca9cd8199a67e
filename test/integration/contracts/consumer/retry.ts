/** Another team's command: handles the dead letters again, and prints what came of each. */
import { listDeadLetters, openSqlDatabase, retryDeadLetter } from '@association-service/contracts/subscriber';
import { amounts, MIGRATIONS } from './amounts.ts';

const db = await openSqlDatabase(process.env['DATABASE_URL'] ?? '', MIGRATIONS);
const clock = () => new Date();
for (const letter of await listDeadLetters(db, null, 100)) {
  const retry = () => retryDeadLetter({ db, clock }, amounts(letter.consumer), letter);
  const outcome = await retry().catch((error: Error) => error.message);
  process.stdout.write(`${letter.error}, ${String(letter.deliveries)} deliveries: ${String(outcome)}\n`);
}
await db.close();
