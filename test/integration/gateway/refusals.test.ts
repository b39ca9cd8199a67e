import { expect } from 'chai';
import fc from 'fast-check';
import { Errors } from 'moleculer';
import { problem } from '../../../lib/errors/problem.ts';
import { NEW, SOME, useGateway } from '../../harness/gateway.ts';

describe('gateway: refuses', () => {
  const gateway = useGateway();
  const create = (body: unknown, headers = {}) => gateway.outcome('POST /associations', { body, headers });

  it('a call without a valid token, before anything else, as RFC 6750 says', async () => {
    const missing = await gateway.send('POST /associations', { token: false, body: '{' });
    expect(missing.body).to.include({ code: 'token_missing', type: '/problems/token_missing', status: 401 });
    expect(missing.headers['www-authenticate']).to.equal('Bearer realm="association-service"');
    const bad = await gateway.send('GET /associations/my', { token: gateway.token({}, 'another secret') });
    expect([bad.status, bad.body.code]).to.deep.equal([401, 'token_invalid']);
    expect(bad.headers['www-authenticate']).to.contain('error="invalid_token"');
    const old = gateway.token({ exp: 1 });
    expect(await gateway.outcome('GET /associations/my', { token: old })).to.equal('401 token_expired');
    expect(gateway.seen).to.equal(undefined);
    expect(await gateway.outcome('GET /keys/pin', { token: false }), 'the PIN keys are for all').to.equal('200');
  });

  it('paths that name nothing, with a token or without', async () => {
    for (const line of [
      ...['GET /nothing', 'GET //health', 'GET //favicon.ico', 'GET /Associations/my'],
      ...['GET /associations/%', 'GET /associations/%E0%A4%A', 'PUT /associations/%ff/members'],
    ]) {
      const reply = await gateway.send(line, { token: false });
      expect([line, reply.status, reply.body.code]).to.deep.equal([line, 404, 'not_found']);
      expect(reply.headers['content-type']).to.contain('application/problem+json');
    }
    expect(await gateway.outcome(`POST /invitations/${'x'.repeat(257)}/accept`)).to.equal('404 not_found');
  });

  it('other methods, naming those that the path has; OPTIONS that is no preflight as well', async () => {
    const preflight = { 'Access-Control-Request-Method': 'POST' };
    for (const [line, allowed] of [
      ['PATCH /associations/my', 'GET, HEAD'],
      ['OPTIONS /associations', 'GET, HEAD, POST'],
      ['OPTIONS /associations/my', 'GET, HEAD'],
      ['OPTIONS /me/pin', 'PUT'],
      ['OPTIONS //health/live', 'GET, HEAD'],
      ['POST //problems', 'GET, HEAD'],
    ] as const) {
      for (const headers of [preflight, {}, { 'Access-Control-Request-Method': 'PUT' }]) {
        const reply = await gateway.send(line, { headers });
        const methods = reply.headers.allow?.split(', ').toSorted().join(', ');
        expect([line, reply.status, reply.body.code, methods]).to.deep.equal([
          line,
          405,
          'method_not_allowed',
          allowed,
        ]);
      }
    }
    expect(gateway.seen).to.equal(undefined);
  });

  it('bodies that are not JSON in UTF-8', async () => {
    for (const type of ['text/plain', 'application/json; charset=latin1', '']) {
      expect(await create(NEW, { 'Content-Type': type }), type).to.equal('415 unsupported_media_type');
    }
    expect(await create(NEW, { 'Content-Encoding': 'gzip' })).to.equal('415 unsupported_media_type');
    expect(await create(NEW, { 'Content-Type': 'Application/JSON;charset="UTF-8"' })).to.equal('201');
  });

  it('malformed bodies, and those that are nested too deep', async () => {
    const nested = [40, 30_000].map((depth) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    const invalidUtf8 = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]);
    for (const body of ['{', '[]', '7', 'null', '""', '{"name":}', ' ', invalidUtf8, ...nested]) {
      expect(await create(body), String(body).slice(0, 20)).to.equal('400 malformed_json');
    }
  });

  it('bodies over 64 KiB, with or without a length or an end, and lives on', async () => {
    const empty = JSON.stringify({ ...NEW, description: '' });
    const exactly = JSON.stringify({ ...NEW, description: 'x'.repeat(65_536 - empty.length) });
    expect(await create(exactly)).to.equal('422 validation_failed');
    for (const chunked of [false, true]) {
      for (const size of [65_537, 3_000_000]) {
        const reply = await gateway.send('POST /associations', { body: Buffer.alloc(size, 'x'), chunked });
        expect([size, reply.status, reply.body.code]).to.deep.equal([size, 413, 'body_too_large']);
        expect(reply.headers.connection).to.equal('close');
      }
    }
    const endless = await new Promise<{ status: number }>((resolve, reject) => {
      const outgoing = gateway.open('POST /associations', { body: '', chunked: true }, resolve, reject);
      outgoing.write(Buffer.alloc(70_000, 'x'));
    });
    expect(endless.status).to.equal(413);
  });

  it('amounts that a double would round', async () => {
    const withAmount = (text: string) => JSON.stringify(NEW).replace('10000', text);
    for (const text of ['10000.0000000000000001', '9007199254740993', '1e400', '1e-400']) {
      const reply = await gateway.send('POST /associations', { body: withAmount(text) });
      expect([text, reply.status, reply.body.code]).to.deep.equal([text, 422, 'amount_precision']);
      expect(reply.body.errors).to.have.nested.property('[0].pointer', '/contribution_amount');
    }
    expect(await create(withAmount('1e3'))).to.equal('201');
    expect(gateway.seen?.input).to.have.nested.property('body.contribution_amount', 1_000);
  });

  it('any bytes with no more than a bad request', async () => {
    const bytes = fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array));
    // Bodies that come near to a valid one, which random bytes never do.
    const names = ['name', 'type', 'currency', 'amount', 'reference', 'pin', 'rules', '__proto__'];
    const values = ['tontine', 'XAF', 1, -1, 0.1, 1e300, '\u0000', '\ud800'];
    const nearMiss = fc
      .dictionary(
        fc.oneof(fc.constantFrom(...names), fc.string()),
        fc.oneof(fc.jsonValue(), fc.constantFrom(...values)),
      )
      .map((value) => Buffer.from(JSON.stringify(value)));
    const writes = fc.constantFrom('POST /associations', 'PUT /me/pin', 'POST /wallets/w/deposits');
    await fc.assert(
      fc.asyncProperty(writes, fc.oneof(bytes, nearMiss), fc.boolean(), async (line, body, chunked) => {
        expect((await gateway.send(line, { body, chunked })).status).to.be.lessThan(500);
      }),
      { numRuns: 500 },
    );
  });
});

describe('gateway: names what is wrong with a field', () => {
  const gateway = useGateway();
  const french = { 'Accept-Language': 'fr-CM, fr;q=0.9, en;q=0.5' };
  const errorsOf = async (line: string, body?: unknown, headers = {}) => {
    const reply = await gateway.send(line, { ...(body === undefined ? {} : { body }), headers });
    expect([reply.status, reply.body.code]).to.deep.equal([422, 'validation_failed']);
    return reply.body.errors as { pointer: string; code: string; detail: string }[];
  };

  const strange = { 'a, b': 1, 'x/y~z': 2, __proto__x: 3 };
  const nulls = { name: null, description: null, is_public: null, rules: { approvals: { motion: null } } };
  const wrong = { name: '', is_public: 'yes', rules: { shortfall: 'perhaps', approvals: { motion: 99 } } };
  for (const [what, body, complaints] of [
    [
      'within objects',
      { ...NEW, ...wrong },
      ['/name too_short', '/is_public type', '/rules/shortfall not_allowed', '/rules/approvals/motion too_large'],
    ],
    ['that is missing', { ...NEW, name: undefined }, ['/name required']],
    [
      'that is null',
      { ...NEW, ...nulls },
      ['/name null', '/description null', '/is_public null', '/rules/approvals/motion null'],
    ],
    ['that is unknown', { ...NEW, ...strange }, ['/a, b unknown', '/x~1y~0z unknown', '/__proto__x unknown']],
    ['called __proto__', `{"__proto__":{"name":"x"},${JSON.stringify(NEW).slice(1)}`, ['/__proto__ unknown']],
  ] as const) {
    it(`${what}, by its pointer`, async () => {
      const errors = await errorsOf('POST /associations', body);
      expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).to.have.members([...complaints]);
    });
  }

  it('of the query by its name', async () => {
    const errors = await errorsOf('GET /associations/my?limit=0&limits=3&cursor=a&cursor=b');
    expect(errors.map(({ pointer }) => pointer)).to.have.members(['limit', 'limits', 'cursor']);
  });

  it('without repeating what was sent', async () => {
    const reply = await gateway.send('PUT /me/pin', { body: { pin: ['geheim'], current_pin: { a: 'geheim' } } });
    expect(reply.status).to.equal(422);
    expect(reply.text).to.not.contain('geheim');
  });

  it('in the language of the client', async () => {
    const errors = await errorsOf(
      'POST /associations',
      { ...NEW, name: '', currency: 'XAU', max_members: 1, x: 1 },
      french,
    );
    expect(Object.fromEntries(errors.map(({ pointer, detail }) => [pointer, detail]))).to.deep.equal({
      '/name': 'Ce champ doit compter au moins 1 caractère.',
      '/currency': 'Ce champ doit être le code ISO 4217 d’une devise ayant une unité divisionnaire.',
      '/max_members': 'Ce champ doit être au moins égal à 2.',
      '/x': 'Ce champ n’existe pas ici.',
    });
  });

  it('in that language also for a service, as far as its code tells', async () => {
    const required = { pointer: '/a', code: 'required', detail: 'The order `manual` needs member_order.' };
    const other = { pointer: '/b', code: 'made_up', detail: 'Made up.' };
    gateway.fails(() => problem('validation_failed', { errors: [required, other] }));
    expect(await errorsOf('POST /associations', NEW, french)).to.deep.equal([
      { ...required, detail: 'Une valeur est requise ici pour cette requête.' },
      other,
    ]);
    expect(await errorsOf('POST /associations', NEW)).to.deep.equal([required, other]);
  });
});

describe('gateway: answers a failed call', () => {
  const gateway = useGateway();
  const create = () => gateway.send('POST /associations', { body: NEW });

  it('with the refusal of the service and its extras, but never over the standard members', async () => {
    gateway.fails(() => problem('contribution_exceeds_due', { outstanding: 5, status: 200, code: 'fine' }));
    const reply = await create();
    expect(reply.headers['content-type']).to.equal('application/problem+json');
    expect(reply.body).to.include({
      type: '/problems/contribution_exceeds_due',
      status: 409,
      code: 'contribution_exceeds_due',
      outstanding: 5,
      instance: '/association-service/api/v1/associations',
    });
    expect(reply.body).to.include.keys('title', 'detail', 'request_id');
  });

  it('with a path without its query, which may hold secrets', async () => {
    const { body } = await gateway.send('POST /associations?secret=1', { body: NEW });
    expect(body).to.include({ status: 422, instance: '/association-service/api/v1/associations' });
  });

  it('with 503 while the service is down', async () => {
    for (const line of [`GET /associations/${SOME}/cycles`, `POST /associations/${SOME}/meetings/${SOME}/settle`]) {
      const reply = await gateway.send(line);
      expect([reply.status, reply.body.code]).to.deep.equal([503, 'service_unavailable']);
      expect(reply.headers['retry-after']).to.equal('1');
    }
  });

  it('with an unknown outcome if a write took too long or its node went away; a read is unavailable', async () => {
    gateway.answer = () => new Promise(() => undefined);
    const [write, read] = await Promise.all([create(), gateway.send('GET /associations/my')]);
    expect([write.status, write.body.code]).to.deep.equal([503, 'outcome_unknown']);
    expect([read.status, read.body.code]).to.deep.equal([503, 'service_unavailable']);
    gateway.fails(() => new Errors.RequestRejectedError({ action: 'a', nodeID: 'n' }));
    expect((await create()).body.code).to.equal('outcome_unknown');
  });

  it('with 500 otherwise, showing nothing of the error', async () => {
    gateway.fails(() => new Error('SELECT secrets FROM db.internal'));
    const reply = await gateway.send('GET /associations/my');
    expect([reply.status, reply.body.code]).to.deep.equal([500, 'internal_error']);
    expect(reply.text).to.not.match(/SELECT|internal\b.*db|at .*\.ts/);
  });

  it('in English or French, with a challenge that is ASCII', async () => {
    for (const [accept, title, language] of [
      [undefined, 'Not found', 'en'],
      [';;', 'Not found', 'en'],
      ['de, fr;q=0.1', 'Introuvable', 'fr'],
    ] as const) {
      const headers = accept === undefined ? {} : { 'Accept-Language': accept };
      const reply = await gateway.send('GET /nothing', { headers });
      expect(reply.body).to.include({ title, code: 'not_found' });
      expect(reply.headers).to.include({ 'content-language': language, vary: 'Accept-Language' });
    }
    const refused = await gateway.send('GET /associations/my', { token: 'x', headers: { 'Accept-Language': 'fr' } });
    expect(refused.body.title).to.equal('Jeton d’accès invalide');
    expect(refused.headers['www-authenticate']).to.match(/^[\x20-\x7e]+$/);
  });
});
