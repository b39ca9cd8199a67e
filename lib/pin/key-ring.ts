import { webcrypto } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { readKeyFile } from './key-file.ts';
import { liveKeys } from './key-set.ts';
import type { PinKey } from './key-set.ts';

/** How stale the keys may be: a rotation takes effect this soon, without a restart. */
const RECHECK_MS = 1_000;

export interface OpenedPin {
  /** The key that opened it. */
  kid: string;
  plaintext: Uint8Array;
}

/** The PIN keys of a running service, read again whenever their file changes. */
export interface PinKeyRing {
  /** Decrypts off the event loop; null if none of the live keys opens it. */
  open(ciphertext: Buffer): Promise<OpenedPin | null>;
  /** Whether it is as long as a ciphertext for one of the live keys is: of anything else no key need be asked. */
  fits(bytes: Buffer): Promise<boolean>;
  /** All keys of the file, for tending it. */
  keys(): Promise<readonly PinKey[]>;
  /** Looks at the file now, for who has just changed it. */
  refresh(): Promise<void>;
}

interface LoadedKey extends PinKey {
  cryptoKey: webcrypto.CryptoKey;
  /** An OAEP ciphertext is exactly as long as the modulus. */
  length_bytes: number;
}

interface Loaded {
  version: string;
  keys: LoadedKey[];
}

/**
 * Opens the ring.
 * @param onFault hears once of a change of the file that could not be taken over: the keys stay as they were then
 * @throws StartupError in one line if the file is missing, unreadable or damaged
 */
export async function openKeyRing(
  path: string,
  clock: () => Date,
  onFault: (error: Error) => void,
): Promise<PinKeyRing> {
  let loaded = await load(path);
  let checkedAt_ms = clock().getTime();
  let reloading: Promise<void> | undefined;
  /** The state of the file whose fault was told. It is read again all the same: the cause may pass by itself. */
  let toldOf: string | undefined;

  async function recheck(): Promise<void> {
    checkedAt_ms = clock().getTime();
    const version = await versionOf(path);
    try {
      if (version !== loaded.version) loaded = await load(path);
      toldOf = undefined;
    } catch (error) {
      if (version !== toldOf) onFault(error as Error);
      toldOf = version;
    }
  }

  /** Requests that come while the file is being looked at wait for that one look. */
  function lookAgain(): Promise<void> {
    reloading ??= recheck().finally(() => {
      reloading = undefined;
    });
    return reloading;
  }

  async function current(): Promise<LoadedKey[]> {
    if (Math.abs(clock().getTime() - checkedAt_ms) >= RECHECK_MS) await lookAgain();
    return loaded.keys;
  }

  return {
    keys: () => current(),
    refresh: lookAgain,
    fits: async (bytes) => (await current()).some(({ length_bytes }) => length_bytes === bytes.length),
    open: async (ciphertext) => {
      const opened = await tryEach(liveKeys(await current(), clock()), ciphertext);
      if (opened !== null) return opened;
      // It may be for a key that another node has handed out already: only the file knows.
      const before = loaded;
      await lookAgain();
      return loaded === before ? null : tryEach(liveKeys(loaded.keys, clock()), ciphertext);
    },
  };
}

/** A ciphertext does not say for which key it is. */
async function tryEach(keys: LoadedKey[], ciphertext: Buffer): Promise<OpenedPin | null> {
  for (const { kid, cryptoKey, length_bytes } of keys) {
    if (ciphertext.length !== length_bytes) continue;
    const plaintext = await decrypt(cryptoKey, ciphertext);
    if (plaintext !== null) return { kid, plaintext };
  }
  return null;
}

async function decrypt(key: webcrypto.CryptoKey, ciphertext: Buffer): Promise<Uint8Array | null> {
  try {
    return new Uint8Array(await webcrypto.subtle.decrypt({ name: 'RSA-OAEP' }, key, ciphertext));
  } catch (error) {
    // WebCrypto's one answer to everything that is wrong with a ciphertext.
    if ((error as Error).name === 'OperationError') return null;
    throw error;
  }
}

async function load(path: string): Promise<Loaded> {
  const version = await versionOf(path);
  const keys = await readKeyFile(path);
  return { version, keys: await Promise.all(keys.map(importKey)) };
}

async function importKey(key: PinKey): Promise<LoadedKey> {
  const { kty, n, e, d, p, q, dp, dq, qi } = key;
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const jwk = { kty, n, e, d, p, q, dp, dq, qi };
  const cryptoKey = await webcrypto.subtle.importKey('jwk', jwk, algorithm, false, ['decrypt']);
  return { ...key, cryptoKey, length_bytes: Buffer.from(n, 'base64url').length };
}

/** Changes whenever the file is replaced, written to or given other rights; 'missing' where there is none. */
async function versionOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) return 'missing';
  return [found.ino, found.mtimeNs, found.ctimeNs, found.size].join('/');
}
