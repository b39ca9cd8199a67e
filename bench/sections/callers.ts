import { createSecretKey } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { signingKeys } from '../../lib/config/caller-keys.ts';
import { newSecret } from '../../lib/config/secrets.ts';
import { forTableServices, type TableService } from '../../lib/config/service-names.ts';
import { contribute } from '../../lib/contracts/contribution.ts';
import { callerCheck } from '../../lib/service/check-caller.ts';
import type { CallContext } from '../../lib/service/call-context.ts';
import { inTurn, type Outcome } from '../harness/in-turn.ts';
import { callerStatements } from '../harness/service-internals.ts';
import type { Row } from '../report/row.ts';
import type { Section } from '../section.ts';

const CALLER = { user_id: '0192f0c0-0000-7000-8000-000000000001', name: 'Awa Ngo', scopes: ['openid', 'profile'] };
/** What the statements may cost each call (ADR 29). */
const CALL_MAX_US = 30;
/** A contribution is the request with the most: for contribution, membership and treasury. */
const STATEMENTS = 3;
/** Calls between two reads of the clock. */
const CALLS_PER_CLOCK_READ = 100;

/** The CPU time of the statements of who calls, without any message. */
export const callers: Section = {
  id: 'callers',
  title: 'Statements of who calls: signed by the gateway, checked by a service',
  async measure(bench) {
    const secrets = forTableServices(() => createSecretKey(Buffer.from(newSecret())));
    const clock = () => new Date();
    const state = callerStatements(
      signingKeys((service) => [secrets[service as TableService]], []),
      { clock, newId: uuidv7 },
    );
    const check = callerCheck({ service: 'contribution', keys: [secrets.contribution], isRequired: true, clock });
    const stated = Array.from({ length: CALLS_PER_CLOCK_READ }, () => state(CALLER, contribute.name));
    const measured = await inTurn(bench, [
      { name: 'sign', run: (duration_ms) => cpuOf(duration_ms, STATEMENTS, () => state(CALLER, contribute.name)) },
      {
        name: 'check',
        run: (duration_ms) =>
          cpuOf(duration_ms, 1, (number) => {
            const ctx = { meta: {}, locals: { statements: stated[number] } } as unknown as CallContext;
            check.ofEndpoint(ctx, contribute);
          }),
      },
    ]);
    const row = (name: string, what: string): Row => ({
      id: `callers.${name}`,
      what,
      unit: 'µs of CPU',
      ours: measured.spread(name),
      goal: { of: 'figure', at: 'most', value: CALL_MAX_US },
    });
    return [row('sign', 'sign the statement for one service'), row('check', 'check the statement of a call')];
  },
};

/** @returns the CPU time of one of the `parts` of each call, in microseconds */
function cpuOf(duration_ms: number, parts: number, call: (number: number) => unknown): Promise<Outcome> {
  const before = process.cpuUsage();
  const until_ms = performance.now() + duration_ms;
  let calls = 0;
  while (performance.now() < until_ms) {
    for (let number = 0; number < CALLS_PER_CLOCK_READ; number += 1) call(number);
    calls += CALLS_PER_CLOCK_READ;
  }
  const { user, system } = process.cpuUsage(before);
  return Promise.resolve({ figure: (user + system) / (calls * parts) });
}
