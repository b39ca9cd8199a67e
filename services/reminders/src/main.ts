/** npm start: runs the service until SIGTERM or SIGINT. */
import { runService } from '@association-service/contracts/service';
import { reminders } from './service.ts';

await runService(reminders);
