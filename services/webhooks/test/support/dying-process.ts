/** Runs the service in a process that kills itself at the fault point DIES_AT. */
import { readServiceSettings, startService } from '@association-service/contracts/service';
import { NAME } from '../../src/contracts.ts';
import { webhooks } from '../../src/service.ts';

await startService(webhooks, readServiceSettings(NAME), () => undefined, {
  reached(step) {
    if (step === process.env['DIES_AT']) process.kill(process.pid, 'SIGKILL');
    return Promise.resolve();
  },
});
