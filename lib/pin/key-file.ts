/** The file with the private PIN keys: a JSON Web Key Set (RFC 7517), which only its owner may read. */
import { createHash, webcrypto, randomBytes } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../config/startup-error.ts';
import { createOnce } from '../files/create-once.ts';
import { lockFile, type FileLock } from '../files/file-lock.ts';
import { KEY_LIFE_MS, MODULUS_MIN_BITS, modulusBits, rotate, toNumericDate, type PinKey } from './key-set.ts';

const FILE_MODE = 0o600;

/** The file may be read while it is written, which takes milliseconds. */
const READ_TRIES = 5;
const READ_AGAIN_MS = 20;

/**
 * Reads the keys in the file.
 * @throws StartupError, with a message of one line that shows no content, if the file is missing, unreadable or damaged
 */
export async function readKeyFile(path: string): Promise<PinKey[]> {
  const keys = await readWhole(path);
  if (keys === undefined) throw new StartupError(`The PIN keys in ${path} are damaged: restore the file.`);
  const weak = keys.find((key) => modulusBits(key) < MODULUS_MIN_BITS);
  if (weak === undefined) return keys;
  throw new StartupError(`A PIN key in ${path} has fewer than ${String(MODULUS_MIN_BITS)} bits: rotate it out.`);
}

/** Reads the keys, or those of the copy that an interrupted rotation left; returns undefined if both are incomplete. */
async function readWhole(path: string): Promise<PinKey[] | undefined> {
  for (let tries = 1; ; tries += 1) {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw new StartupError(`Cannot read the PIN keys in ${path}: ${reasonOf(error)}.`);
    });
    const keys = parse(text) ?? parse(await readFile(copyOf(path), 'utf8').catch(() => ''));
    if (keys !== undefined || tries === READ_TRIES) return keys;
    await sleep(READ_AGAIN_MS);
  }
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOENT') return 'it does not exist (ENOENT); create it with `npm run rotate-pin-key`';
  if (code === 'EISDIR') return 'it is a directory (EISDIR); Docker creates one if a file to mount is missing';
  if (code !== 'EACCES') return code;
  return `the user ${String(process.getuid?.())} may not read it (EACCES); let that user read it`;
}

/** Creates the file with one key, unless it exists. Only one of several processes that start together creates it. */
export async function createKeyFile(path: string, now: Date): Promise<void> {
  await createOnce(path, async () => contentOf([await generatePinKey(now)])).catch(throwNotWritable(path));
}

/**
 * Adds a new key, and retires the older ones after `overlap_ms`.
 * @returns the new set; undefined if another process is rotating the keys
 */
export async function rotateKeyFile(path: string, now: Date, overlap_ms: number): Promise<PinKey[] | undefined> {
  const lock = lockRotation(path);
  try {
    if (lock === undefined) return undefined;
    const keys = rotate(await readKeyFile(path), await generatePinKey(now), now, overlap_ms);
    await overwrite(path, keys).catch(throwNotWritable(path));
    return keys;
  } finally {
    lock?.release();
  }
}

function lockRotation(path: string): FileLock | undefined {
  try {
    return lockFile(`${path}.lock`);
  } catch (error) {
    return throwNotWritable(path)(error);
  }
}

/** Generates an RSA key of 2048 bits: 112 bits of security are enough for ciphertexts that are valid for seconds. */
export async function generatePinKey(now: Date): Promise<PinKey> {
  const publicExponent = new Uint8Array([1, 0, 1]);
  const { privateKey } = await webcrypto.subtle.generateKey(
    { name: 'RSA-OAEP', modulusLength: MODULUS_MIN_BITS, publicExponent, hash: 'SHA-256' },
    true,
    ['encrypt', 'decrypt'],
  );
  const { n, e, d, p, q, dp, dq, qi } = (await webcrypto.subtle.exportKey('jwk', privateKey)) as PinKey;
  const created = toNumericDate(now);
  const exp = toNumericDate(new Date(now.getTime() + KEY_LIFE_MS));
  const kid = randomBytes(12).toString('base64url');
  return { kty: 'RSA', n, e, d, p, q, dp, dq, qi, kid, use: 'enc', alg: 'RSA-OAEP-256', created, exp };
}

/**
 * Writes into the existing file: if another file were renamed over it, containers that have mounted it would keep the old
 * one. By the checksum, readers notice an incomplete file. The copy is complete before the file is changed and stays until
 * the file is complete, so that a crash loses no key.
 */
async function overwrite(path: string, keys: PinKey[]): Promise<void> {
  await writeAndSync(copyOf(path), 'w', keys);
  await writeAndSync(path, 'r+', keys);
  await rm(copyOf(path), { force: true });
}

const copyOf = (path: string): string => `${path}.new`;

async function writeAndSync(path: string, flags: 'w' | 'r+', keys: PinKey[]): Promise<void> {
  const file = await open(path, flags, FILE_MODE);
  try {
    await file.truncate();
    await file.writeFile(contentOf(keys));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Returns the file's content. The checksum comes first, so that a truncated or mixed text still has it. */
function contentOf(keys: PinKey[]): string {
  return `${JSON.stringify({ sha256: checksum(keys), keys }, null, 2)}\n`;
}

function checksum(keys: unknown): string {
  return createHash('sha256').update(JSON.stringify(keys)).digest('hex');
}

const throwNotWritable =
  (path: string) =>
  (error: unknown): never => {
    throw new StartupError(
      `Cannot write ${path} or files next to it (${codeOf(error)}): rotate the keys where that is possible, such as on the container's host.`,
    );
  };

const PRIVATE_MEMBERS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi', 'kid'] as const;

function parse(text: string): PinKey[] | undefined {
  try {
    const { sha256, keys } = JSON.parse(text) as { sha256?: unknown; keys?: unknown };
    // Files of earlier releases, and those created by other means, have no checksum.
    if (sha256 !== undefined && sha256 !== checksum(keys)) return undefined;
    return Array.isArray(keys) && keys.length > 0 && keys.every(isPinKey) ? keys : undefined;
  } catch {
    // The caller reports a damaged file. The parser's message would quote its content.
    return undefined;
  }
}

function isPinKey(value: unknown): value is PinKey {
  if (typeof value !== 'object' || value === null) return false;
  const key = value as Record<string, unknown>;
  return (
    key.kty === 'RSA' &&
    key.alg === 'RSA-OAEP-256' &&
    PRIVATE_MEMBERS.every((name) => typeof key[name] === 'string') &&
    Number.isSafeInteger(key.created) &&
    Number.isSafeInteger(key.exp)
  );
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unreadable';
}
