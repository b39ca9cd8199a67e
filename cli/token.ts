import { parseArgs } from 'node:util';
import jwt, { type SignOptions } from 'jsonwebtoken';
import { loadSettings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import { USER_ID_MAX_CODE_POINTS } from '../lib/contracts/ids.ts';
import { resolveSecrets } from '../lib/runtime/create-runtime.ts';
import { runOnce } from './run-once.ts';

const USAGE = 'Usage: npm run token -- <user> [--name N] [--scope S] [--expires-in 12h]';
// As long as a day of trying things out.
const DEFAULT_LIFETIME = '12h';

/** npm run token: prints a token for `user`, signed with JWT_SECRET or the development secret. */
async function main(): Promise<void> {
  const { user, name, scope, expiresIn } = readArguments();
  const settings = loadSettings();
  const { secret, issuer, audience } = (await resolveSecrets(settings)).jwt;
  if (secret === undefined) throw new StartupError('Tokens are signed with JWT_SECRET here: set it and try again.');
  const options: SignOptions = { algorithm: 'HS256', subject: user, expiresIn };
  if (issuer !== undefined) options.issuer = issuer;
  if (audience !== undefined) options.audience = audience;
  const claims = { ...(name === undefined ? {} : { name }), ...(scope === undefined ? {} : { scope }) };
  console.log(jwt.sign(claims, secret, options));
}

interface TokenArguments {
  user: string;
  name: string | undefined;
  scope: string | undefined;
  expiresIn: NonNullable<SignOptions['expiresIn']>;
}

function readArguments(): TokenArguments {
  const text = { type: 'string' } as const;
  try {
    const { values, positionals } = parseArgs({
      options: { name: text, scope: text, 'expires-in': text, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    const [user, ...more] = positionals;
    const expiresIn = values['expires-in'] ?? DEFAULT_LIFETIME;
    const isUser = user !== undefined && user !== '' && [...user].length <= USER_ID_MAX_CODE_POINTS;
    if (isUser && more.length === 0 && values.help !== true && /^\d+(s|m|h|d)$/.test(expiresIn)) {
      return { user, name: values.name, scope: values.scope, expiresIn: expiresIn as TokenArguments['expiresIn'] };
    }
  } catch {
    // An unknown option: the usage line says which there are.
  }
  throw new StartupError(USAGE);
}

await runOnce(main);
