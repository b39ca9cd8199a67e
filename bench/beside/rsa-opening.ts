import { webcrypto } from 'node:crypto';
import { readKeyFile } from '../../lib/pin/key-file.ts';
import { closedLoop } from '../apparatus/closed-loop.ts';
import type { Worker } from '../apparatus/worker.ts';

export interface RsaOpeningInput {
  /** The file with the private keys of PINs. */
  keysFile: string;
  /** Opened in turn, again and again: each time is as dear as the first. */
  ciphertexts: Uint8Array[];
}

/** Opens ciphertexts with the newest key, and does nothing else. WebCrypto works in the threads of the process. */
export default async function rsaOpening({ keysFile, ciphertexts }: RsaOpeningInput): Promise<Worker> {
  const key = (await readKeyFile(keysFile))[0];
  if (key === undefined) throw new Error('There is no PIN key');
  const { kty, n, e, d, p, q, dp, dq, qi } = key;
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const jwk = { kty, n, e, d, p, q, dp, dq, qi };
  const privateKey = await webcrypto.subtle.importKey('jwk', jwk, algorithm, false, ['decrypt']);
  return {
    async run(duration_ms, in_flight) {
      const { count } = await closedLoop({ duration_ms, in_flight }, async (number) => {
        const ciphertext = ciphertexts[number % ciphertexts.length];
        await webcrypto.subtle.decrypt({ name: 'RSA-OAEP' }, privateKey, new Uint8Array(ciphertext ?? []));
      });
      return count;
    },
    stop: () => Promise.resolve(),
  };
}
