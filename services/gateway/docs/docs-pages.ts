/**
 * `/docs`: Swagger UI on the OpenAPI document, served from the package that is installed here. Nothing is loaded from
 * elsewhere, and the policy allows nothing else (docs/adr/0011-documents.md).
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { problem } from '../../../lib/errors/problem.ts';
import { jsonPage } from '../http/answer.ts';
import type { Page } from '../http/router.ts';
import { ASK_EACH_TIME, cachedFile, FOR_EVER } from './cached-file.ts';

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

export const docsPage = cachedFile(ASK_EACH_TIME, async () => ({
  contentType: 'text/html; charset=utf-8',
  body: (await ownFile('index.html')).toString().replaceAll('{version}', version),
  headers: { 'Content-Security-Policy': POLICY },
}));

export const docsScript = cachedFile(ASK_EACH_TIME, async () => ({
  contentType: JAVASCRIPT,
  body: await ownFile('start.js'),
}));

export const docsStyle = cachedFile(ASK_EACH_TIME, async () => ({ contentType: CSS, body: await ownFile('docs.css') }));

/** A document that programs read, made when it is first asked for. */
export function documentPage(make: () => Promise<object>): Page['answer'] {
  return cachedFile(ASK_EACH_TIME, async () => jsonPage(await make()));
}

const packageFile = (name: string, contentType: string): [string, Page['answer']] => {
  const path = join(dirname(require.resolve(PACKAGE)), name);
  return [name, cachedFile(FOR_EVER, async () => ({ contentType, body: await readFile(path) }))];
};

const PACKAGE_FILES = new Map([
  packageFile('swagger-ui.css', CSS),
  packageFile('swagger-ui-bundle.js', JAVASCRIPT),
  packageFile('favicon-32x32.png', 'image/png'),
]);

/** Swagger UI's own files: the version is in their address, so that caches keep them. */
export const swaggerFile: Page['answer'] = (request, measured) => {
  const { version: askedVersion, file = '' } = request.$params?.params ?? {};
  const answer = askedVersion === version ? PACKAGE_FILES.get(file) : undefined;
  if (answer === undefined) throw problem('not_found');
  return answer(request, measured);
};
