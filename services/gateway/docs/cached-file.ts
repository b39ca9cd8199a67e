/** Pages that stay the same until the next release. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import etag from 'etag';
import Negotiator from 'negotiator';
import type { PageAnswer } from '../http/answer.ts';
import type { Page } from '../http/router.ts';

/** The browser asks each time whether the file has changed, and mostly gets a 304. */
export const ASK_EACH_TIME = 'public, no-cache';

/** A year, the longest that caches keep anything: for addresses that change with their content. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

/** Answers with a file that is loaded, tagged and compressed once, when it is first asked for. */
export function cachedFile(cacheControl: string, load: () => Promise<PageAnswer>): Page['answer'] {
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
