import { expect } from 'chai';
import { Errors, ServiceBroker, type ServiceSchema } from 'moleculer';
import { chapter, type Endpoint } from '../../../lib/contracts/action.ts';
import * as t from '../../../lib/contracts/fields.ts';
import { authorize } from '../../../lib/contracts/membership.ts';
import { describeApiCommand, route, type ServiceApi } from '../../../lib/contracts/service-api.ts';
import { declareErrors } from '../../../lib/errors/problem.ts';
import { checkCallers } from '../../../lib/service/check-caller.ts';
import { implement, implementCommand, type CallContext } from '../../../lib/service/implement.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';
import { furtherApis } from '../../../services/gateway/further-apis/learn-apis.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';
import { eventually } from '../../harness/eventually.ts';
import { SOME, useGateway } from '../../harness/gateway.ts';
import { quietLog } from '../../harness/runtime.ts';
import { testCheck } from '../../harness/stated-caller.ts';

const endpoint = chapter('Wages');
const setWage = endpoint({
  name: 'payroll.set_wage',
  summary: 'Set a wage',
  path: t.inAssociation,
  body: { amount: t.amount('The amount.', 10) },
  status: 201,
  answer: t.record('Wage', { amount: t.money('The amount.', 10) }),
});
const getWage = endpoint({
  name: 'payroll.get_wage',
  summary: 'Get a wage',
  path: t.inAssociation,
  answer: setWage.answer,
});

const WAGE_FIXED = {
  status: 409,
  en: { title: 'Wage fixed', detail: 'The wage cannot be changed.' },
  fr: { title: 'Salaire fixé', detail: 'Le salaire ne peut être modifié.' },
};
const api = (path: string): ServiceApi => ({
  tags: { Wages: 'What a group pays.' },
  errors: { wage_fixed: WAGE_FIXED },
  routes: [route('POST', path, setWage), route('GET', path, getWage)],
});

/** An older release of this project, or a mistake, may lack members that the document needs. */
function withoutExamples(): Endpoint {
  return { ...getWage, path: {}, examples: undefined } as unknown as Endpoint;
}

/** The limit of what the service pays; more is refused. */
const FIXED = 100;

describe('gateway: routes of further services', () => {
  const gateway = useGateway();
  let seen: { caller: unknown; ctx: CallContext } | undefined;
  const refuse = declareErrors({ wage_fixed: WAGE_FIXED });

  function payroll(declared: unknown, hash: string): ServiceSchema {
    return {
      name: 'payroll',
      metadata: { api_hash: hash },
      actions: {
        describe_api: implementCommand(describeApiCommand('payroll'), () =>
          Promise.resolve({ api: declared as Record<string, unknown> }),
        ),
        set_wage: implement(setWage, ({ body }, caller, ctx) => {
          seen = { caller, ctx };
          ctx.meta.$responseHeaders = { Location: '/wages/1', 'Content-Type': 'text/html', 'Set-Cookie': 'a=b' };
          if (body.amount > FIXED) throw refuse('wage_fixed');
          return Promise.resolve({ amount: body.amount });
        }),
        get_wage: implement(getWage, () => Promise.resolve({ amount: 1 })),
      },
      created() {
        checkCallers(this, testCheck('payroll'));
      },
    };
  }
  /** Runs a release of the service until the function returned is called. */
  async function release(declared: unknown, hash: string): Promise<() => Promise<void>> {
    const service = gateway.broker.createService(payroll(declared, hash));
    await gateway.broker.waitForServices('payroll');
    return () => gateway.broker.destroyService(service);
  }
  const served = (line: string, outcome: string) =>
    eventually(async () => expect(await gateway.outcome(line)).to.equal(outcome));
  const WAGES = `/associations/${SOME}/wages`;

  it('are served as soon as the service runs, and not before', async () => {
    expect(await gateway.outcome(`GET ${WAGES}`)).to.equal('404 not_found');
    const end = await release(api('/associations/:association_id/wages'), 'a');
    await served(`GET ${WAGES}`, '200');
    const { status, body, headers } = await gateway.send(`POST ${WAGES}`, { body: { amount: 5 } });
    expect([status, body]).to.deep.equal([201, { amount: 5 }]);
    expect(headers).to.include.keys('x-request-id', 'traceparent');
    expect(headers).to.include({ location: '/wages/1', 'content-type': 'application/json; charset=utf-8' });
    expect(headers).not.to.have.property('set-cookie');
    await end();
  });

  describe('of a running service', () => {
    let end: () => Promise<void>;
    before(async () => {
      end = await release(api('/associations/:association_id/wages'), 'a');
      await served(`GET ${WAGES}`, '200');
    });
    after(() => end());

    it('need a token, and the service gets its caller signed, and a statement to ask membership with', async () => {
      expect(await gateway.outcome(`GET ${WAGES}`, { token: false })).to.equal('401 token_missing');
      const token = gateway.token({ sub: 'awa', name: 'Awa', scope: 'wages' });
      await gateway.send(`POST ${WAGES}`, { body: { amount: 5 }, token });
      expect(seen?.caller).to.include({ user_id: 'awa', name: 'Awa' });
      expect(Object.keys(seen?.ctx.locals.statements ?? {}).sort()).to.deep.equal(['membership', 'payroll']);
      const input = { association_id: SOME, user_id: 'awa' };
      const asked = {
        ...(seen!.ctx as object),
        locals: seen!.ctx.locals,
        meta: {},
        service: undefined,
      } as unknown as CallContext;
      const check = () => testCheck('membership').ofCommand(asked, authorize, { ...input, permission: 'read' });
      expect(check).not.to.throw();
    });

    it('are called with what the client sent, and refuse it like all others', async () => {
      const { body } = await gateway.send(`POST ${WAGES}`, { body: { amount: -1, other: 1 } });
      expect(body.code).to.equal('validation_failed');
      expect((body.errors as { pointer: string }[]).map(({ pointer }) => pointer)).to.have.members([
        '/amount',
        '/other',
      ]);
      expect(await gateway.outcome(`DELETE ${WAGES}`)).to.equal('405 method_not_allowed');
      expect(await gateway.outcome(`POST ${WAGES}`, { body: 'x', headers: { 'Content-Type': 'text/plain' } })).to.equal(
        '415 unsupported_media_type',
      );
    });

    it('refuse with their own codes, in the language of the client, with a page', async () => {
      const asked = { body: { amount: FIXED + 1 }, headers: { 'Accept-Language': 'fr' } };
      const { status, body } = await gateway.send(`POST ${WAGES}`, asked);
      expect(status).to.equal(409);
      expect(body).to.include({ code: 'wage_fixed', title: 'Salaire fixé', type: '/problems/wage_fixed' });
      expect((await gateway.send('GET //problems/wage_fixed')).status).to.equal(200);
      expect((await gateway.send('GET //problems', { headers: { Accept: 'application/json' } })).text).to.include(
        'wage_fixed',
      );
    });

    it('are in the OpenAPI document', async () => {
      const { body } = await gateway.send('GET //openapi.json');
      const { paths, tags } = body as { paths: Record<string, object>; tags: { name: string }[] };
      expect(Object.keys(paths['/associations/{association_id}/wages'] ?? {})).to.deep.equal(['post', 'get']);
      expect(tags.map(({ name }) => name)).to.include('Wages');
    });
  });

  it('answer that the service is unavailable when it has gone', async () => {
    expect(await gateway.outcome(`GET ${WAGES}`)).to.equal('503 service_unavailable');
    expect((await gateway.send('GET //openapi.json')).text).to.include('/wages');
  });

  it('change with a release that declares others', async () => {
    const end = await release(api('/associations/:association_id/salaries'), 'b');
    await served(`GET /associations/${SOME}/salaries`, '200');
    expect(await gateway.outcome(`GET ${WAGES}`)).to.equal('404 not_found');
    const { text } = await gateway.send('GET //openapi.json');
    expect(text).to.include('/salaries').and.not.to.include('/wages');
    await end();
  });

  it('change the texts of their codes with a release, and not their status', async () => {
    const worded = (entry: object) => ({
      ...api('/associations/:association_id/wages'),
      errors: { wage_fixed: { ...WAGE_FIXED, ...entry } },
    });
    const endWorded = await release(worded({ en: { title: 'Wage fixed', detail: 'It is final.' } }), 'd');
    await eventually(async () => {
      const page = await gateway.send('GET //problems/wage_fixed', { headers: { Accept: 'application/json' } });
      expect(page.body.detail).to.equal('It is final.');
    });
    await endWorded();
    const errors: unknown[] = [];
    const { logger } = gateway.service<{ logger: { error: (...args: unknown[]) => void } }>();
    const log = logger.error;
    logger.error = (...args) => void errors.push(args);
    const end = await release(worded({ status: 403 }), 'e');
    await eventually(() => expect(JSON.stringify(errors)).to.include('had the status 409, which never changes'));
    logger.error = log;
    await end();
  });

  const UNUSABLE: [what: string, declared: ServiceApi, reason: string][] = [
    [
      'take what this project answers',
      api('/associations/:association_id/members'),
      'can match what GET /associations/:association_id/members',
    ],
    [
      'be described',
      { ...api('/associations/:association_id/wages'), routes: [route('GET', '/wages', withoutExamples())] },
      "Cannot read properties of undefined (reading 'answer')",
    ],
  ];
  for (const [what, declared, reason] of UNUSABLE) {
    it(`that cannot ${what} are not served, nor the others of that service`, async () => {
      const errors: unknown[] = [];
      const { logger } = gateway.service<{ logger: { error: (...args: unknown[]) => void } }>();
      const log = logger.error;
      logger.error = (...args) => void errors.push(args);
      const end = await release(declared, what);
      await eventually(() => expect(JSON.stringify(errors)).to.include(reason));
      logger.error = log;
      expect(await gateway.outcome(`GET ${WAGES}`)).to.equal('404 not_found');
      await gateway.outcome(`GET /associations/${SOME}/members`);
      expect(gateway.seen?.action).to.equal('membership.list_members');
      expect((await gateway.send('GET //openapi.json')).status).to.equal(200);
      await end();
    });
  }
});

describe('gateway: a further service without a key', () => {
  it('gets no requests, and the log names the key', async () => {
    const broker = new ServiceBroker({ logger: false, validator: contractValidator() });
    const describe_api = implementCommand(describeApiCommand('payroll'), () => Promise.resolve({ api: {} }));
    broker.createService({ name: 'payroll', metadata: { api_hash: 'a' }, actions: { describe_api } });
    await broker.start();
    const lines: unknown[] = [];
    const logger = { ...quietLog, error: (...line: unknown[]) => void lines.push(line) };
    const further = furtherApis(
      ROUTES,
      () => false,
      () => Promise.resolve(),
    );
    further.start({ broker, logger }, () => undefined);
    await further.learn();
    await further.learn();
    expect(further.current().routes).to.be.empty;
    expect(lines).to.have.length(1);
    expect(JSON.stringify(lines)).to.include('PAYROLL_CALLER_KEY is not set');
    await further.stop();
    await broker.stop();
  });
});

describe('gateway: a further service that does not answer', () => {
  it('is asked again, and the routes of others are served meanwhile', async () => {
    const broker = new ServiceBroker({
      logger: false,
      validator: contractValidator(),
      registry: { strategy: 'Random' },
    });
    const answers = (service: string, answer: () => Promise<{ api: Record<string, unknown> }>) => {
      const describe_api = implementCommand(describeApiCommand(service), answer);
      broker.createService({ name: service, metadata: { api_hash: 'a' }, actions: { describe_api } });
    };
    let hasAnswer = false;
    const away = new Errors.RequestTimeoutError({ action: 'absent.describe_api', nodeID: 'n' });
    answers('absent', () => (hasAnswer ? Promise.resolve({ api: { routes: [] } }) : Promise.reject(away)));
    answers('payroll', () => Promise.resolve({ api: { ...api('/associations/:association_id/wages') } }));
    await broker.start();
    const installed: number[] = [];
    const further = furtherApis(
      ROUTES,
      () => true,
      () => Promise.resolve(),
    );
    further.start({ broker, logger: quietLog }, (routes) => void installed.push(routes.length));
    const failed = await further.learn().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failed).to.be.instanceOf(Errors.RequestTimeoutError);
    expect(further.current().routes.map(({ path }) => path)).to.deep.equal(
      Array(2).fill('/associations/:association_id/wages'),
    );
    hasAnswer = true;
    await eventually(async () => {
      await further.learn();
      expect(installed.at(-1)).to.equal(2);
    });
    await further.stop();
    await broker.stop();
  });
});
