import { hotLedgerRows } from '../apparatus/hot-ledger-rows.ts';
import { startLedgerServer } from '../apparatus/ledger-server.ts';
import type { Section } from '../section.ts';

/** Many wallets pay into one pool: the ledger writer beside a transaction for each transfer. */
export const ledger: Section = {
  id: 'ledger',
  title: 'Ledger postings into one hot pool',
  async measure(bench) {
    const server = await startLedgerServer();
    try {
      return await hotLedgerRows(bench, server, {
        prefix: 'ledger.hot',
        suffix: '',
        goals: {
          plain: { of: 'ratio', at: 'least', value: 8 },
          pgledger: { of: 'ratio', at: 'least', value: 15 },
        },
      });
    } finally {
      await server.stop();
    }
  },
};
