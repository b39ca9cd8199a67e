import type { Tampering } from '../../harness/tamper.ts';

/** One row of a table, the same in each statement. */
export const one = (table: string, condition: string, key = 'id') =>
  `${key} = (SELECT ${key} FROM ${table} WHERE ${condition} ORDER BY ${key} LIMIT 1)`;

/** A change, the check that finds it, and what it says. */
export type TamperingCase = [check: string, what: string, change: Tampering, text: RegExp];

/** Changes of the ledger, and of what contribution has. */
export const TAMPERINGS_OF_MONEY: TamperingCase[] = [
  [
    'balances',
    'a balance without an entry',
    {
      service: 'treasury',
      table: 'accounts',
      where: `name = 'treasury' AND balance > 0`,
      set: 'balance = balance + 1',
    },
    /account .*\/treasury: its balance is \d+ XAF, and its \d+ entries sum to \d+/,
  ],
  [
    'balances',
    'an entry that its transfer does not have',
    {
      service: 'treasury',
      table: 'entries',
      where: `(account_id, entry_no) = (SELECT account_id, entry_no FROM entries ORDER BY 1, 2 LIMIT 1)`,
      set: `transfer_id = gen_random_uuid()`,
    },
    /it has an entry of -?\d+, and transfer .* has no such leg/,
  ],
  [
    'totals',
    'a transfer without its entries',
    { service: 'treasury', table: 'transfers', where: one('transfers', 'seq IS NOT NULL'), set: `legs = '[]'` },
    /the accounts have \d+ entries, and the transfers \d+ legs/,
  ],
  [
    'chains',
    'a changed transfer',
    {
      service: 'treasury',
      table: 'transfers',
      where: one('transfers', `kind = 'cash_deposit'`),
      set: `reference = 'Other'`,
    },
    /transfer .*: its content has the hash/,
  ],
  [
    'chains',
    'changed metadata of a transfer',
    {
      service: 'treasury',
      table: 'transfers',
      where: one('transfers', 'metadata IS NOT NULL'),
      set: `metadata = '{"receipt": "2026-118"}'`,
    },
    /transfer .*, seq \d+ of chain wallet:.*: its content has the hash/,
  ],
  [
    'chains',
    'metadata of a transfer without any',
    {
      service: 'treasury',
      table: 'transfers',
      where: one('transfers', `kind = 'settlement' AND metadata IS NULL`),
      set: `metadata = '{"receipt": "2026-118"}'`,
    },
    /transfer .*: its content has the hash/,
  ],
  [
    'chains',
    'a transfer that is missing in its chain',
    {
      service: 'treasury',
      table: 'transfers',
      where: `(chain_id, seq) IN (SELECT chain_id, 2 FROM chains WHERE association_id IS NOT NULL)`,
    },
    /seq 3 of chain .*: there is no transfer 2 before it/,
  ],
  [
    'heads',
    'a head that is not the last transfer',
    { service: 'treasury', table: 'chains', where: one('chains', 'seq > 1', 'chain_id'), set: 'seq = seq + 1' },
    /its head is seq \d+ with .*, and its last transfer is \d+/,
  ],
  [
    'contributions',
    'a paid contribution without a transfer',
    {
      service: 'treasury',
      table: 'transfers',
      where: one('transfers', `kind = 'contribution'`),
    },
    /contribution .* to meeting .* is paid, but the treasury has no transfer contribution .* of wallet:.* -\d+/,
  ],
  [
    'contributions',
    'a contribution with another amount',
    {
      service: 'contribution',
      table: 'contributions',
      where: one('contributions', `kind = 'arrears' AND status = 'paid'`),
      set: 'amount_minor = amount_minor + 7',
    },
    /is paid, but the transfer .* moved wallet:/,
  ],
  [
    'contributions',
    'a failed contribution whose money moved',
    {
      service: 'contribution',
      table: 'contributions',
      where: one('contributions', `kind = 'pool' AND status = 'paid' AND method = 'wallet'`),
      set: `status = 'failed', failure_code = 'insufficient_funds'`,
    },
    /is failed, but the treasury has the transfer contribution/,
  ],
  [
    'settlements',
    'a settlement with other legs',
    {
      service: 'contribution',
      table: 'settlements',
      where: one('settlements', `kind = 'settlement' AND payouts <> '[]'`),
      set: `legs = jsonb_set(legs, '{0,amount_minor}', '-5')`,
    },
    /settlement .* is settled, but the transfer .* moved .*, not/,
  ],
  [
    'settlements',
    'a payout that the legs do not pay',
    {
      service: 'contribution',
      table: 'settlements',
      where: one('settlements', `kind = 'settlement' AND payouts <> '[]'`),
      set: `payouts = jsonb_set(payouts, '{0,amount_minor}', '5')`,
    },
    /is settled, but its payouts to wallet:.* are \d+, and its legs \d+/,
  ],
  [
    'owners',
    'a transfer without its contribution',
    { service: 'contribution', table: 'contributions', where: one('contributions', `status = 'paid'`) },
    /transfer .* \(contribution\) of association .* was posted, but contribution has no contribution for it/,
  ],
  [
    'owners',
    'a deposit without its reference',
    { service: 'treasury', table: 'wallet_funding', where: one('wallet_funding', 'true', 'transfer_id') },
    /\(wallet_deposit\) was posted, but treasury has no deposit or withdrawal/,
  ],
  [
    'dues',
    'a due that was paid by no contribution',
    { service: 'contribution', table: 'dues', where: `paid_minor = 300`, set: 'paid_minor = 200' },
    /the due of member .* says paid 200 and taken 300, and its contributions sum to 300 and 300/,
  ],
  [
    'arrears',
    'arrears that were not repaid',
    { service: 'contribution', table: 'arrears', where: `amount_minor = 1000`, set: 'paid_minor = 0' },
    /arrears of .* from meeting .*: amount 1000, .* paid 0, by payments 1000/,
  ],
  [
    'pools',
    'money in the pool of a settled meeting',
    {
      service: 'treasury',
      table: 'accounts',
      where: one('accounts', `name LIKE 'pool:%' AND balance = 0`, 'account_id'),
      set: 'balance = 60000',
    },
    /meeting .* is (settled|cancelled): its contributions make 0, and its account .*pool:.* has 60000/,
  ],
  [
    'owners',
    'a transfer without its sheet',
    { service: 'contribution', table: 'sheet_submissions', where: `status = 'confirmed'` },
    /transfer .* \(meeting_sheet\) of association .* was posted, but contribution has no submitted sheet for it/,
  ],
  [
    'sheets',
    'a confirmed sheet without its transfer',
    { service: 'treasury', table: 'transfers', where: `kind = 'meeting_sheet'` },
    /submission .* of sheet .* is confirmed, but the treasury has no transfer meeting_sheet .* of cash_funding -210/,
  ],
  [
    'sheets',
    'a sheet that the board has not approved in the ledger',
    {
      service: 'contribution',
      table: 'sheet_submissions',
      where: `status = 'confirmed'`,
      set: `status = 'rejected', decision = 'rejected'`,
    },
    /submission .* of sheet .* is rejected, but the treasury has the transfer meeting_sheet/,
  ],
  [
    'sheet lines',
    'a line whose contribution is not paid',
    {
      service: 'contribution',
      table: 'contributions',
      where: `amount_minor = 70 AND status = 'paid'`,
      set: `status = 'pending', decided_at = NULL`,
    },
    /submission .* of sheet .* is confirmed, but its contribution .* is pending/,
  ],
];
