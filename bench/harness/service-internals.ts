/** All that the benchmark takes from inside the services: their ledger writer, its hashes, and their migrations. */
export { contributionDatabase } from '../../services/contribution/persistence/data-source.ts';
export { hashOf } from '../../services/treasury/domain/chain.ts';
export type { Posting } from '../../services/treasury/domain/posting.ts';
export { treasuryDatabase } from '../../services/treasury/persistence/data-source.ts';
export { openLedgerPool } from '../../services/treasury/persistence/ledger/connection.ts';
export { LedgerWriter } from '../../services/treasury/persistence/ledger/ledger-writer.ts';
