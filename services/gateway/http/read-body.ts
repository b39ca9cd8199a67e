import type { IncomingMessage } from 'node:http';
import type { Fields } from '../../../lib/schema/fields.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { FieldComplaint } from '../../../lib/errors/problem.ts';
import { readExactJson } from '../domain/exact-json.ts';
import { isPlainJson } from '../domain/media-type.ts';

/** Contract, section 1. */
const BODY_MAX_BYTES = 64 * 1_024;

/**
 * Many clients read no answer before they have sent all. So what is too much is taken and thrown away for a while, then
 * the connection is closed.
 */
const DISCARD_MAX_BYTES = 16 * 1_024 * 1_024;
const DISCARD_MAX_MS = 1_000;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The client went away before its request was complete: there is nobody to answer. */
export class ClientGone extends Error {}

/**
 * Reads a JSON object from the request; none at all is an empty one.
 * @param fields the contract's body, to tell amounts from other numbers
 * @throws body_too_large, unsupported_media_type, malformed_json, amount_precision, validation_failed; ClientGone
 */
export async function readBody(request: IncomingMessage, fields: Fields): Promise<Record<string, unknown>> {
  const bytes = await collect(request);
  if (bytes.length === 0) return {};
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (!isPlainJson(type, encoding)) throw problem('unsupported_media_type');
  const reading = readExactJson(decode(bytes));
  if ('malformed' in reading) throw problem('malformed_json');
  if ('inexact' in reading) throw inexact(reading.inexact, fields);
  return reading.value;
}

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw problem('malformed_json');
  }
}

/** No currency has amounts of more than 15 digits, and a double keeps 15: what it would round is too precise. */
function inexact(pointers: string[], fields: Fields) {
  const amounts = pointers.filter((pointer) => fields[pointer.slice(1)]?.spec.kind === 'amount');
  const complaint = (pointer: string): FieldComplaint => ({
    pointer,
    code: 'precision',
    detail: 'This number has more digits than can be kept exactly; 15 are.',
  });
  return amounts.length > 0
    ? problem('amount_precision', { errors: amounts.map(complaint) })
    : problem('validation_failed', { errors: pointers.map(complaint) });
}

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let giveUp: NodeJS.Timeout | undefined;
    const settle = (conclude: () => void) => {
      clearTimeout(giveUp);
      request.off('data', take).off('end', finish).off('close', leave);
      conclude();
    };
    const refuse = () => {
      settle(() => {
        reject(problem('body_too_large'));
      });
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= BODY_MAX_BYTES) chunks.push(chunk);
      else giveUp ??= setTimeout(refuse, DISCARD_MAX_MS);
      if (length > DISCARD_MAX_BYTES) refuse();
    };
    const finish = () => {
      if (length > BODY_MAX_BYTES) refuse();
      else
        settle(() => {
          resolve(Buffer.concat(chunks, length));
        });
    };
    const leave = () => {
      settle(() => {
        reject(new ClientGone('the client closed the connection'));
      });
    };
    request.on('data', take).on('end', finish).on('close', leave).on('error', ignore);
  });
}

/** `close` follows every `error` of a request, and is what counts. */
function ignore(): void {
  // Nothing to do.
}
