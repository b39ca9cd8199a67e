import type { EndpointInput } from '../../../lib/contracts/action.ts';
import { zoneOf } from '../../../lib/contracts/membership.ts';
import { ledger, ledgerExport, ledgerHead, type TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { Db } from '../../../lib/db/db.ts';
import { listName, pageThrough, type Part, type Position } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { accountIdOf, associationChain, canBeAccount } from './chain.rules.ts';
import { readChainHead, listTransfersAfter, listTransfersBefore } from './ledger-reads.store.ts';
import { periodOf } from './period.rules.ts';
import { listByKind, listOfAccount, listOfMember, type Listed } from './transfer-lists.store.ts';

/** Makes the cost of a round trip negligible in a long export. */
const EXPORT_MAX_TRANSFERS = 500;

/** Half of 1 MB, NATS's default limit of a message. References and legs can be long. */
const EXPORT_MAX_BYTES = 512 * 1024;

/** Lists the association's transfers as they were hashed, newest first. */
export const ledgerAction = ({ reads, cursors }: TreasuryDeps) =>
  implement(ledger, async ({ path: { association_id }, query }, caller, ctx) => {
    const { terms } = await authorizeCaller(ctx, caller, association_id, 'read');
    return pageThrough(
      cursors,
      listName(`ledger/${association_id}`, query),
      query,
      (after, limit) => listLedger(reads, association_id, query, zoneOf(terms), after, limit),
      ({ position }) => position,
      ({ transfer }) => transfer,
    );
  });

/** Reads a part of the ledger by the filter that selects the fewest transfers. */
async function listLedger(
  db: Db,
  association_id: string,
  { account, member_id, kind, from, to }: EndpointInput<typeof ledger>['query'],
  time_zone: string,
  after: Position | null,
  limit: number,
): Promise<Listed[] | Part<Listed>> {
  const chain_id = associationChain(association_id);
  if (account !== undefined && !canBeAccount(chain_id, account)) return [];
  const filter = { kind, ...periodOf({ from, to }, time_zone) };
  if (member_id !== undefined) {
    return listOfMember(db, chain_id, { ...filter, member_id, account: account ?? null }, after, limit);
  }
  if (account !== undefined) {
    return listOfAccount(db, accountIdOf(chain_id, account), { ...filter, chain_id }, after, limit);
  }
  if (kind !== undefined || from !== undefined || to !== undefined) {
    return listByKind(db, association_id, filter, after, limit);
  }
  const transfers = await listTransfersBefore(db, chain_id, after?.[0] ?? null, limit);
  return transfers.map((transfer) => ({ transfer, position: [transfer.seq.toString()] }));
}

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
