import { expect } from 'chai';
import { errorCodes, errorEntry } from '../../../lib/errors/codes.ts';
import { httpActiveRequests, httpRequestDuration } from '../../../lib/telemetry/metrics.ts';
import { asyncApiDocument } from '../../../services/gateway/asyncapi/document.ts';
import { openApiDocument } from '../../../services/gateway/openapi/document.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';
import { eventually } from '../../harness/eventually.ts';
import { SOME, useGateway } from '../../harness/gateway.ts';

describe('gateway: the documents and the docs page', () => {
  const gateway = useGateway({ services: [] });
  const get = (path: string, headers = {}) => fetch(`${gateway.origin}${path}`, { headers, redirect: 'manual' });

  it('need no token and match the contracts', async () => {
    const documents = { '/openapi.json': openApiDocument(ROUTES), '/asyncapi.json': asyncApiDocument() };
    for (const [path, document] of Object.entries(documents)) {
      const answer = await get(path);
      expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(await answer.json()).to.deep.equal(JSON.parse(JSON.stringify(document)));
    }
    const root = await get('/');
    expect([root.status, root.headers.get('location')]).to.deep.equal([302, '/docs']);
  });

  it('are sent again only if they have changed, and are compressed for clients that accept it', async () => {
    for (const path of ['/openapi.json', '/docs', '/docs/start.js']) {
      const packed = await get(path, { 'Accept-Encoding': 'gzip, br' });
      const plain = await get(path, { 'Accept-Encoding': 'identity' });
      const encodings = [packed, plain].map(({ headers }) => headers.get('content-encoding'));
      expect(encodings).to.deep.equal(['gzip', null]);
      expect(plain.headers.get('vary')).to.equal('Accept-Encoding');
      expect(await packed.text()).to.equal(await plain.text());
      const again = await get(path, { 'If-None-Match': packed.headers.get('etag') ?? '' });
      expect([path, again.status, await again.text()]).to.deep.equal([path, 304, '']);
    }
  });

  it('load nothing from other origins', async () => {
    const page = await get('/docs');
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).to.contain("default-src 'none'");
    expect(policy).to.not.match(/https?:|unsafe-eval|\*/);
    const linked = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '');
    expect(linked).to.not.be.empty;
    for (const url of linked) {
      expect(url).to.match(/^\/[^/]/);
      expect((await get(url)).status, url).to.equal(200);
    }
  });

  it('let clients cache the files of a version permanently, and have no files of other versions', async () => {
    const [script = ''] = /\/docs\/[\d.]+\/swagger-ui-bundle\.js/.exec(await (await get('/docs')).text()) ?? [];
    const { headers } = await get(script);
    expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
    for (const file of ['package.json', 'constructor']) {
      expect((await get(script.replace('swagger-ui-bundle.js', file))).status, file).to.equal(404);
    }
    expect((await get('/docs/0.0.0/swagger-ui-bundle.js')).status).to.equal(404);
  });
});

describe('gateway: the pages of problems', () => {
  const gateway = useGateway();
  const page = (line: string, headers: Record<string, string> = {}) => gateway.send(line, { token: false, headers });
  const json = { Accept: 'application/json' };

  it('exist for every code and are listed', async () => {
    const html = await page('GET //problems');
    const { body } = await page('GET //problems', json);
    expect((body.data as { code: string }[]).map(({ code }) => code)).to.deep.equal(errorCodes());
    for (const code of errorCodes()) {
      const { status, en } = errorEntry(code);
      expect(html.text).to.contain(`href="/problems/${code}"`);
      const reply = await page(`GET //problems/${code}`, json);
      expect(reply.body).to.deep.equal({ type: `/problems/${code}`, code, status, ...en });
    }
    expect(await page('HEAD //problems')).to.include({ status: 200, text: '' });
  });

  it('are HTML that loads nothing and escapes markup in texts', async () => {
    const reply = await page('GET //problems/token_missing');
    expect(reply.headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(reply.headers['content-security-policy']).to.match(/^default-src 'none'; .*style-src 'sha256-[^']+'$/);
    expect(reply.text).to.contain('<html lang="en">').and.contain('<code>Authorization: Bearer &lt;token&gt;</code>');
    expect(reply.text).to.not.match(/<script|<link|`/);
  });

  it('have the language and format that the client prefers', async () => {
    const french = await page('GET //problems/pin_locked', { 'Accept-Language': 'fr', Accept: 'text/html,*/*;q=0.8' });
    expect(french.text).to.contain('<html lang="fr">').and.contain('Code secret bloqué');
    expect(french.headers).to.include({ 'content-language': 'fr', vary: 'Accept, Accept-Language' });
    const other = await page('GET //problems', { Accept: 'image/png' });
    expect(other.headers['content-type']).to.contain('text/html');
  });

  it('do not exist for unknown codes', async () => {
    for (const code of ['nothing', 'toString', '__proto__', 'NOT_FOUND', 'not_found/x']) {
      expect(await gateway.outcome(`GET //problems/${code}`), code).to.equal('404 not_found');
    }
  });
});

describe('gateway: health', () => {
  const gateway = useGateway();

  it('is live immediately, and ready when every service is available', async () => {
    const ask = (path: string) => gateway.send(`GET //health/${path}`, { token: false });
    const live = await ask('live');
    expect([live.status, live.body]).to.deep.equal([200, { status: 'live' }]);
    const away = await ask('ready');
    expect([away.status, away.body.code]).to.deep.equal([503, 'service_unavailable']);
    const present = { membership: 'up', treasury: 'up', nats: 'up' };
    expect(away.body.services).to.deep.equal({ ...present, contribution: 'down', governance: 'down' });
    for (const name of ['contribution', 'governance'] as const) gateway.startService(name);
    await eventually(async () => expect((await ask('ready')).body.status).to.equal('ready'));
  });
});

describe('gateway: metrics', () => {
  const gateway = useGateway();
  // The metrics belong to the process, which other tests share.
  beforeEach(() => {
    httpRequestDuration.reset();
    httpActiveRequests.reset();
  });
  const measured = async () => (await gateway.send('GET //metrics', { token: false })).text;

  it('are in the text format of Prometheus and need no token', async () => {
    const { headers, text } = await gateway.send('GET //metrics', { token: false });
    expect(headers['content-type']).to.match(/^text\/plain; version=0\.0\.4; charset=utf-8$/);
    for (const metric of [/^process_cpu_seconds_total \d/m, /^nodejs_eventloop_lag_seconds \d/m]) {
      expect(text).to.match(metric);
    }
  });

  it('count requests by method, pattern and status, never by path', async () => {
    await gateway.send(`GET /associations/${SOME}`);
    await gateway.send(`GET /associations/${SOME}`, { token: false });
    await gateway.send('POST /invitations/a-secret-code/accept');
    await gateway.send('GET /nothing/at/all');
    await gateway.send('PROPFIND /associations');
    const text = await measured();
    const count = (labels: string) => text.split('\n').find((line) => line.includes(`_count{${labels}}`));
    const base = '/association-service/api/v1';
    for (const labels of [
      `http_request_method="GET",http_route="${base}/associations/:association_id",http_response_status_code="200"`,
      `http_request_method="GET",http_route="${base}/associations/:association_id",http_response_status_code="401"`,
      `http_request_method="POST",http_route="${base}/invitations/:code/accept",http_response_status_code="201"`,
      'http_request_method="GET",http_route="none",http_response_status_code="404"',
      'http_request_method="_OTHER",http_route="none",http_response_status_code="405"',
    ]) {
      expect(count(labels), labels).to.match(/ 1$/);
    }
    expect(text).to.not.match(new RegExp(`${SOME}|a-secret-code|at/all`));
  });

  it('report the number of requests in flight, without requests whose clients have disconnected', async () => {
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    gateway.answer = () => finished;
    const waiting = gateway.send('GET /associations/my');
    const leaving = gateway.open('GET /associations/my');
    leaving.end();
    const inFlight = async () => /^http_server_active_requests (\d+)$/m.exec(await measured())?.[1];
    await eventually(async () => expect(await inFlight()).to.equal('3'));
    leaving.destroy();
    await eventually(async () => expect(await inFlight()).to.equal('2'));
    finish();
    await waiting;
    expect(await inFlight()).to.equal('1');
    expect(await measured()).to.contain('/associations/my",http_response_status_code="aborted"} 1');
  });
});
