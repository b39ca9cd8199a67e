import { createSecretKey, webcrypto } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { loadOrCreateSecrets, pinKeysFile } from '../../lib/config/secrets.ts';
import { readKeyFile } from '../../lib/pin/key-file.ts';
import { closedLoop } from '../harness/closed-loop.ts';
import type { Load, Worker } from '../harness/worker.ts';

export interface CryptographyInput {
  /** Where the keys of PINs and the secret of tokens are. */
  dataDir: string;
  /** Encrypted PINs or signed tokens; they are taken in turn, again and again. */
  work: { ciphertexts: Uint8Array[] } | { tokens: string[] };
}

/** Looks at the clock once for so many checks of a token, which take a millisecond. */
const CHECKS_AT_ONCE = 100;

/** The cryptography of a contribution, one kind in one process: decrypts PINs, or verifies access tokens. */
export default async function cryptography({ dataDir, work }: CryptographyInput): Promise<Worker<Load, number>> {
  const run =
    'tokens' in work ? await tokenCheck(dataDir, work.tokens) : await rsaDecryption(dataDir, work.ciphertexts);
  return { run, stop: () => Promise.resolve() };
}

/** With the newest key, by WebCrypto, which works in the threads of the process. */
async function rsaDecryption(dataDir: string, ciphertexts: Uint8Array[]) {
  const [key] = await readKeyFile(pinKeysFile(dataDir));
  if (key === undefined) throw new Error('There is no PIN key');
  const { kty, n, e, d, p, q, dp, dq, qi } = key;
  const jwk = { kty, n, e, d, p, q, dp, dq, qi };
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const privateKey = await webcrypto.subtle.importKey('jwk', jwk, algorithm, false, ['decrypt']);
  async function decrypt(number: number): Promise<void> {
    const ciphertext = new Uint8Array(ciphertexts[number % ciphertexts.length]!);
    await webcrypto.subtle.decrypt({ name: 'RSA-OAEP' }, privateKey, ciphertext);
  }
  return async (load: Load): Promise<number> => (await closedLoop(load, decrypt)).count;
}

/** With a key that is prepared once. Nothing in it waits, so that none are in flight. */
async function tokenCheck(dataDir: string, tokens: string[]) {
  const key = createSecretKey(Buffer.from((await loadOrCreateSecrets(dataDir)).jwtSecret));
  return ({ duration_ms }: Load): Promise<number> => {
    const until_ms = performance.now() + duration_ms;
    let checked = 0;
    while (performance.now() < until_ms) {
      for (const end = checked + CHECKS_AT_ONCE; checked < end; checked += 1) {
        jwt.verify(tokens[checked % tokens.length] ?? '', key, { algorithms: ['HS256'] });
      }
    }
    return Promise.resolve(checked);
  };
}
