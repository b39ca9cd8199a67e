import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { OutboxColumns } from '../../../lib/events/outbox.ts';
import type { Account, ChainHead, Decision, Entry } from './decide.rules.ts';
import type { LedgerView } from './decide.rules.ts';
import { plainLeg } from './posting.rules.ts';
import type { Posting, Refusal } from './posting.rules.ts';

/** A new row of `transfers`: posted, with its place in the chain, or refused. */
export interface NewTransfer {
  posting: Posting;
  fingerprint: string;
  legs: TransferRecord['legs'];
  /** Null where it was refused. */
  place: Pick<TransferRecord, 'seq' | 'prev_hash' | 'hash'> | null;
  refusal: Refusal | null;
}

/** All that a batch changes. */
export interface Changes {
  /** RFC 3339 in UTC with milliseconds. */
  posted_at: string;
  transfers: NewTransfer[];
  entries: Entry[];
  /** As they are after the batch. */
  accounts: Account[];
  chains: ChainHead[];
  events: OutboxColumns;
}

/**
 * What a batch's decisions change, or undefined where they change nothing.
 * @param view the ledger as it is after the last decision
 */
export function changesOf(
  view: LedgerView,
  batch: readonly { posting: Posting; fingerprint: string }[],
  decisions: readonly Decision[],
  posted_at: string,
  eventsOf: (transfers: TransferRecord[]) => OutboxColumns,
): Changes | undefined {
  const transfers: NewTransfer[] = [];
  const entries: Entry[] = [];
  const posted: TransferRecord[] = [];
  const chain_ids = new Set<string>();
  batch.forEach(({ posting, fingerprint }, index) => {
    const decision = decisions[index];
    if (decision?.status === 'refused') {
      const legs = 'legs' in posting.movement ? posting.movement.legs.map(plainLeg) : [];
      transfers.push({ posting, fingerprint, legs, place: null, refusal: decision.refusal });
    } else if (decision?.status === 'posted') {
      const { transfer } = decision;
      transfers.push({ posting, fingerprint, legs: transfer.legs, place: transfer, refusal: null });
      entries.push(...decision.entries);
      posted.push(transfer);
      chain_ids.add(posting.chain_id);
    }
  });
  if (transfers.length === 0) return undefined;
  const account_ids = new Set(entries.map((entry) => entry.account.account_id));
  return {
    posted_at,
    transfers,
    entries,
    accounts: statesOf(view.accounts, account_ids),
    chains: statesOf(view.chains, chain_ids),
    events: eventsOf(posted),
  };
}

function statesOf<T>(states: ReadonlyMap<string, T>, keys: ReadonlySet<string>): T[] {
  return [...keys].flatMap((key) => states.get(key) ?? []);
}
