/**
 * The servers of this test run, started by global-servers.ts. The URLs travel in the environment, so that processes
 * which tests start see them too.
 */
export const ADMIN_URL_VARIABLE = 'TEST_ADMIN_URL';
export const NATS_URL_VARIABLE = 'TEST_RUN_NATS_URL';

/** An administrator's URL of the run's Postgres. */
export function adminUrl(): string {
  return given(ADMIN_URL_VARIABLE);
}

/** The run's NATS server, with JetStream; credentials included. All test files share it. */
export function natsUrl(): string {
  return given(NATS_URL_VARIABLE);
}

function given(variable: string): string {
  const url = process.env[variable];
  if (url === undefined)
    throw new Error('No servers: run mocha with test/harness/global-servers.ts (see .mocharc.json)');
  return url;
}
