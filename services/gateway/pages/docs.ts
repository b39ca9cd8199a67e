/**
 * `/docs`, to which `/` leads: Swagger UI on the OpenAPI document, served from the package that is installed here. Nothing comes from
 * elsewhere, and the policy lets nothing (docs/adr/0011-documents.md).
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { problem } from '../../../lib/errors/problem.ts';
import { ASK_EACH_TIME, FOR_EVER, keptFile } from './kept-file.ts';
import type { Page } from './page.ts';

const require = createRequire(import.meta.url);
const PACKAGE = 'swagger-ui-dist/package.json';
const { version } = require(PACKAGE) as { version: string };
const packageFile = (name: string) => join(dirname(require.resolve(PACKAGE)), name);
const ownFile = (name: string) => join(import.meta.dirname, 'docs', name);

/** This server alone. Swagger UI draws its icons as `data:` images. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

const file = (path: string, contentType: string) => async () => ({ contentType, body: await readFile(path) });

/** Swagger UI's own: their address has its version, so they are kept for ever. */
const PACKAGE_FILES = new Map<string, Page['answer']>([
  ['swagger-ui.css', keptFile(FOR_EVER, file(packageFile('swagger-ui.css'), CSS))],
  ['swagger-ui-bundle.js', keptFile(FOR_EVER, file(packageFile('swagger-ui-bundle.js'), JAVASCRIPT))],
  ['favicon-32x32.png', keptFile(FOR_EVER, file(packageFile('favicon-32x32.png'), 'image/png'))],
]);

export const DOCS_PAGES: readonly Page[] = [
  // The address that a start prints is the root: it leads on to what people look for.
  { path: '/', answer: () => ({ status: 302, contentType: 'text/plain', body: '', headers: { Location: '/docs' } }) },
  {
    path: '/docs',
    answer: keptFile(ASK_EACH_TIME, async () => {
      const html = await readFile(ownFile('index.html'), 'utf8');
      return {
        contentType: 'text/html; charset=utf-8',
        body: Buffer.from(html.replaceAll('{version}', version)),
        contentSecurityPolicy: POLICY,
      };
    }),
  },
  { path: '/docs/start.js', answer: keptFile(ASK_EACH_TIME, file(ownFile('start.js'), JAVASCRIPT)) },
  { path: '/docs/docs.css', answer: keptFile(ASK_EACH_TIME, file(ownFile('docs.css'), CSS)) },
  {
    path: '/docs/:version/:file',
    answer: (asked) => {
      const answer = asked.parameters.version === version && PACKAGE_FILES.get(asked.parameters.file ?? '');
      if (answer === false || answer === undefined) throw problem('not_found');
      return answer(asked);
    },
  },
];
