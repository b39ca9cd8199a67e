/** All internals of the services that the benchmark uses: the ledger writer, its hashes, statements of callers, the check of PINs, migrations. */
export type { ServiceContext } from '../../lib/service/service-context.ts';
export { contributionDatabase } from '../../services/contribution/database.ts';
export { membershipDatabase } from '../../services/membership/database.ts';
export { createPinCheck } from '../../services/membership/pins/check-pin.ts';
export { hashPin } from '../../services/membership/pins/pin.rules.ts';
export { treasuryDatabase } from '../../services/treasury/database.ts';
export { hashOf } from '../../services/treasury/ledger/chain.rules.ts';
export { callerStatements } from '../../services/gateway/tokens/state-caller.ts';
export { LedgerWriter } from '../../services/treasury/ledger/ledger-writer.ts';
export type { Posting } from '../../services/treasury/ledger/posting.rules.ts';
