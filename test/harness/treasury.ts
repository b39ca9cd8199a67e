import type { Answer, CommandInput, Endpoint } from '../../lib/contracts/action.ts';
import type { Decision } from '../../lib/contracts/approvals.ts';
import type { MemberReference } from '../../lib/contracts/membership.ts';
import type { Metadata } from '../../lib/contracts/metadata.ts';
import * as contract from '../../lib/contracts/treasury.ts';
import { treasuryDatabase } from '../../services/treasury/database.ts';
import { treasuryService } from '../../services/treasury/treasury.service.ts';
import { FakeContribution } from './fakes/contribution.ts';
import { FakeGovernance } from './fakes/governance.ts';
import { FakeMembership, RIGHT_PIN } from './fakes/membership.ts';
import { ServiceHarness, useHarness, type CallOptions } from './service-harness.ts';

/** Recovery continues unfinished sagas soon, but does not load the database of each test all the time. */
const TIMINGS = { call_timeout_ms: 1_000, lock_wait_ms: 500, recover_every_ms: 100, stale_after_ms: 200 };

/** Starts a treasury for the tests of a `describe`, with a new group for each test. */
export function useTreasury(): TreasuryHarness {
  const treasury = useHarness(new TreasuryHarness());
  beforeEach(async () => {
    treasury.group = await treasury.newGroup();
  });
  return treasury;
}

type RequestTable = 'cash_deposits' | 'distributions' | 'corrections';

/** An association with a president, a treasurer, a secretary and a member. */
export interface Group {
  id: string;
  p: MemberReference;
  t: MemberReference;
  s: MemberReference;
  m: MemberReference;
}

export class TreasuryHarness extends ServiceHarness {
  readonly membership = new FakeMembership(this.newId);
  readonly governance = new FakeGovernance();
  readonly contribution = new FakeContribution();
  /** The default group of the methods below. */
  group!: Group;
  protected override readonly fakes = [this.membership, this.governance, this.contribution];

  constructor() {
    super({ service: 'treasury', definition: treasuryDatabase, create: treasuryService, timings: TIMINGS });
  }

  async newGroup(currency = 'XAF'): Promise<Group> {
    const { id } = this.membership.found({ currency });
    const join = async (letter: string, role: MemberReference['role']) => {
      const user_id = `${letter}-${id}`;
      const payout_wallet_id = await this.fundedWallet(user_id, 0, currency);
      return this.membership.join(id, user_id, { role, payout_wallet_id });
    };
    const p = await join('p', 'president');
    const t = await join('t', 'treasurer');
    const s = await join('s', 'secretary');
    const m = await join('m', 'member');
    return { id, p, t, s, m };
  }

  path(): { association_id: string } {
    return { association_id: this.group.id };
  }

  /** Opens a wallet with this balance in the currency's major unit. */
  async fundedWallet(user_id: string, amount: number, currency = 'XAF'): Promise<string> {
    const { wallet_id } = await this.command(contract.openWallet, { user_id, currency });
    if (amount > 0) await this.deposit(wallet_id, amount);
    return wallet_id;
  }

  deposit(wallet_id: string, amount: number, reference = this.newId(), key?: string, metadata?: Metadata) {
    const input = { path: { wallet_id }, body: { amount, reference, ...(metadata && { metadata }) } };
    return this.as('the-bank', contract.depositToWallet, input, { scopes: ['wallets:fund'], key });
  }

  withdraw(wallet_id: string, amount: number, reference = this.newId(), key?: string) {
    const input = { path: { wallet_id }, body: { amount, reference } };
    return this.as('the-bank', contract.withdrawFromWallet, input, { scopes: ['wallets:fund'], key });
  }

  async balanceOf(wallet_id: string, owner: string): Promise<number> {
    return (await this.as(owner, contract.getWallet, { path: { wallet_id } })).balance;
  }

  /** Returns the name of the member's wallet account. */
  wallet(): string {
    return `wallet:${this.group.m.payout_wallet_id!}`;
  }

  /** Posts a transfer of the group as contribution does, with default values for all other members. */
  transfer(given: Partial<CommandInput<typeof contract.transfer>>): Promise<contract.TransferRecord> {
    const { m } = this.group;
    return this.command(contract.transfer, {
      id: this.newId(),
      ...this.path(),
      kind: 'contribution',
      currency: 'XAF',
      reference: null,
      payer_user_id: m.user_id,
      member_id: m.member_id,
      legs: [],
      ...given,
    });
  }

  /** Moves e-money from a new wallet to the treasury, a part of it as savings. */
  async endow(amount_minor: number, savings_minor = 0): Promise<void> {
    const payer_user_id = this.newId();
    const wallet_id = await this.fundedWallet(payer_user_id, amount_minor);
    await this.transfer({
      kind: 'settlement',
      payer_user_id,
      member_id: null,
      ...legs(`wallet:${wallet_id}`, 'treasury', amount_minor),
      ...(savings_minor === 0 ? {} : { savings: { emoney_minor: savings_minor, cash_minor: 0 } }),
    });
  }

  /** Records 500 in cash of the member, by default as treasurer. */
  recordCash(given: object = {}, options: CallOptions = {}, user_id = this.group.t.user_id) {
    const body = { member_id: this.group.m.member_id, amount: 500, reason: 'in hand', pin: RIGHT_PIN, ...given };
    return this.as(user_id, contract.recordCashContribution, { path: this.path(), body }, options);
  }

  /** Records cash of the member and approves it. @returns the id of the deposit */
  async bringCash(amount: number): Promise<string> {
    const { id } = await this.recordCash({ amount });
    await this.decide(id, 'approved');
    return id;
  }

  /** Requests a distribution of 300 to the member, by default as president. */
  distribute(given: object = {}, options: CallOptions = {}, user_id = this.group.p.user_id) {
    const body = { beneficiary_member_id: this.group.m.member_id, amount: 300, reason: 'a roof', ...given };
    return this.as(user_id, contract.requestDistribution, { path: this.path(), body }, options);
  }

  /** Moves 500 from the member's wallet into the pool of a meeting. @returns the id of the contribution */
  async contributed(meeting_id = this.newId()): Promise<string> {
    await this.deposit(this.group.m.payout_wallet_id!, 500);
    return (await this.transfer(legs(this.wallet(), `pool:${meeting_id}`, 500))).id;
  }

  /** Requests the correction of a transfer, by default as treasurer. */
  correct(transfer_id: string, given: object = {}, options: CallOptions = {}, user_id = this.group.t.user_id) {
    const body = { transfer_id, reason: 'entered twice', pin: RIGHT_PIN, ...given };
    return this.as(user_id, contract.requestCorrection, { path: this.path(), body }, options);
  }

  /** Reads a correction as the member. */
  correction(correction_id: string): Promise<contract.Correction> {
    return this.as(this.group.m.user_id, contract.getCorrection, { path: { ...this.path(), correction_id } });
  }

  /** Notifies the treasury of the board's decision on a request. */
  decide(subject_id: string, decision: Decision): Promise<Answer<typeof contract.executeApproval>> {
    const { approval_id, association_id, subject_type, payload } = this.governance.approvalOf(subject_id);
    const input = { approval_id, association_id, subject_type, subject_id, decision, payload };
    return this.command(contract.executeApproval, input);
  }

  /** @param at an instant; now if absent */
  balances(at?: string): Promise<Answer<typeof contract.balances>> {
    const query = at === undefined ? {} : { at };
    return this.as(this.group.m.user_id, contract.balances, { path: this.path(), query });
  }

  /** Reads the cash ledger, newest first. */
  async cashLedger(): Promise<Answer<typeof contract.cashLedger>['data']> {
    return (await this.as(this.group.m.user_id, contract.cashLedger, { path: this.path() })).data;
  }

  /** Reads all pages of a list of the group as the member. */
  listed<T>(list: Endpoint, limit: number, filters: Record<string, string> = {}): Promise<T[]> {
    return this.pages<T>(this.group.m.user_id, list, this.path(), limit, filters);
  }

  exportLedger(after_seq = 0): Promise<Answer<typeof contract.ledgerExport>> {
    return this.as(this.group.m.user_id, contract.ledgerExport, { path: this.path(), query: { after_seq } });
  }

  /** Whether the member has a pending request, so that they cannot leave. */
  async isObliged({ member_id } = this.group.m): Promise<boolean> {
    return (await this.command(contract.obligations, { ...this.path(), member_id })).pending;
  }

  /** Returns the group's rows of a saga, oldest first. */
  requests(table: RequestTable): Promise<{ id: string; status: string }[]> {
    return this.sql(`SELECT id, status FROM ${table} WHERE association_id = $1 ORDER BY id`, this.group.id);
  }

  async statuses(table: RequestTable): Promise<string[]> {
    return (await this.requests(table)).map(({ status }) => status);
  }

  /** Returns the types of the group's events, except those of the ledger. */
  async publishedTypes(): Promise<string[]> {
    return (await this.eventTypes(this.group.id)).filter((type) => type !== 'transfer.posted');
  }
}

/** Returns legs that move an amount from an account to another. */
export function legs(from: string, to: string, amount_minor: number): { legs: contract.Leg[] } {
  return {
    legs: [
      { account: from, amount_minor: -amount_minor },
      { account: to, amount_minor },
    ],
  };
}
