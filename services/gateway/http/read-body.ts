import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { problem } from '../../../lib/errors/problem.ts';
import type { Fields } from '../../../lib/schema/fields.ts';
import { readExactJson } from './body.rules.ts';
import { isPlainJson } from './head.rules.ts';

/** Contract, section 1. */
const BODY_MAX_BYTES = 64 * 1_024;

/**
 * Many clients read no answer before they have sent everything. So the rest of a body that is too large is read and
 * dropped for a while, then the connection is closed.
 */
const DISCARD_MAX_BYTES = 16 * 1_024 * 1_024;
const DISCARD_MAX_MS = 1_000;

/** The client closed the connection before its request was complete: no answer can be sent. */
export class ClientGone extends Error {}

/**
 * Reads a JSON object from the request; no body is an empty one.
 * @param fields the contract's body, to tell amounts from other numbers
 * @throws body_too_large, unsupported_media_type, malformed_json, amount_precision, validation_failed; ClientGone
 */
export async function readBody(request: IncomingMessage, fields: Fields): Promise<Record<string, unknown>> {
  const bytes = await collect(request);
  if (bytes.length === 0) return {};
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (!isPlainJson(type, encoding)) throw problem('unsupported_media_type');
  return readExactJson(bytes, fields);
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  try {
    return await getRawBody(request, { limit: BODY_MAX_BYTES });
  } catch (error) {
    const isTooLarge = (error as { type?: string }).type === 'entity.too.large';
    if (isTooLarge) await discard(request);
    if (!isTooLarge || request.readableAborted) throw new ClientGone('the client closed the connection');
    throw problem('body_too_large');
  }
}

/** Reads and drops what is left of a body, until it ends or a limit is reached. */
async function discard(request: IncomingMessage): Promise<void> {
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, DISCARD_MAX_MS);
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARD_MAX_BYTES) resolve();
  });
  // Every `error` is followed by a `close`.
  request.on('end', resolve).on('close', resolve).on('error', resolve).resume();
  await enough;
  clearTimeout(timer);
}
