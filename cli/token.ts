import jwt, { type SignOptions } from 'jsonwebtoken';
import { loadSettings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import { secretsFile } from '../lib/config/secrets.ts';
import { USER_ID_MAX_CODE_POINTS } from '../lib/contracts/fields.ts';
import { exists } from '../lib/files/create-once.ts';
import { resolveSecrets } from '../lib/node/create-runtime.ts';
import { readArguments, runOnce } from '../lib/node/run-once.ts';

const USAGE = 'Usage: npm run token -- <user> [--name N] [--scope S] [--expires-in 12h]';
// Long enough for a working day.
const DEFAULT_LIFETIME = '12h';

/** npm run token: prints a token for `user`, signed with JWT_SECRET or the development secret. */
async function main(): Promise<void> {
  const { user, expiresIn, ...claims } = readTokenArguments();
  const settings = loadSettings();
  const { dataDir, production } = settings;
  const hadSecrets = production || (await exists(secretsFile(dataDir)));
  const { secret, issuer, audience, types } = (await resolveSecrets(settings)).jwt;
  if (secret === undefined) {
    throw new StartupError('This command signs with JWT_SECRET: set it instead of a public key or identity provider.');
  }
  if (!hadSecrets && settings.jwt.secret === undefined) {
    console.error(`This token is for servers with DATA_DIR=${dataDir}, whose secrets have just been made.`);
  }
  const options: SignOptions = { algorithm: 'HS256', subject: user, expiresIn };
  if (issuer !== undefined) options.issuer = issuer;
  if (audience !== undefined) options.audience = audience;
  if (types !== undefined) options.header = { alg: 'HS256', typ: types[0] };
  // jwt.sign() leaves out claims that are undefined.
  console.log(jwt.sign(claims, secret, options));
}

function readTokenArguments() {
  const text = { type: 'string' } as const;
  const { values, positionals } = readArguments(USAGE, {
    options: { name: text, scope: text, 'expires-in': text, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  const [user = '', ...more] = positionals;
  const { name, scope, 'expires-in': expiresIn = DEFAULT_LIFETIME } = values;
  const isUser = user !== '' && [...user].length <= USER_ID_MAX_CODE_POINTS;
  if (!isUser || more.length > 0 || values.help === true || !/^\d+(s|m|h|d)$/.test(expiresIn)) {
    throw new StartupError(USAGE);
  }
  return { user, name, scope, expiresIn: expiresIn as NonNullable<SignOptions['expiresIn']> };
}

await runOnce(main);
