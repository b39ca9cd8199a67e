/** Pages that are the same for everybody until the next release. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import etag from 'etag';
import fresh from 'fresh';
import Negotiator from 'negotiator';
import type { Page, PageAnswer } from './page.ts';

/** What a page is made of. */
export interface KeptFile {
  /** With its charset. */
  contentType: string;
  body: Buffer;
  contentSecurityPolicy?: string;
}

/** The browser asks each time whether it is still the same, and is mostly told so with a 304. */
export const ASK_EACH_TIME = 'public, no-cache';

/** A year, the longest that caches take: for addresses that change with what is there. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

interface Loaded extends KeptFile {
  tag: string;
  packed: Buffer;
}

/** Answers with a file that is loaded, tagged and packed once, when it is first asked for. */
export function keptFile(cacheControl: string, load: () => KeptFile | Promise<KeptFile>): Page['answer'] {
  let loading: Promise<Loaded> | undefined;
  return async ({ headers }) => {
    loading ??= prepare(load).catch((error: unknown) => {
      // Not kept: a file that could not be read now may be readable at the next request.
      loading = undefined;
      throw error;
    });
    return answerOf(await loading, cacheControl, headers);
  };
}

async function prepare(load: () => KeptFile | Promise<KeptFile>): Promise<Loaded> {
  const file = await load();
  return { ...file, tag: etag(file.body, { weak: true }), packed: await promisify(gzip)(file.body) };
}

function answerOf(
  { contentType, body, packed, tag, contentSecurityPolicy }: Loaded,
  cacheControl: string,
  asked: { 'if-none-match'?: string | undefined; 'accept-encoding'?: string | string[] | undefined },
): PageAnswer {
  const isPacked = new Negotiator({ headers: asked }).encoding(['gzip', 'identity']) === 'gzip';
  const sent = isPacked ? packed : body;
  const isKnown = fresh({ 'if-none-match': asked['if-none-match'] }, { etag: tag });
  return {
    status: isKnown ? 304 : 200,
    contentType,
    body: isKnown ? '' : sent,
    headers: {
      'Cache-Control': cacheControl,
      ETag: tag,
      Vary: 'Accept-Encoding',
      // Of a 304 too it is that of the answer with a body (RFC 9110, section 8.6).
      'Content-Length': String(sent.length),
      ...(isPacked && !isKnown ? { 'Content-Encoding': 'gzip' } : {}),
    },
    ...(contentSecurityPolicy === undefined ? {} : { contentSecurityPolicy }),
  };
}
