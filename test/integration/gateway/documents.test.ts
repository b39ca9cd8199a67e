import { expect } from 'chai';
import { asyncApiDocument } from '../../../services/gateway/asyncapi/document.ts';
import { openApiDocument } from '../../../services/gateway/openapi/document.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';
import { GatewayBench } from '../../harness/gateway.ts';

describe('the documents over HTTP', () => {
  let bench: GatewayBench;
  let origin: string;

  before(async () => {
    bench = await GatewayBench.start([]);
    origin = `http://127.0.0.1:${String(bench.port)}`;
  });
  after(() => bench.stop());

  it('are open to everybody, and what the contracts say', async () => {
    for (const [path, document] of [
      ['/openapi.json', openApiDocument(ROUTES)],
      ['/asyncapi.json', asyncApiDocument()],
    ] as const) {
      const answer = await fetch(`${origin}${path}`);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(await answer.json()).to.deep.equal(JSON.parse(JSON.stringify(document)));
    }
  });

  it('are sent again only if they have changed', async () => {
    for (const path of ['/openapi.json', '/docs', '/docs/start.js']) {
      const tag = (await fetch(`${origin}${path}`)).headers.get('etag') ?? '';
      const again = await fetch(`${origin}${path}`, { headers: { 'If-None-Match': tag } });
      expect(again.status, path).to.equal(304);
      expect(await again.text()).to.equal('');
    }
  });

  it('are packed for who unpacks them, and plain for who does not', async () => {
    const get = (encoding: string) => fetch(`${origin}/openapi.json`, { headers: { 'Accept-Encoding': encoding } });
    const [packed, plain] = [await get('gzip, br'), await get('identity')];
    expect(packed.headers.get('content-encoding')).to.equal('gzip');
    expect(plain.headers.get('content-encoding')).to.equal(null);
    expect(plain.headers.get('vary')).to.equal('Accept-Encoding');
    expect(await packed.text()).to.equal(await plain.text());
  });

  it('are where the root leads', async () => {
    const answer = await fetch(`${origin}/`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([302, '/docs']);
    expect((await fetch(origin)).url).to.equal(`${origin}/docs`);
    expect((await fetch(`${origin}/`, { method: 'POST' })).status).to.equal(405);
  });

  it('have a page that takes nothing from elsewhere', async () => {
    const page = await fetch(`${origin}/docs`);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).to.contain("default-src 'none'");
    expect(policy).to.not.match(/https?:|unsafe-eval|\*/);
    const html = await page.text();
    const linked = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '');
    expect(linked).to.not.be.empty;
    for (const url of linked) {
      expect(url).to.match(/^\/[^/]/);
      expect((await fetch(`${origin}${url}`)).status, url).to.equal(200);
    }
  });

  it('keep the files of a version for ever, and know no other version', async () => {
    const html = await (await fetch(`${origin}/docs`)).text();
    const [, script = ''] = /src="(\/docs\/[\d.]+\/swagger-ui-bundle\.js)"/.exec(html) ?? [];
    const answer = await fetch(`${origin}${script}`);
    expect(answer.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(answer.headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
    for (const path of ['/docs/0.0.0/swagger-ui-bundle.js', script.replace('swagger-ui-bundle.js', 'package.json')]) {
      expect((await fetch(`${origin}${path}`)).status, path).to.equal(404);
    }
  });
});
