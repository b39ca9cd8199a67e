/** Encrypts what must not be readable in the database. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** What GCM is made for. Random ones repeat by chance only after 2^48 encryptions. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Tells the keys of one service apart. */
const KEY_ID_LENGTH = 8;

/** Seals texts, each for one place: a sealed text that is moved to another place cannot be opened. */
export interface SecretBox {
  /** @returns `<id of the key>.<base64url>` */
  seal(text: string, place: string): string;
  /** @throws Error if no key opens it, or it was sealed for another place */
  open(sealed: string, place: string): string;
  /** The ids of the keys, with which sealed texts begin. */
  readonly key_ids: readonly string[];
}

/**
 * Returns the box of these secrets.
 * @param secrets the first seals, and all of them open
 */
export function secretBox(secrets: readonly string[], random: (length: number) => Buffer = randomBytes): SecretBox {
  const keys = new Map(secrets.map((secret) => keyFrom(secret)));
  const [first] = keys;
  if (first === undefined) throw new Error('A secret box needs a secret');
  const [key_id, key] = first;
  return {
    key_ids: [...keys.keys()],
    seal(text, place) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${key_id}.${sealed.toString('base64url')}`;
    },
    open(sealed, place) {
      const opening = keys.get(keyIdIn(sealed));
      if (opening === undefined) throw new Error('No key of WEBHOOK_SECRET_KEY opens this');
      const bytes = Buffer.from(sealed.slice(KEY_ID_LENGTH + 1), 'base64url');
      const decipher = createDecipheriv(CIPHER, opening, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString();
    },
  };
}

/** Returns the id of the key that a sealed text begins with. */
export function keyIdIn(sealed: string): string {
  return sealed.slice(0, KEY_ID_LENGTH);
}

function keyFrom(secret: string): [id: string, key: Buffer] {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'webhook secrets', KEY_BYTES));
  return [createHash('sha256').update('key id').update(key).digest('hex').slice(0, KEY_ID_LENGTH), key];
}
