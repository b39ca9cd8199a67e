/** The files for TLS: they are checked at the start, and read again at each connection. */
import { isIP } from 'node:net';
import { readNamedFile } from './secret-files.ts';
import { withNatsTls } from './server-urls.ts';
import { StartupError } from './startup-error.ts';

export type NatsTlsVariable = 'NATS_TLS_CA_FILE' | 'NATS_TLS_CERT_FILE' | 'NATS_TLS_KEY_FILE';

/**
 * Returns NATS_URL with the files of these variables.
 * @throws StartupError if a file cannot be read, or has no effect, or the client could not check a server's certificate
 */
export function withNatsTlsFiles<U extends string | undefined>(
  urls: U,
  read: (variable: NatsTlsVariable) => string | undefined,
): U | string {
  const files = { ca: read('NATS_TLS_CA_FILE'), cert: read('NATS_TLS_CERT_FILE'), key: read('NATS_TLS_KEY_FILE') };
  for (const [name, path] of Object.entries(files)) {
    if (path !== undefined) readNamedFile(`NATS_TLS_${name.toUpperCase()}_FILE`, path);
  }
  const hasTls = urls?.split(',').some((url) => url.startsWith('tls:')) === true;
  if (!hasTls && Object.values(files).some((path) => path !== undefined)) {
    throw new StartupError('NATS_TLS_CA_FILE, NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE need tls:// in NATS_URL.');
  }
  if ((files.cert === undefined) !== (files.key === undefined)) {
    throw new StartupError('NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE belong together: set both or none.');
  }
  if (hasTls && urls?.split(',').some(hasAddress) === true) {
    // The client would compare the certificate with `localhost`.
    throw new StartupError('NATS_URL must name servers with tls:// by host name, which their certificates name.');
  }
  return withNatsTls(urls, files);
}

function hasAddress(url: string): boolean {
  return isIP(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

/** @throws StartupError if a file in a database URL cannot be read */
export function requireTlsFiles(variable: string, url: string | undefined): void {
  if (url === undefined) return;
  const { searchParams } = new URL(url);
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    for (const path of searchParams.getAll(name)) readNamedFile(`${name} in ${variable}`, path);
  }
}
