/** Another team's process: writes the amount of each contribution into its own database. */
import { serviceLog, StartupError } from '@association-service/contracts/service';
import { openSqlDatabase, startSubscriptions } from '@association-service/contracts/subscriber';
import { amounts, MIGRATIONS } from './amounts.ts';

const { DATABASE_URL, NATS_URL: natsUrl, DURABLE, DIES_AFTER } = process.env;
if (DATABASE_URL === undefined || natsUrl === undefined || DURABLE === undefined) throw new StartupError('Not set');
const db = await openSqlDatabase(DATABASE_URL, MIGRATIONS);
const log = serviceLog('payroll', 'error');
await startSubscriptions({ natsUrl, name: 'payroll', db, log, backoff_ms: [10, 10] }, [amounts(DURABLE, DIES_AFTER)]);
process.stdout.write('following\n');
