import { createSecretKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { loadOrCreateSecrets } from '../../lib/config/secrets.ts';
import type { Worker } from '../apparatus/worker.ts';

export interface TokenCheckInput {
  /** Whose secret signed the tokens. */
  dataDir: string;
  /** Checked in turn. */
  tokens: string[];
}

/** Looks at the clock once for so many checks, which takes a millisecond. */
const CHECKS_AT_ONCE = 100;

/** Verifies access tokens with a key that is prepared once. Nothing in it waits, so that none are in flight. */
export default async function tokenCheck({ dataDir, tokens }: TokenCheckInput): Promise<Worker> {
  const key = createSecretKey(Buffer.from((await loadOrCreateSecrets(dataDir)).jwtSecret));
  return {
    run(duration_ms) {
      const until = performance.now() + duration_ms;
      let checked = 0;
      while (performance.now() < until) {
        for (const end = checked + CHECKS_AT_ONCE; checked < end; checked += 1) {
          jwt.verify(tokens[checked % tokens.length] ?? '', key, { algorithms: ['HS256'] });
        }
      }
      return Promise.resolve(checked);
    },
    stop: () => Promise.resolve(),
  };
}
