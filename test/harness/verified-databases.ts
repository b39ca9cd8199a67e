import { expect } from 'chai';
import { CHECKS } from '../../cli/verify/checks.ts';
import { runChecks } from '../../cli/verify/run-checks.ts';
import { openSources } from '../../cli/verify/sources.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import type { Deployment } from './cluster.ts';

/** Nothing is unfinished any more, and events are published and handled within this time. */
const RECHECK_AFTER_MS = 3_000;

/** `natsUrl` and the URLs in `env` if the servers and logins are not those of the data directory. */
type Agreeing = Pick<Deployment, 'dataDir'> & { natsUrl?: string; env?: NodeJS.ProcessEnv };

/** Checks that the databases and the stream agree, as `npm run verify -- ledger` does. */
export async function expectAgreement({ dataDir, natsUrl, env = {} }: Agreeing): Promise<void> {
  const sources = await openSources(loadSettings({ DATA_DIR: dataDir, NATS_URL: natsUrl, ...env }));
  try {
    const progress = { scanned: [], current: null };
    const options = { checks: CHECKS, since_id: null, progress, save: () => undefined };
    const results = await runChecks(sources, { ...options, recheck_after_ms: RECHECK_AFTER_MS });
    expect(results.flatMap(({ texts }) => texts)).to.deep.equal([]);
  } finally {
    await sources.close();
  }
}
