import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { missingForBrowser, startBrowser } from '../harness/browser.ts';
import { installClient } from '../harness/client-package.ts';
import { startCluster, TOGETHER, type Cluster } from '../harness/cluster.ts';
import { HttpClient } from '../harness/http.ts';
import { root } from '../harness/project-files.ts';

const run = promisify(execFile);

/** A small phone. */
const PHONE = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true };
/** Much longer than Swagger UI takes for an operation while other tests use the machine. */
const PATIENCE_MS = 120_000;

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    module: 'esnext',
    moduleResolution: 'bundler',
  },
  files: ['app.ts'],
};

/** Returns the names and paths of operations that are cut or wider than the page, and the names on more than two lines. */
const CUT = `[...document.querySelectorAll('.opblock-summary-operation-id, .opblock-summary-path')].filter((element) => {
  const { left, right } = element.getBoundingClientRect();
  const block = element.closest('.opblock').getBoundingClientRect();
  const isCut = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
  const text = document.createRange();
  text.selectNodeContents(element);
  const lines = new Set(Array.from(text.getClientRects(), ({ top }) => Math.round(top))).size;
  const isBroken = lines > 2 && element.matches('.opblock-summary-operation-id');
  return isCut || isBroken || left < block.left || right > block.right || block.right > innerWidth;
}).map(({ textContent }) => textContent)`;

const missing = missingForBrowser();

describe('Chromium', function () {
  this.timeout(600_000);
  if (missing !== undefined) {
    // Mocha reports a test without a body as pending.
    it(`is not used, since ${missing}`);
    return;
  }
  let work: string;
  let app: Server;
  let port: number;
  let cluster: Cluster;
  let browser: Browser;

  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'association-browser-'));
    app = await serve(join(work, 'app'));
    ({ port } = app.address() as AddressInfo);
    const settings = { CORS_ORIGINS: `http://127.0.0.1:${String(port)}` };
    cluster = await startCluster({ processes: TOGETHER, settings });
    browser = await startBrowser();
  });
  after(async () => {
    await browser.close();
    await cluster.stop();
    app.close();
    await rm(work, { recursive: true, force: true });
  });

  async function newPage(options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options);
    page.setDefaultTimeout(PATIENCE_MS);
    return page;
  }

  describe('with the client from `npm pack`, in an app of another origin', () => {
    before(() => buildApp(join(work, 'app'), join(work, 'packed')));

    it('creates an association, sets a PIN, pays and reads the payment', async () => {
      const awa = new HttpClient(cluster.origin, cluster.token('awa'));
      const bank = new HttpClient(cluster.origin, cluster.token('bank', { scope: 'wallets:fund' }));
      const { id } = await awa.created('/wallets', { currency: 'XAF' });
      await bank.created(`/wallets/${String(id)}/deposits`, { amount: 20_000, reference: 'opening' });

      const page = await newPage();
      await page.goto(`http://127.0.0.1:${String(port)}/`);
      const given = [cluster.origin, awa.token, id];
      expect(await page.evaluate(`pay(...${JSON.stringify(given)})`)).to.deep.equal({
        refused: 'pin_invalid',
        paid: 'paid',
        read: [{ amount: 5_000, status: 'paid' }],
      });
    });

    it('cannot call the service from an origin that CORS_ORIGINS does not list', async () => {
      const page = await newPage();
      await page.goto(`http://localhost:${String(port)}/`);
      const request = `fetch('${cluster.origin}/association-service/api/v1/keys/pin')`;
      expect(await page.evaluate(`${request}.catch(({ name }) => name)`)).to.equal('TypeError');
    });
  });

  describe('on /docs with 360 × 640 pixels', () => {
    let page: Page;
    /** What the page has reported as errors, such as violations of its Content-Security-Policy. */
    const errors: string[] = [];

    before(async () => {
      page = await newPage(PHONE);
      page.on('pageerror', ({ message }) => errors.push(message));
      page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
      await page.goto(`${cluster.origin}/docs`);
      await page.locator('.opblock').first().waitFor();
    });

    const authorize = () => page.locator('.scheme-container .authorize');
    const dialog = () => page.locator('.auth-container');
    const operation = (id: string) => page.locator('.opblock', { has: page.getByText(id, { exact: true }) });
    const pageWidth = () => page.evaluate('document.documentElement.scrollWidth');

    it('has Authorize on the first screen, and says there how to get a token', async () => {
      const { x, y, width, height } = (await authorize().boundingBox())!;
      expect([x, y].filter((edge) => edge < 0)).to.deep.equal([]);
      expect(x + width).to.be.at.most(PHONE.viewport.width);
      expect(y + height).to.be.at.most(PHONE.viewport.height);
      await authorize().click();
      expect(await dialog().innerText())
        .to.contain('npm run token -- <user>')
        .and.contain('docs/identity.md');
      await dialog().getByText('Close').click();
    });

    it('shows names and paths of operations whole', async () => {
      expect(await page.locator('.opblock-summary-operation-id').count()).to.be.above(50);
      expect(await page.evaluate(CUT)).to.deep.equal([]);
    });

    it('keeps the token over a reload, in the browser only', async () => {
      await authorize().click();
      await dialog().locator('input').fill(cluster.token('ben'));
      await dialog().getByText('Authorize').click();
      await page.reload();
      await page.locator('.scheme-container .authorize.locked').waitFor();
      expect(await page.context().cookies()).to.deep.equal([]);

      const mine = operation('myAssociations');
      await mine.locator('.opblock-summary-control').click();
      await mine.locator('.execute').click();
      const answer = mine.locator('.live-responses-table .response-col_status').last();
      expect(await answer.innerText()).to.equal('200');
    });

    it('does not scroll sideways, with a long operation and an answer shown', async () => {
      await operation('getContribution').locator('.opblock-summary-control').click();
      await operation('getContribution').locator('.responses-table').waitFor();
      expect(await pageWidth()).to.equal(PHONE.viewport.width);
    });

    it('reports no error, so it follows its Content-Security-Policy', () => {
      expect(errors).to.deep.equal([]);
    });
  });
});

/** Serves the files of a folder, as a web server serves an app. */
async function serve(folder: string): Promise<Server> {
  const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript' };
  const server = createServer(({ url = '/' }, response) => {
    const path = join(folder, url === '/' ? 'index.html' : url);
    readFile(path).then(
      (body) => response.setHeader('Content-Type', types[extname(path)] ?? 'application/octet-stream').end(body),
      () => response.writeHead(404).end(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Installs the client and compiles the app, whose page finds the packages where Node finds them. */
async function buildApp(folder: string, work: string): Promise<void> {
  await mkdir(folder);
  await mkdir(work);
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await installClient(folder, work);
  await cp(join(import.meta.dirname, 'browser', 'app.txt'), join(folder, 'app.ts'));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const compiled = await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', '.'], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  expect(compiled.stdout).to.equal('');
  const list = `const names = ['@association-service/client', 'openapi-fetch'];
    console.log(JSON.stringify(Object.fromEntries(names.map((name) => [name, import.meta.resolve(name)]))));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', list], { cwd: folder });
  const imports = stdout.replaceAll(pathToFileURL(folder).href, '');
  await writeFile(
    join(folder, 'index.html'),
    `<!doctype html><script type="importmap">{"imports":${imports}}</script><script type="module" src="/app.js"></script>`,
  );
}
