import { expect } from 'chai';
import { DEFAULT_RETRIES, retryingFetch } from '../../../clients/typescript/src/retry.ts';

const URL = 'https://example.org/pay';
const FAST = { ...DEFAULT_RETRIES, attempts_max: 3, backoff_ms: 1 };

const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/problem+json', ...headers } });

/** Creates a fetch function that returns these answers in turn and records what was sent. */
function scripted(...answers: (Response | Error)[]) {
  const sent: { key: string | null; body: string }[] = [];
  return {
    sent,
    fetch: async (request: Request): Promise<Response> => {
      sent.push({ key: request.headers.get('Idempotency-Key'), body: await request.text() });
      const answer = answers.shift();
      if (answer === undefined) throw new Error('one request more than expected');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

const payment = (signal?: AbortSignal) =>
  new Request(URL, {
    method: 'POST',
    headers: { 'Idempotency-Key': 'k1' },
    body: '{"amount":1}',
    ...(signal === undefined ? {} : { signal }),
  });

describe('The client, when a request fails,', () => {
  it('repeats the request with the same key and body until it is answered', async () => {
    const { fetch, sent } = scripted(
      new TypeError('fetch failed'),
      json(503, { code: 'service_unavailable' }),
      json(201, {}),
    );
    expect((await retryingFetch(fetch, FAST)(payment())).status).to.equal(201);
    expect(sent).to.deep.equal(Array.from({ length: 3 }, () => ({ key: 'k1', body: '{"amount":1}' })));
  });

  it('repeats the request while the first request with its key is in flight', async () => {
    const { fetch } = scripted(json(409, { code: 'idempotency_in_flight' }), json(201, {}));
    expect((await retryingFetch(fetch, FAST)(payment())).status).to.equal(201);
  });

  it('returns every other refusal to the caller without repeating the request', async () => {
    for (const status of [400, 401, 403, 404, 409, 422, 423, 500]) {
      const { fetch, sent } = scripted(json(status, { code: 'other' }));
      expect((await retryingFetch(fetch, FAST)(payment())).status).to.equal(status);
      expect(sent).to.have.length(1);
    }
  });

  it('returns the answer, or throws the error, of its last attempt', async () => {
    const unavailable = () => json(503, { code: 'service_unavailable' });
    const { fetch } = scripted(unavailable(), unavailable(), unavailable());
    expect((await retryingFetch(fetch, FAST)(payment())).status).to.equal(503);
    const lost = scripted(new TypeError('lost'), new TypeError('lost'), new TypeError('lost'));
    const error: unknown = await retryingFetch(lost.fetch, FAST)(payment()).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(TypeError);
  });

  it('returns an answer with a long Retry-After instead of waiting', async () => {
    const { fetch, sent } = scripted(json(429, { code: 'rate_limited' }, { 'Retry-After': '60' }));
    expect((await retryingFetch(fetch, FAST)(payment())).headers.get('Retry-After')).to.equal('60');
    expect(sent).to.have.length(1);
  });

  it('stops waiting when the caller aborts the request', async () => {
    const caller = new AbortController();
    const { fetch } = scripted(json(429, { code: 'rate_limited' }, { 'Retry-After': '9' }));
    const asked = retryingFetch(fetch, FAST)(payment(caller.signal)).catch((thrown: unknown) => thrown);
    setTimeout(() => caller.abort(new Error('gone')), 10);
    expect(((await asked) as Error).message).to.equal('gone');
  });
});
