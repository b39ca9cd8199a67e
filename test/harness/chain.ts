import type { TransferRecord } from '../../lib/contracts/treasury.ts';
import { GENESIS_HASH, hashOf } from '../../services/treasury/ledger/chain.rules.ts';

/** Returns the first transfer that breaks the chain that begins after `head`; undefined if the chain is valid. */
export function firstBreak(
  transfers: readonly TransferRecord[],
  head = { seq: 0, hash: GENESIS_HASH },
): TransferRecord | undefined {
  let { seq, hash } = head;
  return transfers.find((transfer) => {
    seq += 1;
    const holds = transfer.seq === seq && transfer.prev_hash === hash && transfer.hash === hashOf(transfer);
    hash = transfer.hash;
    return !holds;
  });
}
