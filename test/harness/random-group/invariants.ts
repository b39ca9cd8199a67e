import { expect } from 'chai';
import type { Client } from 'pg';
import type { Json } from '../http.ts';
import { finesAndSheetsAddUp, type Reached } from './fine-invariants.ts';
import { listAll, type World } from './world.ts';

export interface Leg {
  account: string;
  amount_minor: number;
}
export interface Transfer {
  id: string;
  kind: string;
  legs: Leg[];
  reference: string | null;
  posted_at: string;
}

/** Checks the rules that hold after any sequence of operations. @returns how often it has reached what they are about */
export async function expectInvariants(world: World, treasury: Client): Promise<Reached> {
  const transfers = await exportedTransfers(world);
  await ledgerBalances(treasury, world);
  everyTransferBalances(transfers);
  const arrears = await duesAddUp(world);
  const settlements = await settlementsConserve(world, transfers);
  arrearsArePaidOnce(settlements, arrears, transfers);
  settlements.forEach(claimsMakeUpShares);
  await everyHandHasOneTurn(world);
  await statementsTellTheLedger(world, transfers, arrears);
  everyReversalNegates(transfers);
  await pastBalancesAddUp(world, transfers, settlements);
  return finesAndSheetsAddUp(world, transfers);
}

async function exportedTransfers({ group }: World): Promise<Transfer[]> {
  const { text } = await group.members[0]!.http.get(`${group.path}/ledger/export`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Transfer);
}

/** The ledger sums to zero in e-money and in cash, and only the funding accounts are below zero. */
async function ledgerBalances(treasury: Client, { group }: World): Promise<void> {
  const sums = await treasury.query<{ money: string; sum: string }>(
    `SELECT money, sum(balance)::text AS sum FROM accounts GROUP BY money HAVING sum(balance) <> 0`,
  );
  expect(sums.rows, 'sums of the ledger').to.deep.equal([]);
  const negative = await treasury.query<{ account_id: string }>(
    `SELECT account_id FROM accounts WHERE balance < 0 AND name NOT IN ('funding', 'cash_funding')`,
  );
  expect(negative.rows, 'accounts below zero').to.deep.equal([]);
  const balances = await group.members[0]!.http.ok(`${group.path}/balances`);
  expect(balances.available, 'available').to.be.at.least(0);
}

const isCash = ({ account }: Leg) => account.startsWith('cash_');
const sumOf = (legs: Leg[]) => legs.reduce((sum, leg) => sum + leg.amount_minor, 0);

function everyTransferBalances(transfers: Transfer[]): void {
  for (const { id, legs } of transfers) {
    expect(sumOf(legs.filter(isCash)), `cash of ${id}`).to.equal(0);
    expect(sumOf(legs.filter((leg) => !isCash(leg))), `e-money of ${id}`).to.equal(0);
  }
}

/** A transfer is reversed once, by a transfer with each of its legs negated. */
function everyReversalNegates(transfers: Transfer[]): void {
  const byId = new Map(transfers.map((transfer) => [transfer.id, transfer]));
  const reversals = transfers.filter(({ kind }) => kind === 'reversal');
  for (const { reference, legs } of reversals) {
    const negated = legs.map(({ account, amount_minor }) => ({ account, amount_minor: -amount_minor }));
    expect(byId.get(reference!)?.legs, `reversed ${String(reference)}`).to.deep.equal(negated);
  }
  expect(new Set(reversals.map(({ reference }) => reference)).size, 'reversed once').to.equal(reversals.length);
}

/** Each due is the sum of its paid and outstanding parts. @returns the remaining arrears by meeting and member */
async function duesAddUp(world: World): Promise<Map<string, number>> {
  const arrears = new Map<string, number>();
  for (const meeting of world.meetings) {
    const path = `${world.group.path}/meetings/${meeting}`;
    const http = world.group.members[0]!.http;
    const { cycle_id, status, collected_amount, expected_amount } = await http.ok(path);
    let due_sum = 0;
    let paid_sum = 0;
    for (const due of await listAll(http, `${path}/dues`)) {
      const row = due as Record<'due' | 'paid' | 'outstanding' | 'arrears', number> & { member_id: string };
      if (cycle_id !== null) expect(row.due, 'due').to.equal(row.paid + row.outstanding);
      expect(row.arrears, 'arrears').to.be.within(0, Math.max(row.outstanding, 0));
      arrears.set(`${meeting} ${row.member_id}`, row.arrears);
      due_sum += row.due;
      paid_sum += row.paid;
    }
    if (cycle_id !== null) expect(due_sum, 'all dues').to.equal(expected_amount);
    if (status === 'open') expect(paid_sum, 'collected').to.equal(collected_amount);
    else if (status === 'settled') expect(paid_sum, 'paid after settlement').to.be.at.least(collected_amount as number);
  }
  return arrears;
}

interface Statement {
  member: { id: string };
  closing_balance: number;
  owes: number;
  is_owed: number;
  movements: { kind: string; meeting: object | null }[];
}
interface Owed {
  member_id: string;
  amount: number;
  owed_to: { member_id: string; amount: number }[];
}
interface Settled {
  /** Also the id of its transfer. */
  id: string;
  meeting_id: string;
  cycle_id: string | null;
  collected_amount: number;
  expected_amount: number;
  shortfall_amount: number;
  to_treasury_amount: number;
  payouts: { member_id: string; method: string; amount: number; transfer_id: string }[];
  arrears: Owed[];
  /** The members of the round's hands in rotation order; empty for savings and outside a cycle. */
  turns: string[];
}

/** A settlement pays out exactly the collected amount, in one transfer. */
async function settlementsConserve(world: World, transfers: Transfer[]): Promise<Settled[]> {
  const settled: Settled[] = [];
  const byId = new Map(transfers.map((transfer) => [transfer.id, transfer]));
  const http = world.group.members[0]!.http;
  for (const meeting of world.meetings) {
    const path = `${world.group.path}/meetings/${meeting}`;
    const shown = await http.ok(path);
    if (shown.status !== 'settled') continue;
    // The answer is untyped JSON; a wrong shape fails the sums below.
    const settlement = (await http.ok(`${path}/settlement`)) as unknown as Settled;
    const paid_out = settlement.payouts.reduce((sum, payout) => sum + payout.amount, 0);
    expect(paid_out + settlement.to_treasury_amount, 'Σ payouts').to.equal(settlement.collected_amount);
    expect(new Set(settlement.payouts.map((payout) => payout.transfer_id)).size, 'transfers').to.be.at.most(1);
    for (const owed of settlement.arrears) {
      expect(
        owed.owed_to.reduce((sum, part) => sum + part.amount, 0),
        'owed to all',
      ).to.equal(owed.amount);
      expect(owed.owed_to.map((part) => part.member_id)).not.to.include(owed.member_id);
    }
    const [payout] = settlement.payouts;
    if (payout !== undefined) expect(byId.get(payout.transfer_id)?.kind).to.equal('settlement');
    settled.push({ ...settlement, cycle_id: shown.cycle_id as string | null, turns: await turnsOf(world, shown) });
  }
  return settled;
}

/** The decrease of arrears equals the direct payments from wallets plus the amounts set off from payouts. */
function arrearsArePaidOnce(settlements: Settled[], left: Map<string, number>, transfers: Transfer[]): void {
  let gone = 0;
  for (const { meeting_id, arrears } of settlements) {
    for (const { member_id, amount } of arrears) gone += amount - (left.get(`${meeting_id} ${member_id}`) ?? 0);
  }
  const direct = transfers
    .filter(({ kind }) => kind === 'arrears_payment')
    .reduce((sum, { legs }) => sum + sumOf(legs.filter((leg) => leg.amount_minor > 0)), 0);
  const set_off = settlements.reduce((sum, settlement) => sum + setOff(settlement), 0);
  expect(gone, 'arrears gone').to.equal(direct + set_off);
}

async function turnsOf({ group }: World, { cycle_id, round }: Json): Promise<string[]> {
  if (cycle_id === null) return [];
  const { hands } = await group.members[0]!.http.ok(`${group.path}/cycles/${cycle_id as string}`);
  return (hands as { member_id: string; round: number }[])
    .filter((hand) => hand.round === round)
    .map((hand) => hand.member_id);
}

/** Divides an amount into equal parts; the first parts get the remainder. */
function sharesOf(amount: number, turns: string[]): Map<string, number> {
  const shares = new Map<string, number>();
  turns.forEach((member_id, place) => {
    const hand = Math.floor(amount / turns.length) + (place < amount % turns.length ? 1 : 0);
    shares.set(member_id, (shares.get(member_id) ?? 0) + hand);
  });
  return shares;
}

/**
 * Returns the part of the beneficiaries' shares that a round paid to others. Payouts are listed by beneficiary, and
 * the payouts of each beneficiary sum to their share.
 */
function setOff({ turns, payouts, collected_amount }: Settled): number {
  const shares = sharesOf(collected_amount, turns);
  const left = [...payouts];
  let to_others = 0;
  for (const [member_id, share] of shares) {
    for (let sum = 0; sum < share;) {
      const payout = left.shift();
      if (payout === undefined) throw new Error('The payouts sum to less than the shares');
      sum += payout.amount;
      expect(sum, 'payouts of one share').to.be.at.most(share);
      if (payout.member_id !== member_id) to_others += payout.amount;
    }
  }
  if (turns.length > 0) expect(left, 'payouts beyond the shares').to.deep.equal([]);
  return to_others;
}

async function everyHandHasOneTurn({ group, cycles }: World): Promise<void> {
  for (const cycle of cycles) {
    const { hands, rounds, rules, order } = await group.members[0]!.http.ok(`${group.path}/cycles/${cycle}`);
    if (order === null) continue;
    const turns = hands as { position: number; member_id: string; round: number }[];
    const per_round = (rules as { beneficiaries_per_meeting: number }).beneficiaries_per_meeting;
    expect(turns.map((hand) => hand.position)).to.deep.equal(turns.map((_, place) => place + 1));
    expect(turns.map((hand) => hand.round)).to.deep.equal(turns.map((_, place) => Math.floor(place / per_round) + 1));
    expect(turns.length).to.equal((rounds as number) * per_round);
  }
}

/** No beneficiary is owed more than their share of the expected amount minus their share of the collected amount. */
function claimsMakeUpShares({ turns, collected_amount, expected_amount, arrears }: Settled): void {
  const whole = sharesOf(expected_amount, turns);
  const paid = sharesOf(collected_amount, turns);
  const parts = arrears.flatMap((each) => each.owed_to);
  for (const [member_id, share] of whole) {
    const owed = parts.reduce((sum, part) => sum + (part.member_id === member_id ? part.amount : 0), 0);
    // It is less if they have not paid, because the part that they would owe themselves is void.
    expect(owed, 'owed to a beneficiary').to.be.at.most(share - (paid.get(member_id) ?? 0));
  }
}

/** The kinds of movements that no meeting causes. */
const WITHOUT_MEETING = ['cash_deposit', 'distribution_payment'];

/**
 * The statements of all members close at the money that the association holds, show the arrears of the dues, and name
 * the meeting of each movement that a meeting causes.
 */
async function statementsTellTheLedger(
  { group }: World,
  transfers: Transfer[],
  arrears: Map<string, number>,
): Promise<void> {
  const statements = await Promise.all(
    group.members.map(async ({ http }) => (await http.ok(`${group.path}/statement`)) as unknown as Statement),
  );
  const balances = statements.map((each) => each.closing_balance);
  for (const { member, owes, movements } of statements) {
    const due = [...arrears].filter(([place]) => place.endsWith(member.id)).reduce((sum, [, left]) => sum + left, 0);
    expect(owes, 'owes').to.equal(due);
    for (const { kind, meeting } of movements) {
      // A reversal and the payment of a fine have the meeting of what they are for, if that has one.
      if (kind === 'reversal' || kind === 'fine_payment') continue;
      expect(meeting !== null, kind).to.equal(!WITHOUT_MEETING.includes(kind));
    }
  }
  expect(
    statements.reduce((sum, each) => sum + each.owes - each.is_owed, 0),
    'each debt has a creditor',
  ).to.equal(0);
  // The association still holds all that members have paid in and have not received.
  const inside = transfers
    .flatMap(({ legs }) => legs)
    .filter(({ account }) => !account.startsWith('wallet:') && account !== 'cash_funding');
  expect(
    balances.reduce((sum, balance) => sum + balance, 0),
    'statements',
  ).to.equal(sumOf(inside));
}

/** Number of past instants at which the balances are read. */
const INSTANTS = 12;

/** The balances at an instant are the sums of the transfers until then. Savings are what rounds have brought to the treasury. */
async function pastBalancesAddUp(world: World, transfers: Transfer[], settlements: Settled[]): Promise<void> {
  const rounds = settlements.filter(({ cycle_id }) => world.type === 'savings' && cycle_id !== null);
  const savings = new Map(rounds.map(({ id, to_treasury_amount }) => [id, to_treasury_amount]));
  const { http } = world.group.members[0]!;
  const step = Math.ceil(transfers.length / INSTANTS);
  for (const { posted_at: at } of transfers.filter((_, index) => index % step === 0)) {
    const until = transfers.filter(({ posted_at }) => posted_at <= at);
    const legs = until.flatMap((transfer) => transfer.legs);
    const sum = (...names: string[]) => sumOf(legs.filter(({ account }) => names.includes(account)));
    const treasury = sum('treasury', 'cash_treasury');
    const saved = until.reduce((total, { id }) => total + (savings.get(id) ?? 0), 0);
    const { pools, ...others } = await http.ok(`${world.group.path}/balances?at=${at}`);
    expect(others, `balances at ${at}`).to.deep.equal({
      currency: world.currency,
      treasury,
      reserved: sum('reserved', 'cash_reserved'),
      cash: 0 - sum('cash_funding'),
      available: treasury - saved,
    });
    const pooled = (pools as { amount: number }[]).reduce((total, { amount }) => total + amount, 0);
    expect(pooled, `pools at ${at}`).to.equal(sumOf(legs.filter(({ account }) => account.includes('pool:'))));
  }
}
