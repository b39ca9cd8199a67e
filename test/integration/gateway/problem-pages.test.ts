import { expect } from 'chai';
import { ERRORS } from '../../../lib/errors/codes.ts';
import type { GatewayBench } from '../../harness/gateway.ts';
import { StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: the pages of problems', () => {
  let gateway: StubbedGateway;
  let bench: GatewayBench;

  before(async () => {
    gateway = await StubbedGateway.start();
    ({ bench } = gateway);
  });
  after(() => bench.stop());
  afterEach(() => {
    gateway.reset();
  });

  const page = (line: string, headers: Record<string, string> = {}) => bench.send(line, { token: false, headers });

  it('are there for every code, where its problems point', async () => {
    for (const [code, { status, en }] of Object.entries(ERRORS)) {
      const reply = await page(`GET //problems/${code}`, { Accept: 'application/json' });
      expect(reply.status, code).to.equal(200);
      expect(reply.body).to.deep.equal({ type: `/problems/${code}`, code, status, ...en });
    }
  });

  it('are HTML that loads nothing, with what is markup in a text escaped', async () => {
    const reply = await page('GET //problems/token_missing');
    expect(reply.headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(reply.headers['content-security-policy']).to.match(/^default-src 'none'; .*style-src 'sha256-[^']+'$/);
    expect(reply.text).to.contain('<html lang="en">').and.contain('<code>Authorization: Bearer &lt;token&gt;</code>');
    expect(reply.text).to.not.match(/<script|<link|`/);
  });

  it('come in the language and form that the client likes best', async () => {
    const french = await page('GET //problems/pin_locked', { 'Accept-Language': 'fr', Accept: 'text/html,*/*;q=0.8' });
    expect(french.text).to.contain('<html lang="fr">').and.contain('Code secret bloqué');
    expect(french.headers).to.include({ 'content-language': 'fr', vary: 'Accept, Accept-Language' });
    for (const accept of ['*/*', 'image/png']) {
      expect((await page('GET //problems', { Accept: accept })).headers['content-type']).to.contain('text/html');
    }
  });

  it('are listed', async () => {
    const html = await page('GET //problems');
    const json = await page('GET //problems', { Accept: 'application/json' });
    const codes = (json.body.data as { code: string }[]).map(({ code }) => code);
    expect(codes).to.deep.equal(Object.keys(ERRORS));
    for (const code of codes) expect(html.text).to.contain(`href="/problems/${code}"`);
  });

  it('are not there for what is no code', async () => {
    for (const code of ['nothing', 'toString', '__proto__', 'NOT_FOUND', 'not_found/x']) {
      const reply = await page(`GET //problems/${code}`);
      expect([code, reply.status, reply.body.code]).to.deep.equal([code, 404, 'not_found']);
    }
  });

  it('take HEAD, and nothing that writes', async () => {
    expect(await page('HEAD //problems')).to.include({ status: 200, text: '' });
    const reply = await page('POST //problems');
    expect([reply.status, reply.headers.allow]).to.deep.equal([405, 'GET, HEAD']);
  });
});
