import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import { ledgerExport } from '../../../lib/contracts/treasury.ts';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { associationChain } from './accounts.rules.ts';
import { transfersAfter } from './ledger-reads.store.ts';

/** Few enough to be read in a moment, and so many that the round trips of a long export hardly count. */
const STRETCH_MAX_TRANSFERS = 500;

/** Half of what NATS takes in one message: reasons and legs can be long. */
const STRETCH_MAX_BYTES = 512 * 1024;

/** One stretch of the association's chain, oldest first, for the gateway to stream. */
export const ledgerExportAction = (deps: TreasuryDeps) =>
  implement(ledgerExport, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const { pool } = deps.foundation.db;
    const chain_id = associationChain(association_id);
    const found = await transfersAfter(pool, chain_id, query.after_seq ?? 0, STRETCH_MAX_TRANSFERS);
    const transfers = fitting(found);
    return { transfers, done: transfers.length < STRETCH_MAX_TRANSFERS && transfers.length === found.length };
  });

/** The first transfers, at least one if there are any, that fit into one message. */
function fitting(transfers: TransferRecord[]): TransferRecord[] {
  let bytes = 0;
  const beyond = transfers.findIndex((transfer) => {
    bytes += Buffer.byteLength(JSON.stringify(transfer));
    return bytes > STRETCH_MAX_BYTES;
  });
  return beyond === -1 ? transfers : transfers.slice(0, Math.max(beyond, 1));
}
