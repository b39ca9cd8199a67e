import { webcrypto } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { readKeyFile } from './key-file.ts';
import { liveKeys, type PinKey } from './key-set.ts';

/** How old the loaded keys may be: a rotation takes effect within this time, without a restart. */
const RECHECK_MS = 1_000;

export interface OpenedPin {
  /** The key that decrypted it. */
  kid: string;
  plaintext: Uint8Array;
}

/** The PIN keys of a running service, which are read again when their file changes. */
export interface PinKeyRing {
  /** Decrypts outside the event loop; returns null if none of the live keys fits. */
  open(ciphertext: Buffer): Promise<OpenedPin | null>;
  /** Whether the bytes are as long as a ciphertext for one of the keys: others need not be decrypted. */
  fits(bytes: Buffer): Promise<boolean>;
  /** Returns all keys of the file. */
  keys(): Promise<readonly PinKey[]>;
  /** Reads the file immediately, after it was changed. */
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
 * @param onFault called once for each change of the file that cannot be loaded; the keys stay as they were
 * @throws StartupError with a message of one line if the file is missing, unreadable or damaged
 */
export async function openKeyRing(
  path: string,
  clock: () => Date,
  onFault: (error: Error) => void,
): Promise<PinKeyRing> {
  let loaded = await load(path);
  let checkedAt_ms = clock().getTime();
  let reloading: Promise<void> | undefined;
  /** The version whose fault was reported. It is still read again, as the fault may be temporary. */
  let reported: string | undefined;

  async function recheck(): Promise<void> {
    checkedAt_ms = clock().getTime();
    const version = await versionOf(path);
    try {
      if (version !== loaded.version) loaded = await load(path);
      reported = undefined;
    } catch (error) {
      if (version !== reported) onFault(error as Error);
      reported = version;
    }
  }

  /** Checks the file. Calls during a check wait for it. */
  function refresh(): Promise<void> {
    reloading ??= recheck().finally(() => {
      reloading = undefined;
    });
    return reloading;
  }

  async function current(): Promise<LoadedKey[]> {
    if (Math.abs(clock().getTime() - checkedAt_ms) >= RECHECK_MS) await refresh();
    return loaded.keys;
  }

  return {
    keys: () => current(),
    refresh,
    fits: async (bytes) => (await current()).some(({ length_bytes }) => length_bytes === bytes.length),
    open: async (ciphertext) => {
      const opened = await tryEach(liveKeys(await current(), clock()), ciphertext);
      if (opened !== null) return opened;
      // The ciphertext may be for a new key that another node has already published.
      const before = loaded;
      await refresh();
      return loaded === before ? null : tryEach(liveKeys(loaded.keys, clock()), ciphertext);
    },
  };
}

/** Tries the keys one after another, as a ciphertext does not name its key. */
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
    // WebCrypto reports this error for every ciphertext that cannot be decrypted.
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

/** Returns a text that changes when the file is replaced, written or given another mode; 'missing' if there is none. */
async function versionOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) return 'missing';
  return [found.ino, found.mtimeNs, found.ctimeNs, found.size].join('/');
}
