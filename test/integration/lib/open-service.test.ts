import { expect } from 'chai';
import { ServiceBroker } from 'moleculer';
import { chapter } from '../../../lib/contracts/action.ts';
import * as t from '../../../lib/contracts/fields.ts';
import { route, type ServiceApi } from '../../../lib/contracts/service-api.ts';
import { withDatabase } from '../../../lib/config/server-urls.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { defineService, type StartedParts } from '../../../lib/service/define-service.ts';
import { implement } from '../../../lib/service/implement.ts';
import { openDefinedService } from '../../../lib/service/open-service.ts';
import { SERVICE_TABLES } from '../../../packages/contracts/src/service-tables.ts';
import { adminUrl, natsUrl, withClient } from '../../harness/servers.ts';
import { testClock, testIds } from '../../harness/runtime.ts';

const getGoal = chapter('Goals')({ name: 'goals.get_goal', summary: 'Get a goal', answer: t.record('Goal', {}) });
const setGoal = chapter('Goals')({ name: 'goals.set_goal', summary: 'Set a goal', answer: getGoal.answer });
const entry = (status: number) => ({ status, en: { title: 'A', detail: 'B.' }, fr: { title: 'A', detail: 'B.' } });

const action = implement(getGoal, () => Promise.resolve({}));
const API: ServiceApi = { tags: { Goals: 'Goals.' }, routes: [route('GET', '/goals', getGoal)] };

describe('a service that declares routes', () => {
  const name = `goals_${String(process.pid)}`;
  let databaseUrl: string;

  before(async () => {
    await withClient(adminUrl(), (admin) => admin.query(`CREATE DATABASE ${name}`));
    databaseUrl = withDatabase(adminUrl(), name);
  });

  /** @returns the line with which the start ends; undefined if the service can start */
  async function mistakeOf(api: ServiceApi, started: StartedParts): Promise<string | undefined> {
    const definition = defineService({
      name: 'goals',
      version: '1.0.0',
      api,
      migrations: [{ name: '0001-tables', statements: SERVICE_TABLES }],
      start: () => started,
    });
    const now = {
      clock: testClock,
      systemClock: testClock,
      newId: testIds(),
      randomBytes: (length: number) => Buffer.alloc(length),
    };
    const broker = new ServiceBroker({ logger: false });
    const host = { ...now, reached: () => Promise.resolve(), natsUrl: natsUrl(), databaseUrl, broker };
    const about = { production: false, callerKeys: [], testClock: undefined, env: {} };
    try {
      const { schema } = await openDefinedService(definition, { ...host, ...about });
      await broker.destroyService(broker.createService({ ...schema, started: undefined, created: undefined } as never));
      return undefined;
    } catch (error) {
      expect(error).to.be.instanceOf(StartupError);
      return (error as Error).message;
    }
  }

  it('starts if everything fits', async () => {
    expect(await mistakeOf(API, { actions: { get_goal: action } })).to.equal(undefined);
  });

  const MISTAKES: [what: string, api: ServiceApi, started: StartedParts, line: RegExp][] = [
    ['a route without an action', API, { actions: {} }, /^goals: GET \/goals has no action: goals\.get_goal is not/],
    [
      'a change that honours no Idempotency-Key',
      { ...API, routes: [route('PUT', '/goals', setGoal)] },
      { actions: { set_goal: action } },
      /^goals: PUT \/goals changes something: build it with implementWrite\(\)\.$/,
    ],
    [
      'a code that is not declared',
      { ...API, routes: [route('GET', '/goals', { ...getGoal, refuses: ['goal_reached' as never] })] },
      { actions: { get_goal: action } },
      /^goals: GET \/goals refuses with goal_reached, which is not among/,
    ],
    [
      'a code of this project',
      { ...API, errors: { not_found: entry(404) } },
      { actions: { get_goal: action } },
      /^goals: The error code not_found is one of this project\.$/,
    ],
    [
      'the consumer of another service',
      API,
      { actions: { get_goal: action }, subscriptions: [{ durable: 'payroll-x', type: '*', handle: () => undefined }] },
      /^goals: the name of the consumer payroll-x must begin with goals-\.$/,
    ],
  ];
  for (const [what, api, started, line] of MISTAKES) {
    it(`does not start with ${what}, and says so in one line`, async () => {
      expect(await mistakeOf(api, started)).to.match(line);
    });
  }
});
