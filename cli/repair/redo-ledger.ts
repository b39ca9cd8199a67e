/** Repeats what a restored treasury has lost of the ledger: wallets, and transfers with their recorded ids. */
import { isWalletAccount, WALLET_PREFIX, walletAccount } from '../../lib/contracts/accounts.ts';
import type { TransferRecord } from '../../lib/contracts/treasury.ts';
import { sqlList, statesWhere } from '../../lib/saga/states.ts';
import { CONTRIBUTION_STATES, type ContributionRow } from '../../services/contribution/payments/contribution.table.ts';
import { FINE_PAYMENT_STATES, type FinePaymentRow } from '../../services/contribution/fines/fine.table.ts';
import { SETTLED, type SettlementRow } from '../../services/contribution/settlement/settlement.table.ts';
import { POSTED_SHEETS, type SubmissionRow } from '../../services/contribution/sheets/sheet.table.ts';
import type { Posting } from '../../services/treasury/ledger/posting.rules.ts';
import { redoTransfer, type Place, type Redone } from '../../services/treasury/ledger/redo-transfer.ts';
import { FIRST_ID, PAGE_ROWS } from '../verify/check.ts';
import { repeatInOrder, type Placed } from './in-order.ts';
import { contributionPosting, finePosting, planPosting, recordedPosting, sheetPosting } from './postings.ts';
import type { Repair } from './repair.ts';

/** Opens lost wallets again, with the ids under which members and contributions know them. */
export async function redoWallets(repair: Repair): Promise<void> {
  const { tx, lost } = repair;
  const wanted = new Map<string, WantedWallet>();
  for (let after = FIRST_ID; ;) {
    const rows = await tx.membership.rows<WantedWallet & { member_id: string }>(PAYOUT_WALLETS, [after, PAGE_ROWS]);
    for (const row of rows) wanted.set(row.id, row);
    await openMissing(repair, wanted);
    wanted.clear();
    if (rows.length < PAGE_ROWS) break;
    after = rows.at(-1)?.member_id ?? after;
  }
  const in_transfers = lost
    .ofType('transfer.posted')
    .flatMap(({ event }) => event.data.legs.map(({ account }) => account).filter(isWalletAccount));
  const ids = [...new Set(in_transfers)].map((account) => account.slice(WALLET_PREFIX.length));
  const payers = await tx.contribution.rows<WantedWallet>(PAYING_WALLETS, [ids]);
  for (const row of payers) wanted.set(row.id, row);
  await openMissing(repair, wanted);
}

interface WantedWallet {
  id: string;
  user_id: string;
  currency: string;
  created_at: Date;
}

const PAYOUT_WALLETS = `
  SELECT m.id AS member_id, m.payout_wallet_id AS id, m.user_id, a.currency, m.joined_at AS created_at
  FROM members m JOIN associations a ON a.id = m.association_id
  WHERE m.id > $1 AND m.payout_wallet_id IS NOT NULL ORDER BY m.id LIMIT $2`;

const PAYING_WALLETS = `
  SELECT DISTINCT ON (wallet_id) wallet_id AS id, payer_user_id AS user_id, currency, created_at
  FROM contributions WHERE wallet_id = ANY($1::text[]) ORDER BY wallet_id, created_at`;

async function openMissing(repair: Repair, wanted: ReadonlyMap<string, WantedWallet>): Promise<void> {
  const { tx } = repair;
  const known = await tx.treasury.rows<{ id: string }>('SELECT id FROM wallets WHERE id = ANY($1::text[])', [
    [...wanted.keys()],
  ]);
  const ids = new Set(known.map(({ id }) => id));
  for (const wallet of wanted.values()) {
    if (ids.has(wallet.id)) continue;
    const { id, user_id, currency, created_at } = wallet;
    const other = await tx.treasury.first<{ id: string }>(
      'SELECT id FROM wallets WHERE user_id = $1 AND currency = $2',
      [user_id, currency],
    );
    if (other !== undefined) {
      repair.cannot(`wallet ${id} in ${currency} is lost, and its owner has opened ${other.id} since the restore`);
      continue;
    }
    await tx.treasury.run(OPEN_WALLET, [id, user_id, currency, walletAccount(id), created_at]);
    repair.did('wallets', `open wallet ${id} in ${currency} again`);
  }
}

const OPEN_WALLET = `
  WITH opened AS (
    INSERT INTO wallets (id, user_id, currency, account_id, created_at) VALUES ($1, $2, $3, $4, $5) RETURNING *
  )
  INSERT INTO accounts (account_id, name, money, currency, owner_user_id, may_go_negative, created_at)
  SELECT account_id, account_id, 'emoney', currency, user_id, false, created_at FROM opened`;

/** Posts the transfers again that the stream has and the ledger has lost. */
export async function redoRecordedTransfers(repair: Repair): Promise<void> {
  const { lost } = repair;
  const items = lost.ofType('transfer.posted').map((event): OwedTransfer => {
    const record = event.event.data;
    return {
      chain_id: record.association_id ?? record.legs.find(({ account }) => isWalletAccount(account))?.account ?? '',
      at: new Date(record.posted_at),
      posting: () => recordedPosting(repair, record),
      place: record,
      onPosted: () => redoFunding(repair, record),
      onRefused: () => lost.markUndone(event),
    };
  });
  // The stream has the transfers of each chain in their order, which the sort keeps.
  await postInOrder(repair, items);
}

/** A transfer that the ledger should have. */
interface OwedTransfer extends Placed {
  posting: () => Promise<Posting>;
  place?: Place;
  onPosted?: () => Promise<void>;
  onRefused?: () => void;
}

async function postInOrder(repair: Repair, items: readonly OwedTransfer[]): Promise<void> {
  /** Why each transfer was refused last. */
  const refused = new Map<OwedTransfer, string>();
  await repeatInOrder(
    items,
    async (item) => {
      const posting = await item.posting();
      const redone = await redo(repair, posting, item.place);
      if (redone.status === 'refused') {
        refused.set(
          item,
          `transfer ${textOf(posting)} moved before the restore, and the ledger refuses it now (${redone.code})`,
        );
        return false;
      }
      await item.onPosted?.();
      return true;
    },
    (item) => {
      repair.cannot(refused.get(item) ?? '');
      item.onRefused?.();
    },
  );
}

function textOf({ kind, id, association_id }: Posting): string {
  return `${kind} ${id}${association_id === null ? '' : ` of association ${association_id}`}`;
}

async function redo(repair: Repair, posting: Posting, place: Place | undefined): Promise<Redone> {
  const { tx, outbox, runtime } = repair;
  const missing = await findMissingWallet(repair, posting);
  if (missing !== undefined) return { status: 'refused', code: `${missing} is lost, and no record says whose it was` };
  const redone = await redoTransfer(tx.treasury, outbox.treasury, posting, place, runtime.clock());
  if (redone.status === 'restored') repair.did('transfers', `post ${textOf(posting)} again, exactly as recorded`);
  if (redone.status === 'posted')
    repair.did('transfers posted anew', `post ${textOf(posting)}, at the end of its chain`);
  return redone;
}

async function findMissingWallet({ tx }: Repair, { movement }: Posting): Promise<string | undefined> {
  const wallets = ('legs' in movement ? movement.legs : []).map(({ account }) => account).filter(isWalletAccount);
  if (wallets.length === 0) return undefined;
  const known = await tx.treasury.rows<{ account_id: string }>(
    'SELECT account_id FROM accounts WHERE account_id = ANY($1::text[])',
    [wallets],
  );
  const ids = new Set(known.map(({ account_id }) => account_id));
  return wallets.find((account) => !ids.has(account));
}

/** Stores the reference of a deposit or withdrawal again, so that its repeat gets the same transfer. */
async function redoFunding({ tx }: Repair, { id, kind, reference, legs, metadata }: TransferRecord): Promise<void> {
  if (kind !== 'wallet_deposit' && kind !== 'wallet_withdrawal') return;
  const leg = legs.find(({ account }) => isWalletAccount(account));
  if (leg === undefined || reference === null) return;
  await tx.treasury.run(
    `INSERT INTO wallet_funding (wallet_id, kind, reference, amount, transfer_id, metadata)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    [
      leg.account.slice(WALLET_PREFIX.length),
      kind,
      reference,
      Math.abs(leg.amount_minor),
      id,
      metadata === undefined ? null : JSON.stringify(metadata),
    ],
  );
}

/** Posts the transfers of payments, settlements and confirmed sheets that neither the ledger nor the stream has, oldest first. */
export async function redoOwedTransfers(repair: Repair): Promise<void> {
  const owed: OwedTransfer[] = [];
  for (const paid of await missingIn<ContributionRow>(repair, PAID_BY_WALLET)) {
    const { association_id: chain_id, decided_at, created_at } = paid;
    owed.push({ chain_id, at: decided_at ?? created_at, posting: () => contributionPosting(repair, paid) });
  }
  for (const plan of await missingIn<SettlementRow>(repair, SETTLED_WITH_LEGS)) {
    const { association_id: chain_id, settled_at, created_at } = plan;
    owed.push({ chain_id, at: settled_at ?? created_at, posting: () => Promise.resolve(planPosting(plan)) });
  }
  for (const fine of await missingIn<FinePaymentRow>(repair, PAID_FINES)) {
    const { association_id: chain_id, decided_at, created_at } = fine;
    owed.push({ chain_id, at: decided_at ?? created_at, posting: () => Promise.resolve(finePosting(fine)) });
  }
  for (const sheet of await missingIn<SubmissionRow>(repair, CONFIRMED_WITH_LINES)) {
    const { association_id: chain_id, decided_at, submitted_at } = sheet;
    owed.push({ chain_id, at: decided_at ?? submitted_at, posting: () => sheetPosting(repair, sheet) });
  }
  await postInOrder(repair, owed);
}

const POSTED = sqlList(statesWhere(CONTRIBUTION_STATES, ({ posted }) => posted));

const CONFIRMED_WITH_LINES = `
  SELECT * FROM sheet_submissions s WHERE id > $1 AND status IN (${sqlList(POSTED_SHEETS)})
    AND EXISTS (SELECT FROM submitted_lines WHERE submission_id = s.id) ORDER BY id LIMIT $2`;

const PAID_FINES = `
  SELECT * FROM fine_payments WHERE id > $1
    AND status IN (${sqlList(statesWhere(FINE_PAYMENT_STATES, ({ posted }) => posted))}) ORDER BY id LIMIT $2`;

const PAID_BY_WALLET = `
  SELECT * FROM contributions WHERE id > $1 AND status IN (${POSTED}) AND method = 'wallet' ORDER BY id LIMIT $2`;

const SETTLED_WITH_LEGS = `
  SELECT * FROM settlements WHERE id > $1 AND status IN (${SETTLED}) AND legs <> '[]' ORDER BY id LIMIT $2`;

/** Returns the rows of the contribution service whose transfer the ledger does not have. */
async function missingIn<Row extends { id: string }>({ tx }: Repair, sql: string): Promise<Row[]> {
  const missing: Row[] = [];
  for (let after = FIRST_ID; ;) {
    const rows = await tx.contribution.rows<Row>(sql, [after, PAGE_ROWS]);
    const ids = rows.map(({ id }) => id);
    const known = await tx.treasury.rows<{ id: string }>('SELECT id FROM transfers WHERE id = ANY($1::uuid[])', [ids]);
    const found = new Set(known.map(({ id }) => id));
    missing.push(...rows.filter(({ id }) => !found.has(id)));
    if (rows.length < PAGE_ROWS) return missing;
    after = ids.at(-1) ?? after;
  }
}
