/**
 * `/docs`: Swagger UI on the OpenAPI document, served from the package that is installed here. Nothing is loaded from
 * elsewhere, and the policy allows nothing else (docs/adr/0011-documents.md).
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { problem } from '../../../lib/errors/problem.ts';
import type { Page } from '../http/page.ts';
import { ASK_EACH_TIME, FOR_EVER, keptFile } from './kept-file.ts';

const require = createRequire(import.meta.url);
const PACKAGE = 'swagger-ui-dist/package.json';
const { version } = require(PACKAGE) as { version: string };

/** This server alone. Swagger UI draws its icons as `data:` images. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

const ownFile = (name: string) => readFile(join(import.meta.dirname, name));
const packageFile = (name: string, contentType: string) =>
  keptFile(FOR_EVER, async () => ({
    contentType,
    body: await readFile(join(dirname(require.resolve(PACKAGE)), name)),
  }));

export const docsPage = keptFile(ASK_EACH_TIME, async () => ({
  contentType: 'text/html; charset=utf-8',
  body: Buffer.from((await ownFile('index.html')).toString().replaceAll('{version}', version)),
  contentSecurityPolicy: POLICY,
}));

export const docsScript = keptFile(ASK_EACH_TIME, async () => ({
  contentType: JAVASCRIPT,
  body: await ownFile('start.js'),
}));

export const docsStyle = keptFile(ASK_EACH_TIME, async () => ({ contentType: CSS, body: await ownFile('docs.css') }));

/** A document that programs read, made when it is first asked for. */
export function documentPage(make: () => Promise<object>): Page['answer'] {
  return keptFile(ASK_EACH_TIME, async () => ({
    contentType: 'application/json; charset=utf-8',
    body: Buffer.from(JSON.stringify(await make())),
  }));
}

const PACKAGE_FILES = new Map<string, Page['answer']>([
  ['swagger-ui.css', packageFile('swagger-ui.css', CSS)],
  ['swagger-ui-bundle.js', packageFile('swagger-ui-bundle.js', JAVASCRIPT)],
  ['favicon-32x32.png', packageFile('favicon-32x32.png', 'image/png')],
]);

/** Swagger UI's own files: the version is in their address, so that caches keep them. */
export const swaggerFile: Page['answer'] = (asked) => {
  const { version: askedVersion, file = '' } = asked.parameters;
  const answer = askedVersion === version ? PACKAGE_FILES.get(file) : undefined;
  if (answer === undefined) throw problem('not_found');
  return answer(asked);
};
