import canonicalize from 'canonicalize';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import type { TransferLeg, TransferRecord } from '../../../lib/contracts/treasury.ts';
import { problem, type Problem } from '../../../lib/errors/problem.ts';
import { DONE, HoldingFake } from './fake.ts';

type TransferInput = CommandInput<typeof contract.transfer>;

/** A fake of the treasury: wallets, locks, and a ledger that keeps the first outcome of each transfer id. */
export class FakeTreasury extends HoldingFake {
  readonly wallets = new Map<string, { user_id: string; currency: string }>();
  readonly balances = new Map<string, bigint>();
  /** The savings in each association's `treasury` and `cash_treasury`. */
  readonly savings = new Map<string, bigint>();
  /** Transfer id -> its first input. */
  readonly inputs = new Map<string, TransferInput>();
  readonly outcomes = new Map<string, { record: TransferRecord } | { refused: Problem }>();
  /** Whether every member has a pending request, so that no member can leave. */
  pending = false;
  /** Departure id -> the locked membership, as `member/tenure`. */
  readonly membership_locks = new Map<string, string>();

  constructor() {
    super('treasury');
    this.implement(contract.transfer, (input) => this.#transfer(input));
    this.implement(contract.openWallet, ({ user_id, currency }) => ({
      wallet_id: this.openWallet(user_id, 0, currency),
    }));
    this.implement(contract.checkWallet, ({ wallet_id, user_id, currency }) => {
      const wallet = this.wallets.get(wallet_id);
      if (wallet?.user_id !== user_id) throw problem('not_found');
      if (wallet.currency !== currency) throw problem('wallet_currency_mismatch');
      return { ok: true };
    });
    this.implement(contract.cashBox, ({ association_id }) => ({
      cash_minor: 0 - this.balance(`${association_id}/cash_funding`),
    }));
    this.implement(contract.listWallets, ({ user_id }) => ({ wallets: this.#walletsOf(user_id) }));
    this.implement(contract.obligations, () => ({ pending: this.pending }));
    this.implement(contract.executeApproval, () => DONE);
    this.implementLocks(contract.lockAssociation, contract.unlockAssociation);
    this.implement(contract.lockMembership, ({ member_id, tenure, departure_id }) => {
      const locked = !this.pending && !this.lifted.has(departure_id);
      if (locked) this.membership_locks.set(departure_id, `${member_id}/${String(tenure)}`);
      return { locked };
    });
    this.implement(contract.unlockMembership, ({ departure_id }) => {
      this.membership_locks.delete(departure_id);
      this.lifted.add(departure_id);
      return { ok: true };
    });
  }

  override reset(): void {
    super.reset();
    this.pending = false;
    this.membership_locks.clear();
  }

  openWallet(user_id: string, balance: number, currency = 'XAF'): string {
    const wallet_id = `wallet-${user_id}-${currency}`;
    this.wallets.set(wallet_id, { user_id, currency });
    const account = `wallet:${wallet_id}`;
    if (balance > 0 || !this.balances.has(account)) this.balances.set(account, BigInt(balance));
    return wallet_id;
  }

  balance(account: string): number {
    return Number(this.balances.get(account) ?? 0n);
  }

  /** Returns the posted transfers. */
  posted(): TransferRecord[] {
    return [...this.outcomes.values()].flatMap((outcome) => ('record' in outcome ? [outcome.record] : []));
  }

  /** Posts confirmed cash. */
  bringCash(association_id: string, meeting_id: string, id: string, amount_minor: number): void {
    const legs = [
      { account: 'cash_funding', amount_minor: -amount_minor },
      { account: `cash_pool:${meeting_id}`, amount_minor },
    ];
    const rest = { currency: 'XAF', reference: null, payer_user_id: null, member_id: null };
    this.outcomes.set(id, this.#post({ id, association_id, kind: 'cash_contribution', legs, ...rest }));
  }

  #walletsOf(user_id: string): contract.Wallet[] {
    const own = [...this.wallets].filter(([, wallet]) => wallet.user_id === user_id);
    const created_at = new Date(0).toISOString();
    return own.map(([id, wallet]) => ({ ...wallet, id, balance: this.balance(`wallet:${id}`), created_at }));
  }

  #transfer(input: TransferInput): TransferRecord {
    const before = this.inputs.get(input.id);
    if (before !== undefined && canonicalize(before) !== canonicalize(input)) throw problem('transfer_conflict');
    this.inputs.set(input.id, input);
    const outcome = this.outcomes.get(input.id) ?? this.#post(input);
    this.outcomes.set(input.id, outcome);
    if ('refused' in outcome) throw outcome.refused;
    return outcome.record;
  }

  #post(input: TransferInput): { record: TransferRecord } | { refused: Problem } {
    const objection = input.legs.map((leg) => this.#walletObjection(input, leg)).find((each) => each !== undefined);
    if (objection !== undefined) return { refused: objection };
    assertSums(input);
    const balances = this.#changed(this.balances, input.association_id, input.legs);
    const savings = this.#changed(this.savings, input.association_id, [
      { account: 'treasury', amount_minor: input.savings?.emoney_minor ?? 0 },
      { account: 'cash_treasury', amount_minor: input.savings?.cash_minor ?? 0 },
    ]);
    const short = (key: string) => !key.endsWith('funding') && (balances.get(key) ?? 0n) < (savings.get(key) ?? 0n);
    if ([...balances.keys(), ...savings.keys()].some(short)) return { refused: problem('insufficient_funds') };
    for (const [key, balance] of balances) this.balances.set(key, balance);
    for (const [key, saved] of savings) this.savings.set(key, saved);
    return { record: this.#recordOf(input) };
  }

  #walletObjection(input: TransferInput, { account, amount_minor }: TransferLeg): Problem | undefined {
    if (!account.startsWith('wallet:')) return undefined;
    const wallet = this.wallets.get(account.slice('wallet:'.length));
    if (wallet === undefined) return problem('not_found');
    if (amount_minor < 0 && wallet.user_id !== input.payer_user_id) return problem('not_found');
    return wallet.currency === input.currency ? undefined : problem('wallet_currency_mismatch');
  }

  /** Returns the values of the touched accounts and both treasuries after the transfer. */
  #changed(from: Map<string, bigint>, association_id: string, legs: TransferLeg[]): Map<string, bigint> {
    const after = new Map<string, bigint>();
    for (const { account, amount_minor } of legs) {
      const key = this.#keyOf(association_id, account);
      after.set(key, (after.get(key) ?? from.get(key) ?? 0n) + BigInt(amount_minor));
    }
    for (const treasury of ['treasury', 'cash_treasury']) {
      const key = `${association_id}/${treasury}`;
      if (!after.has(key)) after.set(key, from.get(key) ?? 0n);
    }
    return after;
  }

  #recordOf({ id, association_id, kind, currency, legs, reference }: TransferInput): TransferRecord {
    return {
      id,
      association_id,
      kind,
      currency,
      reference,
      legs: legs.map(({ account, amount_minor }) => ({ account, amount_minor })),
      seq: this.outcomes.size + 1,
      posted_at: new Date().toISOString(),
      prev_hash: '0'.repeat(64),
      hash: 'f'.repeat(64),
    };
  }

  /** Returns the key of an account: wallets are global, all other accounts belong to the association. */
  #keyOf(association_id: string, account: string): string {
    return account.startsWith('wallet:') ? account : `${association_id}/${account}`;
  }
}

/** Checks the sums of the legs, which are wrong only by a programming error. */
function assertSums({ legs, kind }: TransferInput): void {
  const sums = { cash: 0, emoney: 0 };
  for (const { account, amount_minor } of legs) {
    if (amount_minor === 0) throw new Error(`a leg of ${kind} has an amount of zero`);
    sums[account.startsWith('cash_') ? 'cash' : 'emoney'] += amount_minor;
  }
  if (sums.cash !== 0 || sums.emoney !== 0) throw new Error(`the legs of ${kind} do not sum to zero`);
}
