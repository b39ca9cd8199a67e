import { expect } from 'chai';
import { answerLocation, answerStatus } from '../../../lib/service/implement.ts';
import { NEW, SOME, useGateway } from '../../harness/gateway.ts';

const BASE = '/association-service/api/v1';
const ONE = `GET /associations/${SOME}`;
const HEAD = ONE.replace('GET', 'HEAD');

describe('gateway: answers', () => {
  const gateway = useGateway();

  it('have the documented status and the JSON that the action returns', async () => {
    const reply = await gateway.send('GET /associations/my');
    expect([reply.status, reply.body]).to.deep.equal([200, { from: 'membership.my_associations' }]);
    expect(reply.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(reply.headers).to.not.have.property('x-powered-by');
    expect(await gateway.send('HEAD /associations/my')).to.include({ status: 200, text: '' });
    const left = await gateway.send(`DELETE /associations/${SOME}/members/me`);
    expect(left).to.include({ status: 204, text: '' });
    expect(left.headers).to.not.have.any.keys('content-type', 'content-length');
  });

  it('have the status and the headers that the action sets', async () => {
    gateway.answer = ({ ctx }) => {
      answerLocation(ctx, `/associations/${SOME}`);
      answerStatus(ctx, 202);
      ctx.meta.$responseHeaders = { ...ctx.meta.$responseHeaders, 'Idempotency-Replayed': 'true' };
    };
    const { status, headers } = await gateway.send('POST /associations', { body: NEW });
    expect(status).to.equal(202);
    expect(headers).to.include({ location: `${BASE}/associations/${SOME}`, 'idempotency-replayed': 'true' });
  });

  it('link to the next page of a list, with the same filters', async () => {
    gateway.answer = () => ({ next_cursor: 'abc+/' });
    const reply = await gateway.send(`${ONE}/members?role=member&limit=1&cursor=old`);
    expect(reply.headers.link).to.equal(
      `<${BASE}/associations/${SOME}/members?role=member&limit=1&cursor=abc%2B%2F>; rel="next"`,
    );
    gateway.answer = () => ({ next_cursor: null });
    expect((await gateway.send(`${ONE}/members`)).headers).to.not.have.property('link');
  });

  it('come from an action that receives the path, query and body as validated, and the caller', async () => {
    await gateway.send(`GET /associations/${SOME.toUpperCase()}/members?role=President&limit=7`, {
      token: gateway.token({ sub: 'ngozi', name: 'Ngozi', scope: 'pins:reset  wallets:fund' }),
    });
    expect(gateway.seen?.input).to.deep.equal({
      path: { association_id: SOME },
      query: { limit: 7, role: 'president' },
      body: {},
    });
    const caller = { user_id: 'ngozi', name: 'Ngozi', scopes: ['pins:reset', 'wallets:fund'] };
    expect(gateway.seen?.ctx.meta.caller).to.deep.equal(caller);
    expect(await gateway.outcome(`POST /associations/${SOME}/join`), 'no body, all fields optional').to.equal('201');
    expect(gateway.seen?.input).to.deep.include({ body: { hands: 1 } });
    await gateway.send('POST /invitations/a%2Fb%20c/accept/');
    expect(gateway.seen?.input).to.deep.include({ path: { code: 'a/b c' } });
  });
});

describe('gateway: entity tags of single resources', () => {
  const gateway = useGateway();
  const tagOf = async (line = ONE) => (await gateway.send(line)).headers.etag ?? '';

  it('identify the answered state strongly, for GET and HEAD', async () => {
    const { headers } = await gateway.send(ONE);
    expect(headers.etag).to.match(/^"[\x21\x23-\x7e]+"$/);
    expect(headers['cache-control']).to.equal('private, no-cache');
    for (const line of [ONE, HEAD]) expect(await tagOf(line)).to.equal(headers.etag);
    gateway.answer = () => ({ changed: true });
    expect(await tagOf()).to.not.equal(headers.etag);
  });

  it('let a client that has the current state get 304, and others 200', async () => {
    const tag = await tagOf();
    // Fetch adds `Cache-Control: no-cache` when its caller sets `If-None-Match`.
    for (const more of [{}, { 'Cache-Control': 'no-cache' }]) {
      for (const header of [tag, `W/${tag}`, `"a", ${tag},W/"b"`, '*']) {
        const reply = await gateway.send(ONE, { headers: { 'If-None-Match': header, ...more } });
        expect([header, reply.status, reply.text]).to.deep.equal([header, 304, '']);
        expect(reply.headers).to.include({ etag: tag, 'cache-control': 'private, no-cache' });
        expect(reply.headers).to.include.keys('x-request-id', 'traceparent', 'date');
        expect(reply.headers).to.not.have.any.keys('content-type', 'content-length');
      }
    }
    expect(await gateway.outcome(HEAD, { headers: { 'If-None-Match': tag } })).to.equal('304');
    for (const header of ['"other"', `${tag}x`, 'x', '']) {
      expect(await gateway.outcome(ONE, { headers: { 'If-None-Match': header } }), header).to.equal('200');
    }
  });

  it('are absent from lists, writes and refusals, which are `no-store`', async () => {
    for (const [line, body] of [
      ['GET /associations/my', undefined],
      ['POST /associations', NEW],
      ['GET /nothing', undefined],
    ] as const) {
      const { headers } = await gateway.send(line, { body, headers: { 'If-None-Match': '*' } });
      expect(headers).to.include({ 'cache-control': 'no-store' }).and.not.have.property('etag');
    }
  });
});

describe('gateway: changes of single resources', () => {
  const gateway = useGateway({ services: ['membership', 'contribution'] });
  const CHANGES = [
    [`PATCH /associations/${SOME}`, { name: 'New' }],
    [`PATCH /associations/${SOME}/members/me`, { hands: 2 }],
    [`PATCH /associations/${SOME}/meetings/${SOME}`, { title: 'New' }],
  ] as const;

  it('are answered with the entity tag that a read of the same state has', async () => {
    gateway.answer = () => ({ name: 'New' });
    const { headers } = await gateway.send(ONE);
    for (const [line, body] of CHANGES) {
      const changed = await gateway.send(line, { body, headers: { 'If-None-Match': headers.etag ?? '' } });
      expect([changed.status, changed.headers.etag]).to.deep.equal([200, headers.etag]);
      expect(changed.headers).to.include({ 'cache-control': 'no-store' });
    }
  });

  it('pass their If-Match on to the service, and other operations ignore it', async () => {
    for (const [line, body] of CHANGES) {
      for (const [header, tags] of [
        ['"a", W/"b,c"', ['"a"', 'W/"b,c"']],
        ['*', '*'],
      ] as const) {
        await gateway.send(line, { body, headers: { 'If-Match': header } });
        expect(gateway.seen?.ctx.meta.if_match, line).to.deep.equal(tags);
        gateway.reset();
      }
      await gateway.send(line, { body, headers: { 'If-Match': ['"a"', '"b"'] as unknown as string } });
      expect(gateway.seen?.ctx.meta.if_match, line).to.deep.equal(['"a"', '"b"']);
      await gateway.send(line, { body });
      expect(gateway.seen?.ctx.meta, line).to.not.have.property('if_match');
    }
    for (const [line, body] of [
      [ONE, undefined],
      ['POST /associations', NEW],
      ['PUT /me/pin', { pin: 'x' }],
      [`DELETE /associations/${SOME}/members/me`, undefined],
    ] as const) {
      for (const header of ['"a"', 'not a tag']) {
        expect(await gateway.outcome(line, { body, headers: { 'If-Match': header } }), line).to.match(/^20/);
        expect(gateway.seen?.ctx.meta, line).to.not.have.property('if_match');
      }
    }
  });

  it('are refused with a malformed If-Match, which is checked after the Idempotency-Key', async () => {
    const [line, body] = CHANGES[0];
    for (const header of ['', 'x', '"a" "b"', '*, "a"']) {
      const reply = await gateway.send(line, { body, headers: { 'If-Match': header } });
      expect([header, reply.status, reply.body.code]).to.deep.equal([header, 422, 'validation_failed']);
      expect(reply.body.errors).to.have.nested.property('[0].pointer', 'If-Match');
    }
    const { body: both } = await gateway.send(line, { body, headers: { 'If-Match': 'x', 'Idempotency-Key': '' } });
    expect(both.errors).to.have.nested.property('[0].pointer', 'Idempotency-Key');
    expect(gateway.seen).to.equal(undefined);
  });
});

describe('gateway: the Idempotency-Key', () => {
  const gateway = useGateway();
  const keyed = (line: string, key: string, body?: unknown) =>
    gateway.outcome(line, { headers: { 'Idempotency-Key': key }, ...(body === undefined ? {} : { body }) });

  it('is passed to the service with the method and path of every write that has a key, but not of reads', async () => {
    const association = `/associations/${SOME}`;
    for (const [method, path, body] of [
      ['POST', '/associations', NEW],
      ['POST', `${association}/join`, undefined],
      ['PATCH', `${association}/members/me`, { hands: 2 }],
      ['DELETE', `${association}/members/me`, undefined],
      ['PUT', '/me/pin', { pin: 'x' }],
    ] as const) {
      await keyed(`${method} ${path}`, 'k-1', body);
      const expected = { key: 'k-1', method, path: `${BASE}${path}` };
      expect(gateway.seen?.ctx.meta.idempotency, path).to.deep.equal(expected);
      gateway.reset();
    }
    for (const [line, key, body] of [
      ['GET /associations/my', 'not a key', undefined],
      ['POST /associations', undefined, NEW],
    ] as const) {
      await gateway.send(line, { body, headers: key === undefined ? {} : { 'Idempotency-Key': key } });
      expect(gateway.seen?.ctx.meta, line).to.not.have.property('idempotency');
    }
  });

  it('is bound to the same path regardless of its spelling', async () => {
    const lower = `/associations/${SOME.replace('0192f0c0', '0192f0cc')}/join`;
    const upper = lower.toUpperCase().replace('ASSOCIATIONS', 'associations').replace('JOIN', 'join');
    for (const path of [lower, upper, `${lower}/`, lower.replace('0192', '%30192')]) {
      await keyed(`POST ${path}`, 'k');
      expect(gateway.seen?.ctx.meta.idempotency?.path, path).to.equal(`${BASE}${lower}`);
      gateway.reset();
    }
    await keyed('POST /invitations/a%2Fb%20c/accept', 'k');
    expect(gateway.seen?.ctx.meta.idempotency?.path).to.match(/\/invitations\/a%2Fb%20c\/accept$/);
  });

  it('must be a single well-formed value, which is checked after the token and the syntax of the body', async () => {
    for (const key of ['', 'a b', 'caf\u00e9', ['a', 'a'] as unknown as string]) {
      const reply = await gateway.send('POST /associations', { headers: { 'Idempotency-Key': key }, body: NEW });
      expect([key, reply.status, reply.body.code]).to.deep.equal([key, 422, 'validation_failed']);
      expect(reply.body.errors).to.have.nested.property('[0].pointer', 'Idempotency-Key');
    }
    const outcome = (sending: object) =>
      gateway.outcome('POST /associations', { headers: { 'Idempotency-Key': '' }, ...sending });
    expect(await outcome({ body: NEW, token: false })).to.equal('401 token_missing');
    expect(await outcome({ body: '{' })).to.equal('400 malformed_json');
    expect(gateway.seen).to.equal(undefined);
  });
});

describe('gateway: request ids and traces', () => {
  const gateway = useGateway();
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

  it('echo and pass on a well-formed request id, and create an id otherwise', async () => {
    const reply = await gateway.send('GET /associations/my', { headers: { 'X-Request-Id': 'abc-123' } });
    expect([reply.headers['x-request-id'], gateway.seen?.ctx.requestID]).to.deep.equal(['abc-123', 'abc-123']);
    for (const headers of [{}, { 'X-Request-Id': 'a b' }, { 'X-Correlation-Id': 'abc' }]) {
      const made = await gateway.send('GET /nothing', { headers });
      expect(made.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
      expect(made.body.request_id).to.equal(made.headers['x-request-id']);
    }
  });

  it("continue the client's trace in a new span, with its flags and state", async () => {
    const headers = { traceparent: PARENT, tracestate: 'rojo=00f067aa0ba902b7,congo=t61' };
    const reply = await gateway.send('GET /associations/my', { headers });
    const { traceparent, tracestate } = gateway.seen?.ctx.meta ?? {};
    expect(traceparent).to.match(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(traceparent).to.not.equal(PARENT);
    expect(tracestate).to.equal(headers.tracestate);
    expect(reply.headers).to.include({ traceparent, tracestate });
    await gateway.send('GET /associations/my', { headers });
    expect(gateway.seen?.ctx.meta.traceparent).to.not.equal(traceparent);
  });

  it('begin a new trace, without trace state, if the client sends no well-formed trace', async () => {
    for (const headers of [{}, { traceparent: '00-0-0-01', tracestate: 'a=b' }]) {
      const reply = await gateway.send('GET /associations/my', { headers });
      expect(reply.headers.traceparent).to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
      for (const place of [gateway.seen?.ctx.meta, reply.headers]) expect(place).to.not.have.property('tracestate');
    }
  });

  it('are on every answer, including pages and refusals', async () => {
    for (const line of ['GET //health/live', 'GET /nothing', 'POST /associations', 'PATCH /associations/my']) {
      const reply = await gateway.send(line, { token: false, headers: { traceparent: PARENT } });
      expect(reply.headers.traceparent, line).to.contain(TRACE);
      expect(reply.headers['x-request-id'], line).to.match(/^[0-9a-f-]{36}$/);
    }
  });
});
