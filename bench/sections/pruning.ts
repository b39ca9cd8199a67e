import { openDatabase } from '../../lib/db/database.ts';
import { membershipDatabase } from '../../services/membership/database.ts';
import { pruneCiphertexts } from '../../services/membership/pins/pin.store.ts';
import { startLedgerServer } from '../apparatus/ledger-server.ts';
import { spreadOf } from '../report/statistics.ts';
import type { Section } from '../section.ts';

/** Enough for a figure by the million; a million itself would take most of a minute to write. */
const ROWS = 250_000;
const MILLION = 1_000_000;
const DAY_MS = 86_400_000;
const MS_PER_S = 1_000;

/** Rows as accept-right-pin.ts leaves them, by a key that is no longer live. $1 how many */
const FILL = `
  INSERT INTO used_ciphertexts (digest, user_id, kid, used_at, idempotency_key, fingerprint)
  SELECT sha256(uuid_send(gen_random_uuid())), 'user-' || gen_random_uuid(), 'retired', now() - interval '2 days',
         gen_random_uuid(), encode(sha256(uuid_send(gen_random_uuid())), 'hex')
  FROM generate_series(1, $1::int)`;

/** How long it takes to forget what a retired PIN key has opened: one statement, which has 15 s. It has no goal. */
export const pruning: Section = {
  id: 'pruning',
  title: 'pruning of used ciphertexts, in memory',
  isSimulation: true,
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const server = stack.adopt(await startLedgerServer(), (each) => each.stop());
    const db = await openDatabase({ url: await server.empty('pruned') }, membershipDatabase);
    stack.defer(() => db.close());
    const seconds: number[] = [];
    for (let round = 1; round <= bench.rounds; round += 1) {
      await db.manager.query(FILL, [ROWS]);
      await db.manager.query('VACUUM (ANALYZE) used_ciphertexts');
      await server.checkpoint();
      const began_ms = performance.now();
      const before = new Date(Date.now() - DAY_MS);
      const pruned = await pruneCiphertexts(db.manager, ['live'], before, before);
      if (pruned !== ROWS) throw new Error(`${String(pruned)} of ${String(ROWS)} rows were pruned`);
      seconds.push(((performance.now() - began_ms) / MS_PER_S) * (MILLION / ROWS));
      bench.log(`  round ${String(round)}: ${String(seconds.at(-1)?.toFixed(2))} s a million`);
    }
    const what = 'pruning a million used ciphertexts';
    return [{ id: 'pruning.million', what, unit: 's', ours: spreadOf(seconds) }];
  },
};
