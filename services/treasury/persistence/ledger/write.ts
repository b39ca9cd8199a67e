import type pg from 'pg';
import type { Account, ChainHead, Entry } from '../../domain/ledger.ts';
import type { Changes, NewTransfer } from './changes.ts';

/** One statement, however many transfers: this is what makes a batch cost little more than one transfer. */
const WRITE = {
  name: 'ledger.write',
  text: `
    WITH posted AS (
      INSERT INTO transfers (posted_at, id, chain_id, seq, association_id, kind, legs, currency, reference, member_id,
                             prev_hash, hash, request_hash, refusal)
      SELECT $1::timestamptz, id, chain_id, seq, association_id, kind, legs, currency, reference, member_id, prev_hash, hash,
             decode(fingerprint, 'hex'), refusal
      FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::uuid[], $6::text[], $7::json[], $8::text[], $9::text[],
                  $10::uuid[], $11::text[], $12::text[], $13::text[], $14::json[])
        AS new (id, chain_id, seq, association_id, kind, legs, currency, reference, member_id, prev_hash, hash,
                fingerprint, refusal)
    ), entered AS (
      INSERT INTO entries (account_id, entry_no, transfer_id, amount, balance_after, member_id)
      SELECT * FROM unnest($15::text[], $16::bigint[], $17::uuid[], $18::bigint[], $19::bigint[], $20::uuid[])
    ), balanced AS (
      UPDATE accounts SET balance = new.balance, savings = new.savings, entry_count = new.entry_count
      FROM unnest($21::text[], $22::bigint[], $23::bigint[], $24::bigint[])
        AS new (account_id, balance, savings, entry_count)
      WHERE accounts.account_id = new.account_id
    ), opened AS (
      INSERT INTO accounts (created_at, account_id, balance, savings, entry_count, association_id, name, money, currency,
                            may_go_negative)
      SELECT $1::timestamptz, *
      FROM unnest($25::text[], $26::bigint[], $27::bigint[], $28::bigint[], $29::uuid[], $30::text[], $31::text[],
                  $32::text[], $33::boolean[])
    ), headed AS (
      UPDATE chains SET seq = new.seq, hash = new.hash
      FROM unnest($34::text[], $35::bigint[], $36::text[]) AS new (chain_id, seq, hash)
      WHERE chains.chain_id = new.chain_id
    ), begun AS (
      INSERT INTO chains (chain_id, seq, hash, association_id)
      SELECT * FROM unnest($37::text[], $38::bigint[], $39::text[], $40::uuid[])
    )
    INSERT INTO outbox (event_id, association_id, type, event)
    SELECT event_id, association_id, type, event
    FROM unnest($41::uuid[], $42::uuid[], $43::text[], $44::json[])
      WITH ORDINALITY AS new (event_id, association_id, type, event, position)
    ORDER BY position`,
};

/** Writes the changes and commits, in one round trip. */
export async function writeAndCommit(client: pg.PoolClient, changes: Changes): Promise<void> {
  // After a failed write this COMMIT rolls back, and the write's own error is what is thrown.
  await Promise.all([client.query(WRITE, parametersOf(changes)), client.query('COMMIT')]);
}

function parametersOf({ posted_at, transfers, entries, accounts, chains, events }: Changes): unknown[] {
  const [fresh_accounts, moved_accounts] = split(accounts);
  const [fresh_chains, moved_chains] = split(chains);
  return [
    posted_at,
    ...transferColumns(transfers),
    ...entryColumns(entries),
    ...balanceColumns(moved_accounts),
    ...balanceColumns(fresh_accounts),
    fresh_accounts.map((account) => account.association_id),
    fresh_accounts.map((account) => account.name),
    fresh_accounts.map((account) => account.money),
    fresh_accounts.map((account) => account.currency),
    fresh_accounts.map((account) => account.may_go_negative),
    ...headColumns(moved_chains),
    ...headColumns(fresh_chains),
    fresh_chains.map((chain) => chain.association_id),
    events.event_ids,
    events.association_ids,
    events.types,
    events.events,
  ];
}

function split<T extends { fresh: boolean }>(rows: T[]): [fresh: T[], existing: T[]] {
  return [rows.filter((row) => row.fresh), rows.filter((row) => !row.fresh)];
}

function transferColumns(transfers: NewTransfer[]): unknown[][] {
  return [
    transfers.map(({ posting }) => posting.id),
    transfers.map(({ posting }) => posting.chain_id),
    transfers.map(({ place }) => place?.seq ?? null),
    transfers.map(({ posting }) => posting.association_id),
    transfers.map(({ posting }) => posting.kind),
    transfers.map(({ legs }) => JSON.stringify(legs)),
    transfers.map(({ posting }) => posting.currency),
    transfers.map(({ posting }) => posting.reference),
    transfers.map(({ posting }) => posting.member_id),
    transfers.map(({ place }) => place?.prev_hash ?? null),
    transfers.map(({ place }) => place?.hash ?? null),
    transfers.map(({ fingerprint }) => fingerprint),
    transfers.map(({ refusal }) => (refusal === null ? null : JSON.stringify(refusal))),
  ];
}

function entryColumns(entries: Entry[]): unknown[][] {
  return [
    entries.map(({ account }) => account.account_id),
    entries.map(({ account }) => account.entry_count),
    entries.map(({ transfer_id }) => transfer_id),
    entries.map(({ amount }) => amount),
    entries.map(({ account }) => account.balance),
    entries.map(({ member_id }) => member_id),
  ];
}

function balanceColumns(accounts: Account[]): unknown[][] {
  return [
    accounts.map(({ account_id }) => account_id),
    accounts.map(({ balance }) => balance),
    accounts.map(({ savings }) => savings),
    accounts.map(({ entry_count }) => entry_count),
  ];
}

function headColumns(chains: ChainHead[]): unknown[][] {
  return [chains.map(({ chain_id }) => chain_id), chains.map(({ seq }) => seq), chains.map(({ hash }) => hash)];
}
