/** Long enough for every id format in use, short enough for a log line. */
const REQUEST_ID_MAX_CHARACTERS = 128;

/** Visible ASCII: nothing that could break a header or a log line. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** The request id that the client sent, if it is fit to be echoed. */
export function saneRequestId(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.length > REQUEST_ID_MAX_CHARACTERS) return undefined;
  return VISIBLE_ASCII.test(header) ? header : undefined;
}
