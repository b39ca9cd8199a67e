import type { ValidationError } from 'fastest-validator';
import { Validators } from 'moleculer';
import { ALL_TYPES, EVENT_SCHEMAS } from '../contracts/events.ts';
import { StartupError } from '../config/startup-error.ts';
import type { OtherService } from './nats-permissions.ts';

const texts = { type: 'array', items: 'string', optional: true } as const;

/** Unknown members are refused: a wrong name would permit nothing, and say nothing. */
const check = new Validators.Fastest({ messages: { enumValue: "The '{field}' field is no type of event." } }).compile({
  $$root: true,
  type: 'array',
  items: {
    type: 'object',
    strict: true,
    props: {
      name: 'string',
      calls: texts,
      called_by: texts,
      consumers: {
        type: 'record',
        key: 'string',
        value: { type: 'enum', values: [ALL_TYPES, ...Object.keys(EVENT_SCHEMAS)] },
        optional: true,
      },
      streams: texts,
      publishes: texts,
    },
  },
});

/**
 * Reads the content of deploy/nats/other-services.json.
 * @throws StartupError unless each entry has the form of OtherService, and a name of its own
 */
export function parseOtherServices(json: string): OtherService[] {
  let others;
  try {
    others = JSON.parse(json) as OtherService[] & Record<string, unknown>;
  } catch (error) {
    throw new StartupError(`other-services.json is not JSON: ${(error as Error).message}`);
  }
  const findings = check(others) as true | ValidationError[];
  if (findings !== true) {
    throw new StartupError(`other-services.json: ${findings.map(({ message }) => message).join(' ')}`);
  }
  const names = others.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new StartupError(`other-services.json has "${twice}" twice.`);
  return others;
}
