import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import getRawBody from 'raw-body';
import type { Endpoint } from '../../../lib/contracts/action.ts';
import { problem, type Problem } from '../../../lib/errors/problem.ts';
import { COMPLAINTS_MAX, pointerSegment } from '../../../lib/schema/complaints.ts';
import type { Field, Fields } from '../../../lib/schema/fields.ts';

/** Most requests have at most a few kilobytes. The API documents this limit, and the larger ones of some operations. */
const BODY_MAX_KIB = 64;

/**
 * Many clients do not read the answer before they have sent the whole body. The rest of a body that is too large is
 * therefore read and dropped up to these limits; then the connection is closed.
 */
const DISCARD_MAX_BYTES = 16 * 1_024 * 1_024;
const DISCARD_MAX_MS = 1_000;

/** The bodies of the contracts are nested three levels deep. A deeper body may be an attack on the stack. */
const DEPTH_MAX = 32;

/** Replaces a number that parsing would have changed. */
const INEXACT = Symbol('inexact number');

/** The type of `JSON.parse` in Node 24, where the reviver also gets the text of each number. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Thrown if the client closed the connection before its request was complete. No answer can be sent. */
export class ClientGone extends Error {}

/**
 * Reads a JSON object from the request. A missing body is read as an empty object.
 * @param endpoint its body tells amounts from other numbers
 * @throws body_too_large, unsupported_media_type, malformed_json, amount_precision, validation_failed; ClientGone
 */
export async function readBody(
  request: IncomingMessage,
  { body: fields, body_max_kib = BODY_MAX_KIB }: Pick<Endpoint, 'body' | 'body_max_kib'>,
): Promise<Record<string, unknown>> {
  const bytes = await collect(request, body_max_kib * 1_024);
  if (bytes.length === 0) return {};
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (!isPlainJson(type, encoding)) throw problem('unsupported_media_type');
  return readExactJson(bytes, fields);
}

async function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(request, { limit });
  } catch (error) {
    const isTooLarge = (error as { type?: string }).type === 'entity.too.large';
    if (isTooLarge) await discard(request);
    if (!isTooLarge || request.readableAborted) throw new ClientGone('the client closed the connection');
    throw problem('body_too_large');
  }
}

/** Reads and drops the rest of a body, until it ends or a limit is reached. */
async function discard(request: IncomingMessage): Promise<void> {
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, DISCARD_MAX_MS);
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARD_MAX_BYTES) resolve();
  });
  // Every `error` event is followed by `close`.
  request.on('end', resolve).on('close', resolve).on('error', resolve).resume();
  await enough;
  clearTimeout(timer);
}

/** Whether a body with these headers can be read: `application/json` in UTF-8, not compressed. */
function isPlainJson(contentType = '', contentEncoding = 'identity'): boolean {
  if (contentEncoding.trim().toLowerCase() !== 'identity') return false;
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    // The header is not a media type.
    return false;
  }
}

/**
 * Parses a JSON object exactly: a number that a double would round is refused, not rounded. If a member occurs twice,
 * the last one counts.
 * @param fields the body of the contract, to tell amounts from other numbers
 * @throws malformed_json for anything that is not UTF-8, not JSON, not an object, or nested too deeply;
 * amount_precision; validation_failed
 */
export function readExactJson(bytes: Uint8Array, fields: Fields): Record<string, unknown> {
  const value = parse(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw problem('malformed_json');
  const inexact: string[] = [];
  inspect(value, '', 0, inexact);
  if (inexact.length > 0) throw inexactNumbers(inexact, fields);
  return value as Record<string, unknown>;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return (JSON.parse as ParseWithSource)(UTF8.decode(bytes), (_key, member, { source }) =>
      typeof member === 'number' && source !== undefined && !isExact(source, member) ? INEXACT : member,
    );
  } catch {
    // JSON that is nested too deeply for the stack ends here too.
    throw problem('malformed_json');
  }
}

/** Longer than the pointer of any field. */
const POINTER_MAX_LENGTH = 200;

/** Returns the pointer to a member; to the value that contains it if that would be too long, as 64 KiB can name it often. */
function pointerTo(pointer: string, name: string): string {
  const longer = name.length > POINTER_MAX_LENGTH ? undefined : pointer + pointerSegment(name);
  return longer === undefined || longer.length > POINTER_MAX_LENGTH ? pointer : longer;
}

/**
 * Collects the pointers of inexact numbers, at most COMPLAINTS_MAX of them.
 * @throws malformed_json for a value that is nested too deeply
 */
function inspect(value: object, pointer: string, depth: number, inexact: string[]): void {
  if (depth > DEPTH_MAX) throw problem('malformed_json');
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === INEXACT && inexact.length < COMPLAINTS_MAX) inexact.push(pointerTo(pointer, name));
    else if (typeof member === 'object' && member !== null) {
      inspect(member, pointerTo(pointer, name), depth + 1, inexact);
    }
  }
}

/**
 * Builds the refusal of numbers that a double would round. For an amount this is amount_precision, even if it is a whole
 * number with too many digits.
 */
function inexactNumbers(pointers: string[], fields: Fields): Problem {
  const amounts = pointers.filter((pointer) => isAmount(fields, pointer.split('/').slice(1)));
  const code = amounts.length > 0 ? 'amount_precision' : 'validation_failed';
  const detail = 'This number has too many digits. Only 15 are kept exactly.';
  const wrong = amounts.length > 0 ? amounts : pointers;
  return problem(code, { errors: wrong.map((pointer) => ({ pointer, code: 'precision', detail })) });
}

/** Whether the value at this place in the body is an amount. */
function isAmount(fields: Fields, [name = '', ...rest]: string[]): boolean {
  // A body may have a member called `__proto__` or `constructor`, which every object has.
  let field: Field | undefined = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field?.spec.kind === 'list') {
    field = field.spec.of;
    rest.shift();
  }
  if (rest.length === 0) return field?.spec.kind === 'amount';
  return field?.spec.kind === 'object' && isAmount(field.spec.fields, rest);
}

/** Whether the text and the shortest form of the double denote the same number. */
function isExact(source: string, value: number): boolean {
  // A text of up to 15 characters has no more digits than a double keeps, unless it has an exponent.
  if (source.length <= 15 && !source.includes('e') && !source.includes('E')) return true;
  return Number.isFinite(value) && canonical(source) === canonical(String(value));
}

/** Writes a decimal as `<digits>e<exponent>`, without sign and without zeros at either end. */
function canonical(decimal: string): string {
  const [mantissa = '', exponent = '0'] = decimal.replace(/^[-+]/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutZerosAtEnd(digits);
  if (significant === '') return '0';
  return `${significant}e${String(Number(exponent) - fraction.length + digits.length - significant.length)}`;
}

/** A body can contain a number of 64 KiB, for which `replace(/0+$/, '')` would take seconds: quadratic time. */
function withoutZerosAtEnd(digits: string): string {
  let length = digits.length;
  while (digits[length - 1] === '0') length -= 1;
  return digits.slice(0, length);
}
