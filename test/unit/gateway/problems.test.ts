import { expect } from 'chai';
import { Errors } from 'moleculer';
import { problem } from '../../../lib/errors/problem.ts';
import { problemAnswer, refusalOf } from '../../../services/gateway/http/problem.rules.ts';

const INPUT = { path: { id: 'x' }, query: { limit: 'a', q: '1' }, body: { a: { 'b, c': 1 }, list: [1] } };
const POST = { method: 'POST', input: INPUT };

function invalid(...data: { type: string; field?: string; expected?: unknown; actual?: unknown }[]): Error {
  return new Errors.ValidationError('Parameters validation error!', 'VALIDATION_ERROR', data);
}

/** Returns the error as it arrives over NATS: a plain Error with the members of the thrown one. */
function overNats(error: Error): Error {
  const { name, message, ...members } = error as Error & Record<string, unknown>;
  return Object.assign(new Error(message), { name }, JSON.parse(JSON.stringify(members)) as object);
}

describe('the refusal that a client gets for an error', () => {
  it('is the refusal of the service, locally and over NATS', () => {
    const error = problem('insufficient_funds', { available: 5 });
    for (const each of [error, overNats(error)]) {
      expect(refusalOf(each, POST)).to.deep.equal({ code: 'insufficient_funds', extras: { available: 5 } });
    }
  });

  it('names fields of the body by pointer and parameters by name, and repeats no value that was sent', () => {
    const error = invalid(
      { type: 'number', field: 'query.limit', actual: 'a' },
      { type: 'objectStrict', field: 'query', expected: 'limit', actual: 'q' },
      { type: 'required', field: 'body.a.x' },
      { type: 'numberMin', field: 'body.list[0]', expected: 2, actual: 'geheim' },
      { type: 'objectStrict', field: 'body.a', expected: 'x, y', actual: 'b, c' },
      { type: 'somethingNew', field: 'body', actual: 'geheim' },
    );
    const { code, extras } = refusalOf(overNats(error), POST);
    expect(code).to.equal('validation_failed');
    const errors = extras.errors as { pointer: string; code: string; detail: string }[];
    expect(errors.map((each) => `${each.pointer} ${each.code}`)).to.deep.equal([
      'limit type',
      'q unknown',
      '/a/x required',
      '/list/0 too_small',
      '/a/b, c unknown',
      ' invalid',
    ]);
    expect(JSON.stringify(extras)).to.not.contain('geheim');
    expect(errors.every((each) => each.detail.endsWith('.'))).to.equal(true);
  });

  it('never names more than a hundred fields', () => {
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${String(index)}`, 1]));
    const error = invalid({ type: 'objectStrict', field: 'body', expected: 'a' });
    expect(refusalOf(error, { method: 'POST', input: { ...INPUT, body } }).extras.errors).to.have.length(100);
  });

  it('has a code and no details for all other errors', () => {
    const late = new Errors.RequestTimeoutError({ action: 'a', nodeID: 'n' });
    const pathAndBody = invalid({ type: 'required', field: 'body.a' }, { type: 'stringMax', field: 'path.code' });
    for (const [error, method, code] of [
      [pathAndBody, 'POST', 'not_found'],
      // The field of a call between services.
      [invalid({ type: 'required', field: 'member_id' }), 'POST', 'internal_error'],
      [invalid(), 'POST', 'internal_error'],
      [new Errors.ServiceNotFoundError({ action: 'a' }), 'POST', 'service_unavailable'],
      [late, 'POST', 'outcome_unknown'],
      [late, 'DELETE', 'outcome_unknown'],
      [late, 'GET', 'service_unavailable'],
      [new Error('SELECT'), 'GET', 'internal_error'],
      ['text', 'GET', 'internal_error'],
      [undefined, 'GET', 'internal_error'],
      [null, 'GET', 'internal_error'],
      [{ type: 'X' }, 'GET', 'internal_error'],
    ] as const) {
      expect(refusalOf(error, { method, input: INPUT }), code).to.deep.equal({ code, extras: {} });
    }
  });
});

describe('a problem document', () => {
  it('has its standard members first, and extras cannot replace them', () => {
    const { status, document } = problemAnswer(
      { code: 'not_found', extras: { status: 200, code: 'x', more: 1 } },
      { instance: '/a', request_id: 'id-1', language: 'en' },
    );
    expect(status).to.equal(404);
    const members = ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'more'];
    expect(Object.keys(document)).to.deep.equal(members);
    expect(document).to.include({ type: '/problems/not_found', status: 404, code: 'not_found', instance: '/a' });
  });

  it('has the headers that its code needs', () => {
    const BEARER = 'Bearer realm="association-service"';
    for (const [code, extras, expected] of [
      ['service_unavailable', {}, { 'Retry-After': '1' }],
      ['outcome_unknown', {}, { 'Retry-After': '1' }],
      ['pin_locked', { retry_after_s: 899.2 }, { 'Retry-After': '900' }],
      ['method_not_allowed', { allowed_methods: ['GET'] }, { Allow: 'GET' }],
      ['token_missing', {}, { 'WWW-Authenticate': BEARER }],
      [
        'insufficient_scope',
        { required_scopes: ['wallets:fund'] },
        { 'WWW-Authenticate': `${BEARER}, error="insufficient_scope", scope="wallets:fund"` },
      ],
      ['not_found', {}, {}],
    ] as const) {
      const { headers } = problemAnswer({ code, extras }, { request_id: '', language: 'fr' });
      expect(headers).to.deep.equal({ ...expected, 'Content-Language': 'fr', Vary: 'Accept-Language' });
    }
    const { headers } = problemAnswer({ code: 'token_expired', extras: {} }, { request_id: '', language: 'fr' });
    expect(headers['WWW-Authenticate']).to.contain('error="invalid_token", error_description="');
  });
});
