/** Pages that stay the same until the next release. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import etag from 'etag';
import fresh from 'fresh';
import Negotiator from 'negotiator';
import type { Page, PageAnswer } from '../http/page.ts';

/** A file before it is tagged and compressed. */
export type File = Pick<PageAnswer, 'contentType' | 'contentSecurityPolicy'> & { body: Buffer };

/** The browser asks each time whether the file has changed, and mostly gets a 304. */
export const ASK_EACH_TIME = 'public, no-cache';

/** A year, the longest that caches keep anything: for addresses that change with their content. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

type Prepared = File & { tag: string; packed: Buffer };

/** Answers with a file that is loaded, tagged and compressed once, when it is first asked for. */
export function keptFile(cacheControl: string, load: () => File | Promise<File>): Page['answer'] {
  let preparing: Promise<Prepared> | undefined;
  return async ({ headers }) => {
    preparing ??= prepare(load).catch((error: unknown) => {
      // A file that could not be read may be readable at the next request.
      preparing = undefined;
      throw error;
    });
    return answerOf(await preparing, cacheControl, headers);
  };
}

async function prepare(load: () => File | Promise<File>): Promise<Prepared> {
  const file = await load();
  return { ...file, tag: etag(file.body, { weak: true }), packed: await promisify(gzip)(file.body) };
}

function answerOf(
  { body, packed, tag, ...file }: Prepared,
  cacheControl: string,
  asked: { 'if-none-match'?: string | undefined; 'accept-encoding'?: string | string[] | undefined },
): PageAnswer {
  const isPacked = new Negotiator({ headers: asked }).encoding(['gzip', 'identity']) === 'gzip';
  const sent = isPacked ? packed : body;
  const isKnown = fresh({ 'if-none-match': asked['if-none-match'] }, { etag: tag });
  return {
    ...file,
    status: isKnown ? 304 : 200,
    body: isKnown ? '' : sent,
    headers: {
      'Cache-Control': cacheControl,
      ETag: tag,
      Vary: 'Accept-Encoding',
      // A 304 has the length of the answer with a body (RFC 9110, section 8.6).
      'Content-Length': String(sent.length),
      ...(isPacked && !isKnown ? { 'Content-Encoding': 'gzip' } : {}),
    },
  };
}
