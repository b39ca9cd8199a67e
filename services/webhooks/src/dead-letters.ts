/** npm run dead-letters -- list | retry: lists the events that kept failing, or handles them again. */
import { runDeadLetters } from '@association-service/contracts/service';
import { webhooks } from './service.ts';

await runDeadLetters(webhooks);
