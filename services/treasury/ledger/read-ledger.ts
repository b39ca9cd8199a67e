import { ledger, ledgerExport, ledgerHead, type TransferRecord } from '../../../lib/contracts/treasury.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { associationChain } from './chain.rules.ts';
import { readChainHead, listTransfersAfter, listTransfersBefore } from './ledger-reads.store.ts';

/** Makes the cost of a round trip negligible in a long export. */
const EXPORT_MAX_TRANSFERS = 500;

/** Half of 1 MB, NATS's default limit of a message. References and legs can be long. */
const EXPORT_MAX_BYTES = 512 * 1024;

/** Lists the association's transfers as they were hashed, newest first. */
export const ledgerAction = ({ reads, cursors }: TreasuryDeps) =>
  implement(ledger, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const chain_id = associationChain(association_id);
    return pageThrough(
      cursors,
      `ledger/${association_id}`,
      query,
      (after, limit) => listTransfersBefore(reads, chain_id, after?.[0] ?? null, limit),
      (transfer) => [transfer.seq.toString()],
      (transfer) => transfer,
    );
  });

/** Reads the head of the association's chain, with which a reader compares an export. */
export const ledgerHeadAction = ({ reads }: TreasuryDeps) =>
  implement(ledgerHead, async ({ path: { association_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    return readChainHead(reads, associationChain(association_id));
  });

/**
 * Reads the next transfers of the association's chain, oldest first. The gateway streams these answers as one export.
 */
export const ledgerExportAction = ({ reads }: TreasuryDeps) =>
  implement(ledgerExport, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const chain_id = associationChain(association_id);
    const found = await listTransfersAfter(reads, chain_id, query.after_seq ?? 0, EXPORT_MAX_TRANSFERS);
    const transfers = cutToOneMessage(found);
    return { transfers, done: transfers.length < EXPORT_MAX_TRANSFERS && transfers.length === found.length };
  });

/** Returns the first transfers that fit into one message, and at least one if there are any. */
function cutToOneMessage(transfers: TransferRecord[]): TransferRecord[] {
  let bytes = 0;
  const beyond = transfers.findIndex((transfer) => {
    bytes += Buffer.byteLength(JSON.stringify(transfer));
    return bytes > EXPORT_MAX_BYTES;
  });
  return beyond === -1 ? transfers : transfers.slice(0, Math.max(beyond, 1));
}
