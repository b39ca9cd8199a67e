import { ErrorCode } from 'nats';
import { StartupError } from '../config/startup-error.ts';
import { faultOf } from '../errors/fault.ts';

/** A server of the settings that cannot be used. */
export interface Unreachable {
  name: 'NATS' | 'Postgres';
  /** Host and port. */
  at: string;
  /** The setting with its URL. */
  variable: string;
}

/** The files for TLS with each kind of server, as operators set them. */
const TLS_SETTINGS = {
  NATS: { ca: () => 'NATS_TLS_CA_FILE', client: () => 'NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE' },
  Postgres: {
    ca: (variable: string) => `sslrootcert in ${variable}`,
    client: (variable: string) => `sslcert and sslkey in ${variable}`,
  },
};

/** OpenSSL's codes, and those of the drivers. */
const UNTRUSTED = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
];
const INVALID_NOW = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'];
const OTHER_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';
const NATS_WITHOUT_TLS: string = ErrorCode.ServerOptionNotAvailable;
/** The driver's error has no code. */
const POSTGRES_WITHOUT_TLS = 'The server does not support SSL connections';
/** The alert of a server that misses a certificate of its client, or does not accept it. */
const CLIENT_CERTIFICATE = /^ERR_SSL_.*ALERT.*(CERTIFICATE|UNKNOWN_CA)/;
/** The server may close the connection before its alert is read. */
const CLOSED = ['ECONNRESET', 'EPIPE'];

/** Returns the error of a server that cannot be used: one line with host, port, reason and what to do, without credentials. */
export function unreachable(server: Unreachable, error: unknown, usesTls: boolean): StartupError {
  const { name, at, variable } = server;
  const tls = usesTls ? tlsFault(server, error) : undefined;
  const [message = ''] = faultOf(error).message.split('\n');
  const { reason, advice } = { reason: message, advice: `start it, or change ${variable}`, ...tls };
  return new StartupError(`Cannot reach ${name} at ${at} (${reason}): ${advice}.`);
}

function tlsFault({ name, variable }: Unreachable, error: unknown): { reason?: string; advice: string } | undefined {
  const { code = '', message } = faultOf(error);
  const { ca, client } = TLS_SETTINGS[name];
  if (UNTRUSTED.includes(code)) {
    return {
      reason: 'its certificate is not of a trusted CA',
      advice: `set ${ca(variable)} to the certificate of its CA`,
    };
  }
  if (INVALID_NOW.includes(code)) return { advice: 'renew its certificate, or correct the clock' };
  if (code === OTHER_HOST) {
    return {
      reason: 'its certificate is of another host',
      advice: `name it in ${variable} as its certificate does, or renew that`,
    };
  }
  if (code === NATS_WITHOUT_TLS || message === POSTGRES_WITHOUT_TLS) {
    return { reason: 'it has no TLS', advice: `give it a certificate, or change ${variable}` };
  }
  if (CLIENT_CERTIFICATE.test(code)) {
    return { reason: 'it requires a certificate of this client', advice: `set ${client(variable)}` };
  }
  if (!CLOSED.includes(code)) return undefined;
  return { advice: `start it or, if it requires a certificate of its clients, set ${client(variable)}` };
}
