import { hotLedgerRows } from '../apparatus/hot-ledger-rows.ts';
import { startLedgerServer } from '../apparatus/ledger-server.ts';
import type { Section } from '../section.ts';

/** The same as `ledger`, where each flush takes a millisecond longer, as it does on many a server's disk. */
export const ledgerSlowFlush: Section = {
  id: 'ledger-slow-flush',
  title: 'Ledger postings into one hot pool, with a 1 ms flush',
  async measure(bench) {
    const server = await startLedgerServer();
    try {
      await server.slowFlush(true);
      return await hotLedgerRows(bench, server, {
        prefix: 'ledger.slow-flush',
        suffix: ', 1 ms flush',
        goals: { plain: { of: 'ratio', at: 'least', value: 25 } },
      });
    } finally {
      await server.stop();
    }
  },
};
