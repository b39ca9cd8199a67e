import { createSecretKey, webcrypto } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { loadOrCreateSecrets, pinKeysFile } from '../../lib/config/secrets.ts';
import { readKeyFile } from '../../lib/pin/key-file.ts';
import { closedLoop } from '../harness/closed-loop.ts';
import type { Load, Worker } from '../harness/worker.ts';

export interface CryptographyInput {
  /** The directory with the PIN keys and the secret of tokens. */
  dataDir: string;
  /** Encrypted PINs or signed tokens, which are used in turn. */
  work: { ciphertexts: Uint8Array[] } | { tokens: string[] };
}

/** Number of token checks between two reads of the clock; they take about a millisecond. */
const CHECKS_PER_CLOCK_READ = 100;

/** Runs one kind of the cryptography of a contribution: decrypts PINs or verifies access tokens. */
export default async function cryptography({ dataDir, work }: CryptographyInput): Promise<Worker<Load, number>> {
  const run =
    'tokens' in work ? await tokenCheck(dataDir, work.tokens) : await rsaDecryption(dataDir, work.ciphertexts);
  return { run, stop: () => Promise.resolve() };
}

/** Decrypts with the newest key by WebCrypto, which works in the threads of the process. */
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

/** Verifies with a key that is prepared once. The checks are synchronous, so `in_flight` has no effect. */
async function tokenCheck(dataDir: string, tokens: string[]) {
  const key = createSecretKey(Buffer.from((await loadOrCreateSecrets(dataDir)).jwtSecret));
  return ({ duration_ms }: Load): Promise<number> => {
    const until_ms = performance.now() + duration_ms;
    let checked = 0;
    while (performance.now() < until_ms) {
      for (const end = checked + CHECKS_PER_CLOCK_READ; checked < end; checked += 1) {
        jwt.verify(tokens[checked % tokens.length] ?? '', key, { algorithms: ['HS256'] });
      }
    }
    return Promise.resolve(checked);
  };
}
