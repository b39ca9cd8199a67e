/** Wires the parts of the service. */
import { createRequire } from 'node:module';
import { authorizeCaller, implement } from '@association-service/contracts/moleculer';
import { defineService } from '@association-service/contracts/service';
import { API, getPaidTotal, NAME } from './contracts.ts';
import { MIGRATIONS } from './migrations.ts';
import { onContributionPaid } from './on-contribution-paid.ts';
import { readTotal } from './paid-total.store.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

export const service = defineService({
  name: NAME,
  version,
  api: API,
  migrations: MIGRATIONS,
  start: ({ db }) => ({
    actions: {
      get_paid_total: implement(getPaidTotal, async ({ path: { association_id } }, caller, ctx) => {
        // Refuses everybody but members.
        await authorizeCaller(ctx, caller, association_id, 'read');
        return readTotal(db, association_id);
      }),
    },
    // The login at NATS must permit their consumers: see README.md.
    subscriptions: [onContributionPaid],
  }),
});
