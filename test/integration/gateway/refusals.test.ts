import { expect } from 'chai';
import fc from 'fast-check';
import { Errors } from 'moleculer';
import { problem } from '../../../lib/errors/problem.ts';
import { NEW, SOME, useGateway } from '../../harness/gateway.ts';

describe('gateway: refusals of requests', () => {
  const gateway = useGateway();
  const create = (body: unknown, headers = {}) => gateway.outcome('POST /associations', { body, headers });

  it('check the token before anything else, with the challenges of RFC 6750', async () => {
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

  it('answer 404 for unknown paths, even without a token', async () => {
    for (const line of [
      'GET /nothing',
      'GET //health',
      'GET //favicon.ico',
      'GET /Associations/my',
      'GET /associations/%',
      'GET /associations/%E0%A4%A',
      'PUT /associations/%ff/members',
    ]) {
      const reply = await gateway.send(line, { token: false });
      expect([line, reply.status, reply.body.code]).to.deep.equal([line, 404, 'not_found']);
      expect(reply.headers['content-type']).to.contain('application/problem+json');
    }
    expect(await gateway.outcome(`POST /invitations/${'x'.repeat(257)}/accept`)).to.equal('404 not_found');
  });

  it('list the methods of the path for another method, including OPTIONS that is not an allowed preflight', async () => {
    for (const [line, allowed] of [
      ['PUT /wallets/my', 'GET, HEAD'],
      ['OPTIONS /associations', 'GET, HEAD, POST'],
      ['OPTIONS /me/pin', 'GET, HEAD, PUT'],
      ['OPTIONS //health/live', 'GET, HEAD'],
      ['POST //problems', 'GET, HEAD'],
    ] as const) {
      for (const method of [undefined, 'POST', 'PUT']) {
        const headers = method === undefined ? {} : { 'Access-Control-Request-Method': method };
        const reply = await gateway.send(line, { headers });
        const methods = reply.headers.allow?.split(', ').toSorted().join(', ');
        expect([line, reply.body.code, methods]).to.deep.equal([line, 'method_not_allowed', allowed]);
      }
    }
    expect(gateway.seen).to.equal(undefined);
  });

  it('accept only bodies that are JSON in UTF-8, in any spelling of their media type', async () => {
    for (const [type, encoding, outcome] of [
      ['application/json', undefined, '201'],
      ['Application/Json ; Charset="utf-8"', undefined, '201'],
      ['application/json;charset=UTF-8;v=1', 'identity', '201'],
      ['application/json', 'gzip', '415 unsupported_media_type'],
      ['', undefined, '415 unsupported_media_type'],
      ['text/json', undefined, '415 unsupported_media_type'],
      ['application/jsonp', undefined, '415 unsupported_media_type'],
      ['application/x-www-form-urlencoded', undefined, '415 unsupported_media_type'],
      ['application/json;charset=latin1', undefined, '415 unsupported_media_type'],
    ] as const) {
      const headers = { 'Content-Type': type, ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }) };
      expect(await create(NEW, headers), type).to.equal(outcome);
    }
    for (const body of ['{', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])]) {
      expect(await create(body)).to.equal('400 malformed_json');
    }
  });

  it('stop bodies over 64 KiB, even without a length or an end', async () => {
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

  it('name an amount that a double would round', async () => {
    const reply = await gateway.send('POST /associations', { body: JSON.stringify(NEW).replace('10000', '1e-400') });
    expect([reply.status, reply.body.code]).to.deep.equal([422, 'amount_precision']);
    expect(reply.body.errors).to.have.nested.property('[0].pointer', '/contribution_amount');
  });

  it('answer arbitrary bytes with 4xx, never 5xx', async () => {
    const bytes = fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array));
    // Bodies that resemble valid bodies, which random bytes never do.
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

describe('gateway: field errors', () => {
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
  for (const [fields, body, complaints] of [
    [
      'fields of nested objects',
      { ...NEW, ...wrong },
      ['/name too_short', '/is_public type', '/rules/shortfall not_allowed', '/rules/approvals/motion too_large'],
    ],
    ['missing fields', { ...NEW, name: undefined }, ['/name required']],
    [
      'fields that are null',
      { ...NEW, ...nulls },
      ['/name null', '/description null', '/is_public null', '/rules/approvals/motion null'],
    ],
    ['unknown fields', { ...NEW, ...strange }, ['/a, b unknown', '/x~1y~0z unknown', '/__proto__x unknown']],
    ['a field called __proto__', `{"__proto__":{"name":"x"},${JSON.stringify(NEW).slice(1)}`, ['/__proto__ unknown']],
  ] as const) {
    it(`identify ${fields} by JSON pointer`, async () => {
      const errors = await errorsOf('POST /associations', body);
      expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).to.have.members([...complaints]);
    });
  }

  it('identify query parameters by name', async () => {
    const errors = await errorsOf('GET /associations/my?limit=0&limits=3&cursor=a&cursor=b');
    expect(errors.map(({ pointer }) => pointer)).to.have.members(['limit', 'limits', 'cursor']);
  });

  it('are in the language of the client and do not repeat the value sent', async () => {
    const geheim = { pin: ['geheim'], current_pin: { a: 'geheim' } };
    expect((await gateway.send('PUT /me/pin', { body: geheim })).text).to.not.contain('geheim');
    const errors = await errorsOf('POST /associations', { ...NEW, currency: 'XAU', max_members: 1 }, french);
    expect(errors.map(({ detail }) => detail)).to.deep.equal([
      'Ce champ doit être le code ISO 4217 d’une devise ayant une unité divisionnaire.',
      'Ce champ doit être au moins égal à 2.',
    ]);
  });

  it('of a service are in the language of the client if their code is known', async () => {
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

describe('gateway: answers to failed calls', () => {
  const gateway = useGateway();
  const create = () => gateway.send('POST /associations', { body: NEW });

  it('have the refusal of the service with its extras, and the path without the query', async () => {
    gateway.fails(() => problem('contribution_exceeds_due', { outstanding: 5 }));
    const reply = await create();
    expect(reply.headers['content-type']).to.equal('application/problem+json');
    const instance = '/association-service/api/v1/associations';
    expect(reply.body).to.include({ status: 409, code: 'contribution_exceeds_due', outstanding: 5, instance });
    const { body } = await gateway.send('POST /associations?secret=1', { body: NEW });
    expect(body).to.include({ status: 422, instance });
  });

  it('are 503 while the service is unavailable, and `outcome_unknown` if a write times out', async () => {
    const away = await gateway.send(`POST /associations/${SOME}/meetings/${SOME}/settle`);
    expect([away.body.code, away.headers['retry-after']]).to.deep.equal(['service_unavailable', '1']);
    gateway.answer = () => new Promise(() => undefined);
    const [write, read] = await Promise.all([create(), gateway.send('GET /associations/my')]);
    expect([write.body.code, read.body.code]).to.deep.equal(['outcome_unknown', 'service_unavailable']);
    gateway.fails(() => new Errors.RequestRejectedError({ action: 'a', nodeID: 'n' }));
    expect((await create()).body.code).to.equal('outcome_unknown');
  });

  it('are 500 for any other error, without its details', async () => {
    gateway.fails(() => new Error('SELECT secrets FROM db.internal'));
    const reply = await gateway.send('GET /associations/my');
    expect([reply.status, reply.body.code]).to.deep.equal([500, 'internal_error']);
    expect(reply.text).to.not.match(/SELECT|internal\b.*db|at .*\.ts/);
  });

  it('are in English or French, with a challenge in ASCII', async () => {
    const english = await gateway.send('GET /nothing', { headers: { 'Accept-Language': ';;' } });
    expect(english.body.title).to.equal('Not found');
    const refused = await gateway.send('GET /associations/my', { token: 'x', headers: { 'Accept-Language': 'fr' } });
    expect(refused.body.title).to.equal('Jeton d’accès invalide');
    expect(refused.headers).to.include({ 'content-language': 'fr', vary: 'Accept-Language' });
    expect(refused.headers['www-authenticate']).to.match(/^[\x20-\x7e]+$/);
  });
});
