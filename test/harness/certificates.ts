import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 3_600_000;

/** A certificate and its private key, in PEM files. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

/** A private certificate authority. */
export interface CertificateAuthority {
  /** Its own certificate. */
  file: string;
  /** Makes a certificate for these host names and addresses, as a client and as a server. Its files begin with `name`. */
  issue(name: string, hosts: readonly string[], expires_in_ms?: number): Promise<CertificateFiles>;
}

/** Makes a certificate authority. All files are in `dir`. */
export async function makeCertificateAuthority(dir: string, name: string): Promise<CertificateAuthority> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await newKeys();
  const subject = `CN=${name}`;
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: subject,
    ...validity(DAY_MS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const file = join(dir, `${name}.pem`);
  await writeFile(file, authority.toString('pem'));
  return {
    file,
    async issue(certified, hosts, expires_in_ms = DAY_MS) {
      const own = await newKeys();
      const certificate = await x509.X509CertificateGenerator.create({
        subject: `CN=${certified}`,
        issuer: subject,
        ...validity(expires_in_ms),
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new x509.SubjectAlternativeNameExtension(
            hosts.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
          ),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
        ],
      });
      const files = { cert: join(dir, `${certified}-cert.pem`), key: join(dir, `${certified}-key.pem`) };
      await writeFile(files.cert, certificate.toString('pem'));
      await writeFile(files.key, await privatePem(own.privateKey), { mode: 0o600 });
      return files;
    },
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

function validity(expires_in_ms: number) {
  const now_ms = Date.now();
  return { notBefore: new Date(now_ms - 2 * DAY_MS), notAfter: new Date(now_ms + expires_in_ms) };
}
