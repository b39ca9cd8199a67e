/**
 * `/docs`: Swagger UI on the OpenAPI document, served from the package that is installed here. Nothing is loaded from
 * elsewhere, and the policy allows nothing else (docs/adr/0011-documents.md).
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import etag from 'etag';
import Negotiator from 'negotiator';
import { problem } from '../../../lib/errors/problem.ts';
import { jsonPage, type PageAnswer } from '../http/answer.ts';
import type { Page } from '../http/router.ts';

const require = createRequire(import.meta.url);
const PACKAGE = 'swagger-ui-dist/package.json';
const { version } = require(PACKAGE) as { version: string };

/** This server alone. Swagger UI draws its icons as `data:` images. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** The browser asks each time whether the file has changed, and mostly gets a 304. */
const ASK_EACH_TIME = 'public, no-cache';

/** A year, the longest that caches keep anything: for addresses that change with their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Answers with a file that is loaded, tagged and compressed once, when it is first asked for. */
function cachedFile(cacheControl: string, load: () => Promise<PageAnswer>): Page['answer'] {
  let preparing: Promise<Record<'gzip' | 'identity', PageAnswer>> | undefined;

  async function prepare() {
    const file = await load();
    const tag = etag(file.body, { weak: true });
    const headers = { ...file.headers, 'Cache-Control': cacheControl, ETag: tag, Vary: 'Accept-Encoding' };
    const body = await promisify(gzip)(file.body);
    return {
      identity: { ...file, headers },
      gzip: { ...file, body, headers: { ...headers, 'Content-Encoding': 'gzip' } },
    };
  }

  return async (request) => {
    preparing ??= prepare().catch((error: unknown) => {
      // A file that could not be read may be readable at the next request.
      preparing = undefined;
      throw error;
    });
    const file = await preparing;
    return new Negotiator(request).encoding(['gzip', 'identity']) === 'gzip' ? file.gzip : file.identity;
  };
}

/** A file of this folder, or of the package. */
function file(cacheControl: string, path: string, contentType: string): Page['answer'] {
  return cachedFile(cacheControl, async () => ({ contentType, body: await readFile(path) }));
}

const ownPath = (name: string) => join(import.meta.dirname, name);

export const docsPage = cachedFile(ASK_EACH_TIME, async () => ({
  contentType: 'text/html; charset=utf-8',
  body: (await readFile(ownPath('index.html'))).toString().replaceAll('{version}', version),
  headers: { 'Content-Security-Policy': POLICY },
}));

export const docsScript = file(ASK_EACH_TIME, ownPath('start.js'), JAVASCRIPT);
export const docsStyle = file(ASK_EACH_TIME, ownPath('docs.css'), CSS);

/** A document that programs read, made when it is first asked for. */
export function documentPage(make: () => Promise<object>): Page['answer'] {
  return cachedFile(ASK_EACH_TIME, async () => jsonPage(await make()));
}

const packageFolder = dirname(require.resolve(PACKAGE));
const packageTypes = { 'swagger-ui.css': CSS, 'swagger-ui-bundle.js': JAVASCRIPT, 'favicon-32x32.png': 'image/png' };
const packageFiles = new Map(
  Object.entries(packageTypes).map(([name, type]) => [name, file(FOR_EVER, join(packageFolder, name), type)]),
);

/** Swagger UI's own files: the version is in their address, so that caches keep them. */
export const swaggerFile: Page['answer'] = (request, measured) => {
  const { version: askedVersion, file = '' } = request.$params?.params ?? {};
  const answer = askedVersion === version ? packageFiles.get(file) : undefined;
  if (answer === undefined) throw problem('not_found');
  return answer(request, measured);
};
