import { expect } from 'chai';
import { Errors } from 'moleculer';
import { answerLocation, answerStatus, implement, implementCommand } from '../../../lib/actions/implement.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { GatewayBench } from '../../support/gateway.ts';

const SOME = '0192f0c0-0000-7000-8000-000000000001';

const NEW = {
  name: 'Njangi',
  type: 'tontine',
  currency: 'XAF',
  contribution_amount: 10_000,
  contribution_frequency: 'monthly',
};

describe('gateway over HTTP', () => {
  let bench: GatewayBench;
  /** What the stub of membership was called with last. */
  let seen: { input: unknown; ctx: CallContext } | undefined;
  let answer: (ctx: CallContext) => unknown = () => ({});

  before(async () => {
    const stub = (name: string) => (input: unknown, ctx: CallContext) => {
      // As it would come over NATS: without members that are undefined.
      seen = { input: JSON.parse(JSON.stringify(input)), ctx };
      return Promise.resolve(answer(ctx)).then((value) => ({ from: name, ...(value as object) }) as never);
    };
    const take = (contract: Parameters<typeof implement>[0]) =>
      implement(contract, (input, _caller, ctx) => stub(contract.name)(input, ctx));
    bench = await GatewayBench.start([
      {
        name: 'membership',
        actions: {
          create_association: take(membership.createAssociation),
          my_associations: take(membership.myAssociations),
          get_association: take(membership.getAssociation),
          list_members: take(membership.listMembers),
          leave: take(membership.leaveAssociation),
          set_pin: take(membership.setPin),
          pin_keys: take(membership.pinKeys),
          accept_invitation: take(membership.acceptInvitation),
          join: take(membership.joinAssociation),
          health: implementCommand(membership.health, () => Promise.resolve({ ok: true })),
        },
      },
      {
        name: 'treasury',
        actions: {
          deposit: take(treasury.depositToWallet),
          health: implementCommand(treasury.health, () => Promise.resolve({ ok: true })),
        },
      },
    ]);
  });
  after(() => bench.stop());
  afterEach(() => {
    answer = () => ({});
    seen = undefined;
  });

  function fails(error: () => unknown): void {
    answer = () => {
      throw error() as Error;
    };
  }

  describe('answers', () => {
    it('with the status of the contract and the JSON of the action', async () => {
      const reply = await bench.send('GET /associations/my');
      expect(reply.status).to.equal(200);
      expect(reply.body).to.deep.equal({ from: 'membership.my_associations' });
      expect(reply.headers).to.include({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      expect(reply.headers).to.not.have.property('x-powered-by');
    });

    it('with 201 and the Location that the action names', async () => {
      answer = (ctx) => {
        answerLocation(ctx, `/associations/${SOME}`);
      };
      const reply = await bench.send('POST /associations', { body: NEW });
      expect(reply.status).to.equal(201);
      expect(reply.headers.location).to.equal(`/association-service/api/v1/associations/${SOME}`);
    });

    it('with the status that the action chose', async () => {
      answer = (ctx) => {
        answerStatus(ctx, 202);
      };
      expect((await bench.send('POST /associations', { body: NEW })).status).to.equal(202);
    });

    it('with 204 and nothing', async () => {
      const reply = await bench.send(`DELETE /associations/${SOME}/members/me`);
      expect(reply).to.include({ status: 204, text: '' });
      expect(reply.headers).to.not.have.any.keys('content-type', 'content-length');
    });

    it('with a link to the next page that keeps the filters', async () => {
      answer = () => ({ next_cursor: 'abc+/' });
      const reply = await bench.send(`GET /associations/${SOME}/members?role=member&limit=1&cursor=old`);
      expect(reply.headers.link).to.equal(
        `</association-service/api/v1/associations/${SOME}/members?role=member&limit=1&cursor=abc%2B%2F>; rel="next"`,
      );
      answer = () => ({ next_cursor: null });
      expect((await bench.send(`GET /associations/${SOME}/members`)).headers).to.not.have.property('link');
    });

    it('HEAD as it does GET, without the body', async () => {
      const reply = await bench.send('HEAD /associations/my');
      expect(reply).to.include({ status: 200, text: '' });
    });

    it('calls the action with path, query and body, and with who asks', async () => {
      await bench.send(`GET /associations/${SOME.toUpperCase()}/members?role=President&limit=7`, {
        token: bench.token({ sub: 'ngozi', name: 'Ngozi', scope: 'pins:reset  wallets:fund' }),
      });
      expect(seen?.input).to.deep.equal({
        path: { association_id: SOME },
        query: { limit: 7, role: 'president' },
        body: {},
      });
      expect(seen?.ctx.meta.caller).to.deep.equal({
        user_id: 'ngozi',
        name: 'Ngozi',
        scopes: ['pins:reset', 'wallets:fund'],
      });
    });

    it('takes no body for one whose fields are all optional', async () => {
      expect((await bench.send(`POST /associations/${SOME}/join`)).status).to.equal(201);
      expect(seen?.input).to.deep.include({ body: { hands: 1 } });
    });

    it('decodes the path, and trims one slash at its end', async () => {
      await bench.send('POST /invitations/a%2Fb%20c/accept/');
      expect(seen?.input).to.deep.include({ path: { code: 'a/b c' } });
    });
  });

  describe('request ids', () => {
    it('echoes a sane one and hands it on', async () => {
      const reply = await bench.send('GET /associations/my', { headers: { 'X-Request-Id': 'abc-123' } });
      expect(reply.headers['x-request-id']).to.equal('abc-123');
      expect(seen?.ctx.requestID).to.equal('abc-123');
    });

    it('makes one where there is none, or none that could be echoed', async () => {
      for (const headers of [{}, { 'X-Request-Id': 'a b' }, { 'X-Request-Id': 'x'.repeat(129) }]) {
        const reply = await bench.send('GET /nothing', { headers });
        expect(reply.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
        expect(reply.body.request_id).to.equal(reply.headers['x-request-id']);
      }
    });

    it('ignores X-Correlation-Id, which nobody promised', async () => {
      const reply = await bench.send('GET /associations/my', { headers: { 'X-Correlation-Id': 'abc' } });
      expect(reply.headers['x-request-id']).to.not.equal('abc');
    });

    it('hands a well-formed traceparent on', async () => {
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      await bench.send('GET /associations/my', { headers: { traceparent } });
      expect(seen?.ctx.meta).to.include({ traceparent });
      await bench.send('GET /associations/my', { headers: { traceparent: '00-0-0-01' } });
      expect(seen?.ctx.meta).to.not.have.property('traceparent');
    });
  });

  describe('refuses', () => {
    it('a call without a token, before anything else', async () => {
      const reply = await bench.send('POST /associations', { token: false, body: '{' });
      expect(reply.status).to.equal(401);
      expect(reply.body).to.include({ code: 'token_missing', type: '/problems/token_missing', status: 401 });
      expect(reply.headers['www-authenticate']).to.equal('Bearer realm="association-service"');
      expect(seen).to.equal(undefined);
    });

    it('a bad token and an old one, saying so as RFC 6750 does', async () => {
      const bad = await bench.send('GET /associations/my', { token: bench.token({}, 'another secret') });
      expect([bad.status, bad.body.code]).to.deep.equal([401, 'token_invalid']);
      expect(bad.headers['www-authenticate']).to.contain('error="invalid_token"');
      const old = await bench.send('GET /associations/my', { token: bench.token({ exp: 1 }) });
      expect([old.status, old.body.code]).to.deep.equal([401, 'token_expired']);
    });

    it('nobody the PIN keys', async () => {
      expect((await bench.send('GET /keys/pin', { token: false })).status).to.equal(200);
    });

    it('paths that are not there, with a token or without', async () => {
      for (const line of ['GET /nothing', 'GET //', 'GET //health', 'GET //favicon.ico', 'GET /Associations/my']) {
        const reply = await bench.send(line, { token: false });
        expect([line, reply.status, reply.body.code]).to.deep.equal([line, 404, 'not_found']);
        expect(reply.headers['content-type']).to.contain('application/problem+json');
      }
    });

    it('paths that are not well encoded, as there is nothing by that name', async () => {
      for (const line of ['GET /associations/%', 'GET /associations/%E0%A4%A', 'PUT /associations/%ff/members']) {
        const reply = await bench.send(line);
        expect([line, reply.status, reply.body.code]).to.deep.equal([line, 404, 'not_found']);
      }
    });

    it('ids that break the rules of a path, as there is nothing by that name', async () => {
      const reply = await bench.send(`POST /invitations/${'x'.repeat(257)}/accept`);
      expect([reply.status, reply.body.code]).to.deep.equal([404, 'not_found']);
    });

    it('other methods, naming those that there are', async () => {
      const reply = await bench.send('PATCH /associations/my');
      expect([reply.status, reply.body.code]).to.deep.equal([405, 'method_not_allowed']);
      expect(reply.headers.allow?.split(', ')).to.have.members(['GET', 'HEAD']);
    });

    it('a preflight, which moleculer-web would take for the request itself', async () => {
      const headers = { 'Access-Control-Request-Method': 'POST', Origin: 'https://example.com' };
      const reply = await bench.send('OPTIONS /associations', { headers });
      expect(reply.status).to.equal(405);
      expect((await bench.send('OPTIONS /associations/my')).status).to.equal(405);
      expect(seen).to.equal(undefined);
    });

    it('bodies of another type', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', '']) {
        const reply = await bench.send('POST /associations', { body: NEW, headers: { 'Content-Type': type } });
        expect([type, reply.status, reply.body.code]).to.deep.equal([type, 415, 'unsupported_media_type']);
      }
      const headers = { 'Content-Type': 'Application/JSON;charset="UTF-8"' };
      expect((await bench.send('POST /associations', { body: NEW, headers })).status).to.equal(201);
      const zipped = await bench.send('POST /associations', { body: NEW, headers: { 'Content-Encoding': 'gzip' } });
      expect(zipped.status).to.equal(415);
    });

    it('malformed bodies', async () => {
      for (const body of [
        '{',
        '[]',
        '7',
        'null',
        '""',
        '{"name":}',
        ' ',
        Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
      ]) {
        const reply = await bench.send('POST /associations', { body });
        expect([String(body), reply.status, reply.body.code]).to.deep.equal([String(body), 400, 'malformed_json']);
      }
    });

    it('bodies nested beyond reason', async () => {
      for (const depth of [40, 30_000]) {
        const body = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
        const reply = await bench.send('POST /associations', { body });
        expect([depth, reply.status, reply.body.code]).to.deep.equal([depth, 400, 'malformed_json']);
      }
    });

    it('bodies over 64 KiB, with or without a length, and lives on', async () => {
      const fits = JSON.stringify({ ...NEW, description: '' });
      const exactly = JSON.stringify({ ...NEW, description: 'x'.repeat(65_536 - fits.length) });
      expect((await bench.send('POST /associations', { body: exactly })).status).to.equal(422);
      for (const chunked of [false, true]) {
        for (const size of [65_537, 3_000_000]) {
          const reply = await bench.send('POST /associations', { body: Buffer.alloc(size, 'x'), chunked });
          expect([size, reply.status, reply.body.code]).to.deep.equal([size, 413, 'body_too_large']);
          expect(reply.headers.connection).to.equal('close');
        }
      }
    });

    it('a body over 64 KiB that never ends', async () => {
      const reply = await new Promise<{ status: number }>((resolve, reject) => {
        const sending = { body: '', chunked: true };
        const outgoing = bench.open('POST /associations', sending, resolve, reject);
        outgoing.write(Buffer.alloc(70_000, 'x'));
      });
      expect(reply.status).to.equal(413);
    });

    it('amounts that a double would round', async () => {
      for (const text of ['10000.0000000000000001', '9007199254740993', '1e400', '1e-400']) {
        const body = JSON.stringify(NEW).replace('10000', text);
        const reply = await bench.send('POST /associations', { body });
        expect([text, reply.status, reply.body.code]).to.deep.equal([text, 422, 'amount_precision']);
        expect(reply.body.errors).to.have.nested.property('[0].pointer', '/contribution_amount');
      }
      const body = JSON.stringify(NEW).replace('10000', '1e3');
      expect((await bench.send('POST /associations', { body })).status).to.equal(201);
      expect(seen?.input).to.have.nested.property('body.contribution_amount', 1_000);
    });
  });

  describe('names what is wrong with a field', () => {
    async function errorsOf(body: unknown): Promise<unknown> {
      const reply = await bench.send('POST /associations', { body });
      expect([reply.status, reply.body.code]).to.deep.equal([422, 'validation_failed']);
      return (reply.body.errors as { pointer: string; code: string }[]).map(
        ({ pointer, code }) => `${pointer} ${code}`,
      );
    }

    it('by pointer, also within objects', async () => {
      const rules = { shortfall: 'perhaps', approvals: { motion: 99 } };
      expect(await errorsOf({ ...NEW, name: '', is_public: 'yes', rules })).to.have.members([
        '/name too_short',
        '/is_public type',
        '/rules/shortfall not_allowed',
        '/rules/approvals/motion too_large',
      ]);
    });

    it('when it is missing or null', async () => {
      expect(await errorsOf({ ...NEW, name: undefined })).to.deep.equal(['/name required']);
      expect(await errorsOf({ ...NEW, name: null })).to.have.length(1);
    });

    it('when it is unknown, each by its own name', async () => {
      const strange = { 'a, b': 1, 'x/y~z': 2, __proto__x: 3 };
      expect(await errorsOf({ ...NEW, ...strange })).to.have.members([
        '/a, b unknown',
        '/x~1y~0z unknown',
        '/__proto__x unknown',
      ]);
      expect(await errorsOf(`{"__proto__":{"name":"x"},${JSON.stringify(NEW).slice(1)}`)).to.deep.equal([
        '/__proto__ unknown',
      ]);
    });

    it('in the query, by its name', async () => {
      const reply = await bench.send('GET /associations/my?limit=0&limits=3&cursor=a&cursor=b');
      const errors = reply.body.errors as { pointer: string }[];
      expect(errors.map((error) => error.pointer)).to.have.members(['limit', 'limits', 'cursor']);
    });

    it('without repeating what was sent', async () => {
      const reply = await bench.send('PUT /me/pin', { body: { pin: ['geheim'], current_pin: { a: 'geheim' } } });
      expect(reply.status).to.equal(422);
      expect(reply.text).to.not.contain('geheim');
    });

    it('and takes no fields where there are none to take', async () => {
      const reply = await bench.send(`POST /associations/${SOME}/join`, { body: { hands: 1, more: 2 } });
      expect(reply.body.errors).to.have.nested.property('[0].pointer', '/more');
    });
  });

  describe('tells a failed call', () => {
    it('as the refusal that it is, with its extras, but never over the standard members', async () => {
      fails(() => problem('contribution_exceeds_due', { outstanding: 5, status: 200, code: 'fine' }));
      const reply = await bench.send('POST /associations?secret=1', { body: NEW });
      expect(reply.status).to.equal(422);
      const again = await bench.send('POST /associations', { body: NEW });
      expect(again.status).to.equal(409);
      expect(again.headers['content-type']).to.equal('application/problem+json');
      expect(again.body).to.include({
        type: '/problems/contribution_exceeds_due',
        status: 409,
        code: 'contribution_exceeds_due',
        outstanding: 5,
        instance: '/association-service/api/v1/associations',
      });
      expect(again.body).to.include.keys('title', 'detail', 'request_id');
    });

    it('with Retry-After where the PIN is locked', async () => {
      fails(() => problem('pin_locked', { retry_after_s: 900 }));
      const reply = await bench.send('PUT /me/pin', { body: { pin: 'x' } });
      expect(reply.status).to.equal(423);
      expect(reply.headers['retry-after']).to.equal('900');
    });

    it('with the missing scope', async () => {
      fails(() => problem('insufficient_scope', { required_scopes: ['wallets:fund'] }));
      const reply = await bench.send('POST /wallets/w/deposits', { body: { amount: 1, reference: 'r' } });
      expect(reply.status).to.equal(403);
      expect(reply.headers['www-authenticate']).to.contain('error="insufficient_scope", scope="wallets:fund"');
    });

    it('as unavailable where the service is away', async () => {
      for (const line of [`GET /associations/${SOME}/cycles`, `POST /associations/${SOME}/meetings/${SOME}/settle`]) {
        const reply = await bench.send(line);
        expect([reply.status, reply.body.code]).to.deep.equal([503, 'service_unavailable']);
        expect(reply.headers['retry-after']).to.equal('1');
      }
    });

    it('as unknown where a write took too long, as unavailable where a read did', async () => {
      answer = () => new Promise(() => undefined);
      const [write, read] = await Promise.all([
        bench.send('POST /associations', { body: NEW }),
        bench.send('GET /associations/my'),
      ]);
      expect([write.status, write.body.code]).to.deep.equal([503, 'outcome_unknown']);
      expect([read.status, read.body.code]).to.deep.equal([503, 'service_unavailable']);
    });

    it('as unknown where the node of a write went away', async () => {
      fails(() => new Errors.RequestRejectedError({ action: 'a', nodeID: 'n' }));
      expect((await bench.send('POST /associations', { body: NEW })).body.code).to.equal('outcome_unknown');
    });

    it('as our own fault otherwise, showing nothing of it', async () => {
      fails(() => new Error('SELECT secrets FROM db.internal'));
      const reply = await bench.send('GET /associations/my');
      expect([reply.status, reply.body.code]).to.deep.equal([500, 'internal_error']);
      expect(reply.text).to.not.match(/SELECT|internal\b.*db|at .*\.ts/);
    });
  });

  describe('health', () => {
    it('is live by itself', async () => {
      const reply = await bench.send('GET //health/live', { token: false });
      expect([reply.status, reply.body]).to.deep.equal([200, { status: 'live' }]);
    });

    it('is ready once every service is', async () => {
      const away = await bench.send('GET //health/ready', { token: false });
      expect([away.status, away.body.code]).to.deep.equal([503, 'service_unavailable']);
      expect(away.body.services).to.deep.equal({
        membership: 'up',
        treasury: 'up',
        contribution: 'down',
        governance: 'down',
        nats: 'up',
      });
      for (const [name, contract] of Object.entries({ contribution, governance })) {
        const health = implementCommand(contract.health, () => Promise.resolve({ ok: true }));
        bench.broker.createService({ name, actions: { health } });
      }
      await bench.broker.waitForServices(['contribution', 'governance']);
      await new Promise((resolve) => setTimeout(resolve, 600));
      const reply = await bench.send('GET //health/ready', { token: false });
      expect([reply.status, reply.body.status]).to.deep.equal([200, 'ready']);
    });
  });
});
