/**
 * Serves `/docs`: Swagger UI for the OpenAPI document, from the installed package. Nothing is loaded from another
 * server, and the content policy forbids it (docs/adr/0011-documents.md).
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
import type { KnownApis } from '../further-apis/joined-apis.rules.ts';
import type { Measurements, Page } from '../http/router.ts';

const require = createRequire(import.meta.url);
const PACKAGE = 'swagger-ui-dist/package.json';
const { version } = require(PACKAGE) as { version: string };

/** Allows only this server. Swagger UI draws its icons as `data:` images. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** The browser revalidates the file each time, and usually gets a 304. */
const ASK_EACH_TIME = 'public, no-cache';

/** One year, the longest that caches keep a file. For addresses that change with their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Returns the answer with a file. The file is loaded, tagged and compressed once, at the first request.
 * @param source returns what the file is made from. While it is the same, so is the file
 */
function cachedFile<S>(
  cacheControl: string,
  load: (source: S) => Promise<PageAnswer>,
  source: (measured: Measurements) => S,
): Page['answer'] {
  let preparing: { from: S; file: Promise<Record<'gzip' | 'identity', PageAnswer>> } | undefined;

  async function prepare(from: S) {
    const file = await load(from);
    const tag = etag(file.body, { weak: true });
    const headers = { ...file.headers, 'Cache-Control': cacheControl, ETag: tag, Vary: 'Accept-Encoding' };
    const body = await promisify(gzip)(file.body);
    return {
      identity: { ...file, headers },
      gzip: { ...file, body, headers: { ...headers, 'Content-Encoding': 'gzip' } },
    };
  }

  return async (request, measured) => {
    const from = source(measured);
    if (preparing?.from !== from) {
      const file = prepare(from).catch((error: unknown) => {
        // If the file could not be read, the next request tries again.
        preparing = undefined;
        throw error;
      });
      preparing = { from, file };
    }
    const file = await preparing.file;
    return new Negotiator(request).encoding(['gzip', 'identity']) === 'gzip' ? file.gzip : file.identity;
  };
}

/** Returns the answer with a file from this folder or from the package. */
function file(cacheControl: string, path: string, contentType: string): Page['answer'] {
  return cachedFile(cacheControl, async () => ({ contentType, body: await readFile(path) }), unchanging);
}

const unchanging = (): null => null;

const ownPath = (name: string) => join(import.meta.dirname, name);

export const docsPage = cachedFile(
  ASK_EACH_TIME,
  async () => ({
    contentType: 'text/html; charset=utf-8',
    body: (await readFile(ownPath('index.html'))).toString().replaceAll('{version}', version),
    headers: { 'Content-Security-Policy': POLICY },
  }),
  unchanging,
);

export const docsScript = file(ASK_EACH_TIME, ownPath('start.js'), JAVASCRIPT);
export const docsStyle = file(ASK_EACH_TIME, ownPath('docs.css'), CSS);

/** Returns the answer with a JSON document, which is made at the first request, and again when further services change their routes. */
export function documentPage(make: (further: KnownApis) => Promise<object>): Page['answer'] {
  const load = async (known: KnownApis) => jsonPage(await make(known));
  return cachedFile(ASK_EACH_TIME, load, ({ furtherApis }) => furtherApis.current());
}

const packageFolder = dirname(require.resolve(PACKAGE));
const packageTypes = { 'swagger-ui.css': CSS, 'swagger-ui-bundle.js': JAVASCRIPT, 'favicon-32x32.png': 'image/png' };
const packageFiles = new Map(
  Object.entries(packageTypes).map(([name, type]) => [name, file(IMMUTABLE, join(packageFolder, name), type)]),
);

/** Answers with a file of Swagger UI. Its address contains the version, so that caches can keep it. */
export const swaggerFile: Page['answer'] = (request, measured) => {
  const { version: askedVersion, file = '' } = request.$params?.params ?? {};
  const answer = askedVersion === version ? packageFiles.get(file) : undefined;
  if (answer === undefined) throw problem('not_found');
  return answer(request, measured);
};
