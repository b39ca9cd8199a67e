import { expect } from 'chai';
import { Errors } from 'moleculer';
import { problem } from '../../../lib/errors/problem.ts';
import { problemAnswer, refusalOf } from '../../../services/gateway/http/problem.rules.ts';

const INPUT = { path: { id: 'x' }, query: { limit: 'a', q: '1' }, body: { a: { 'b, c': 1 }, list: [1] } };

function invalid(...data: { type: string; field?: string; expected?: unknown; actual?: unknown }[]): Error {
  return new Errors.ValidationError('Parameters validation error!', 'VALIDATION_ERROR', data);
}

/** As it comes over NATS: a plain Error with the members of the one that was thrown. */
function overNats(error: Error): Error {
  const { name, message, ...members } = error as Error & Record<string, unknown>;
  return Object.assign(new Error(message), { name }, JSON.parse(JSON.stringify(members)) as object);
}

describe('what a client is told of an error', () => {
  it('is the refusal of the service, the same over NATS', () => {
    const error = problem('insufficient_funds', { available: 5 });
    for (const each of [error, overNats(error)]) {
      expect(refusalOf(each, { method: 'POST' })).to.deep.equal({
        code: 'insufficient_funds',
        extras: { available: 5 },
      });
    }
  });

  it('names fields of the body by pointer and parameters by name', () => {
    const error = invalid(
      { type: 'required', field: 'body.a.x' },
      { type: 'numberMin', field: 'body.list[0]', expected: 2, actual: 'geheim' },
      { type: 'objectStrict', field: 'body.a', expected: 'x, y', actual: 'b, c' },
      { type: 'number', field: 'query.limit', actual: 'a' },
      { type: 'objectStrict', field: 'query', expected: 'limit', actual: 'q' },
      { type: 'somethingNew', field: 'body', actual: 'geheim' },
    );
    const { code, extras } = refusalOf(overNats(error), { method: 'POST', input: INPUT });
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

  it('names them in the language of the client', () => {
    const error = invalid({ type: 'numberMax', field: 'body.a', expected: 7 }, { type: 'x', field: 'query.q' });
    const { extras } = refusalOf(error, { method: 'POST', input: INPUT, language: 'fr' });
    expect((extras.errors as { detail: string }[]).map(({ detail }) => detail)).to.deep.equal([
      'Cette valeur n’est pas admise ici.',
      'Ce champ peut être au plus égal à 7.',
    ]);
  });

  it('is not_found where the path is wrong, whatever else is', () => {
    const error = invalid({ type: 'required', field: 'body.a' }, { type: 'stringMax', field: 'path.code' });
    expect(refusalOf(error, { method: 'POST', input: INPUT })).to.deep.equal({ code: 'not_found', extras: {} });
  });

  it('is our own fault where a call between services was ill-formed', () => {
    for (const error of [invalid({ type: 'required', field: 'member_id' }), invalid()]) {
      expect(refusalOf(error, { method: 'POST', input: INPUT }).code).to.equal('internal_error');
    }
  });

  it('never names more than a hundred fields', () => {
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${String(index)}`, 1]));
    const error = invalid({ type: 'objectStrict', field: 'body', expected: 'a' });
    const { extras } = refusalOf(error, { method: 'POST', input: { ...INPUT, body } });
    expect(extras.errors).to.have.length(100);
  });

  it('is that a service is away, or that nobody knows', () => {
    const away = new Errors.ServiceNotFoundError({ action: 'a' });
    expect(refusalOf(away, { method: 'POST' }).code).to.equal('service_unavailable');
    const late = new Errors.RequestTimeoutError({ action: 'a', nodeID: 'n' });
    expect(refusalOf(late, { method: 'POST' }).code).to.equal('outcome_unknown');
    expect(refusalOf(late, { method: 'DELETE' }).code).to.equal('outcome_unknown');
    expect(refusalOf(late, { method: 'GET' }).code).to.equal('service_unavailable');
  });

  it('is nothing more of anything else', () => {
    for (const error of [new Error('SELECT'), new TypeError('x'), 'text', undefined, null, { type: 'X' }]) {
      expect(refusalOf(error, { method: 'GET' })).to.deep.equal({ code: 'internal_error', extras: {} });
    }
  });
});

describe('a problem document', () => {
  it('has its standard members first, and lets no extra replace one', () => {
    const { status, document } = problemAnswer(
      { code: 'not_found', extras: { status: 200, code: 'x', more: 1 } },
      { instance: '/a', request_id: 'id-1', language: 'en' },
    );
    expect(status).to.equal(404);
    expect(Object.keys(document)).to.deep.equal([
      ...['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'more'],
    ]);
    expect(document).to.include({ type: '/problems/not_found', status: 404, code: 'not_found', instance: '/a' });
  });

  it('comes with the headers that its code calls for', () => {
    const headers = (code: Parameters<typeof problem>[0], extras = {}) => {
      const answer = problemAnswer({ code, extras }, { request_id: '', language: 'fr' });
      const { 'Content-Language': language, Vary, ...more } = answer.headers;
      expect([language, Vary]).to.deep.equal(['fr', 'Accept-Language']);
      return more;
    };
    expect(headers('service_unavailable')).to.deep.equal({ 'Retry-After': '1' });
    expect(headers('outcome_unknown')).to.deep.equal({ 'Retry-After': '1' });
    expect(headers('pin_locked', { retry_after_s: 899.2 })).to.deep.equal({ 'Retry-After': '900' });
    expect(headers('method_not_allowed', { allowed_methods: ['GET'] })).to.deep.equal({ Allow: 'GET' });
    expect(headers('token_expired')).to.have.property('WWW-Authenticate').that.contains('error="invalid_token"');
    expect(headers('not_found')).to.deep.equal({});
  });
});
