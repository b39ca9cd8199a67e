/** All internals of the services that the benchmark uses: the ledger writer, its hashes, statements of callers, migrations. */
export { contributionDatabase } from '../../services/contribution/database.ts';
export { treasuryDatabase } from '../../services/treasury/database.ts';
export { hashOf } from '../../services/treasury/ledger/chain.rules.ts';
export { callerStatements } from '../../services/gateway/tokens/state-caller.ts';
export { LedgerWriter } from '../../services/treasury/ledger/ledger-writer.ts';
export type { Posting } from '../../services/treasury/ledger/posting.rules.ts';
