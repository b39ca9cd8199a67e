/**
 * npm run dev -- <DATA_DIR> [dead-letters list | retry]: runs the service, or that command, with the servers of an association
 * service that `npm start` runs.
 */
import { runInDevelopment } from '@association-service/contracts/testing';
import { reminders } from './service.ts';

await runInDevelopment(reminders);
