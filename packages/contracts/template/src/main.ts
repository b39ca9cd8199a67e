/** npm start: runs the service until SIGTERM or SIGINT. */
import { runService } from '@association-service/contracts/service';
import { service } from './service.ts';

await runService(service);
