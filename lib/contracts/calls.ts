/**
 * The services that each service calls. NATS lets its login send requests only to them: see deploy/nats/permissions.conf,
 * which is written from this table.
 */
export const CALLS = {
  gateway: ['membership', 'contribution', 'treasury', 'governance'],
  membership: ['contribution', 'treasury', 'governance'],
  contribution: ['membership', 'treasury', 'governance'],
  treasury: ['membership', 'contribution', 'governance'],
  governance: ['membership', 'contribution', 'treasury'],
} as const;
