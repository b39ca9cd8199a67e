/** The forms of the variables of the gateway: tokens, proxies and origins. */
import { createPublicKey } from 'node:crypto';
import proxyAddr from 'proxy-addr';
import { ASYMMETRIC, SYMMETRIC, tokenType, type Algorithm } from './jwt-settings.ts';
import { hasProtocol, type VariableType } from './variable-types.ts';

export const keySetUrl: VariableType<string> = {
  form: 'an http(s) URL without user and password',
  parse(given) {
    if (!hasProtocol(given, ['http:', 'https:'])) return undefined;
    // fetch() refuses a URL with a password, but only when it is called.
    const { username, password } = new URL(given);
    return username + password === '' ? given : undefined;
  },
};

/** An issuer has no query and no fragment (OpenID Connect Discovery 1.0, section 3). */
export const issuer: VariableType<string> = {
  form: 'an http(s) URL without user, password, query and fragment',
  parse(given) {
    const url = given.trim();
    return /[?#]/.test(url) ? undefined : keySetUrl.parse(url);
  },
};

/** The line breaks may be written as `\n`, as many formats of environment files require. */
export const publicKey: VariableType<string> = {
  form: 'a public key in PEM form (-----BEGIN PUBLIC KEY-----)',
  parse(given) {
    const pem = given.replaceAll('\\n', '\n');
    // Node would derive the public key from a private one, which does not belong here.
    if (pem.includes('PRIVATE KEY')) return undefined;
    try {
      createPublicKey(pem);
      return pem;
    } catch {
      return undefined;
    }
  },
};

const ALGORITHMS: readonly Algorithm[] = [...SYMMETRIC, ...ASYMMETRIC];

export const algorithms: VariableType<Algorithm[]> = {
  form: `some of ${ALGORITHMS.join(', ')}, with commas between`,
  parse(given) {
    const names = listOf(given);
    const areKnown = names.length > 0 && names.every((name) => (ALGORITHMS as readonly string[]).includes(name));
    return areKnown ? (names as Algorithm[]) : undefined;
  },
};

export const tokenTypes: VariableType<string[]> = {
  form: 'types with commas between, such as at+jwt,JWT',
  parse(given) {
    const types = listOf(given).map(tokenType);
    return types.length > 0 && types.every((type) => /^[\w.+-]+$/.test(type)) ? types : undefined;
  },
};

export const proxies: VariableType<string[]> = {
  form: 'IP addresses and CIDR ranges with commas between, such as 10.0.0.0/8,::1',
  parse(given) {
    const addresses = listOf(given);
    try {
      proxyAddr.compile(addresses);
      return addresses;
    } catch {
      return undefined;
    }
  },
};

/** The origins whose pages may read answers: `any`, none (`off`), or these. */
export type CorsOrigins = 'any' | 'off' | string[];

export const origins: VariableType<'any' | string[]> = {
  form: 'origins with commas between, such as https://app.example.com,http://localhost:5173, or *',
  parse(given) {
    if (given.trim() === '*') return 'any';
    const list = listOf(given);
    return list.length > 0 && list.every(isOrigin) ? list : undefined;
  },
};

/** Whether it is an origin as browsers send it: origins are compared as texts. Web views also use other schemes. */
function isOrigin(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, host, username, password } = new URL(given);
  return host !== '' && username + password === '' && given === `${protocol}//${host}`;
}

function listOf(given: string): string[] {
  return given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
