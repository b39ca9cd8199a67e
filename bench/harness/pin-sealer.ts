import { constants, createPublicKey, publicEncrypt, randomBytes, type KeyObject } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyFile, readKeyFile } from '../../lib/pin/key-file.ts';
import { openKeyRing, type PinKeyRing } from '../../lib/pin/key-ring.ts';

export const PIN_USER = 'the user';

/** A ciphertext in base64. */
export type Sealed = string;

/** Creates a key, and the ring that decrypts with it. The bench removes the file with its other files at the end. */
export async function createPinKey(): Promise<{ ring: PinKeyRing; key: KeyObject }> {
  const file = join(await mkdtemp(join(tmpdir(), 'pin-key-')), 'pin-keys.json');
  await createKeyFile(file, new Date());
  const [{ kty = 'RSA', n = '', e = '' } = {}] = await readKeyFile(file);
  const key = createPublicKey({ key: { kty, n, e }, format: 'jwk' });
  const clock = () => new Date();
  const ring = await openKeyRing(file, clock, (error) => {
    throw error;
  });
  return { ring, key };
}

/** Makes ciphertexts, also some that no client makes. */
export class PinSealer {
  readonly #key: KeyObject;

  constructor(key: KeyObject) {
    this.#key = key;
  }

  seal(pin: string): Sealed {
    const how = { key: this.#key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    return publicEncrypt(how, Buffer.from(pin)).toString('base64');
  }

  /** Decrypts to a first byte other than 0, by which Manger's attack would find plaintexts. */
  wrongFirstByte(): Sealed {
    return this.#raw(1);
  }

  /** Decrypts to a first byte of 0, followed by bytes that are not OAEP. */
  wrongPadding(): Sealed {
    return this.#raw(0);
  }

  #raw(first: number): Sealed {
    const { modulusLength = 0 } = this.#key.asymmetricKeyDetails ?? {};
    const bytes = Buffer.concat([Buffer.from([first]), randomBytes(modulusLength / 8 - 1)]);
    return publicEncrypt({ key: this.#key, padding: constants.RSA_NO_PADDING }, bytes).toString('base64');
  }
}
