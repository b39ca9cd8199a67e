import canonicalize from 'canonicalize';
import type { ServiceSchema } from 'moleculer';
import { implementCommand } from '../../lib/service/implement.ts';
import type { CommandInput } from '../../lib/contracts/action.ts';
import { openWallet, transfer } from '../../lib/contracts/treasury.ts';
import type { TransferLeg, TransferRecord } from '../../lib/contracts/treasury.ts';
import { problem } from '../../lib/errors/problem.ts';
import type { Problem } from '../../lib/errors/problem.ts';

type TransferInput = CommandInput<typeof transfer>;

/** What happens to one call: it gets lost on the way here, or its answer on the way back, or nothing special. */
export type Mishap = 'none' | 'request_lost' | 'answer_lost' | 'late';

interface FakeWallet {
  user_id: string;
  currency: string;
}

/** The ledger as its contract tells it, in memory: each id counts once, and its first outcome stands. */
export class FakeTreasury {
  readonly wallets = new Map<string, FakeWallet>();
  readonly balances = new Map<string, bigint>();
  /** What of an association's `treasury` and `cash_treasury` nothing else may take. */
  readonly savings = new Map<string, bigint>();
  /** What was asked for under each id. */
  readonly inputs = new Map<string, TransferInput>();
  readonly outcomes = new Map<string, { record: TransferRecord } | { refused: Problem }>();
  readonly mishaps: Mishap[] = [];
  /** How often each id was asked for. */
  readonly asked = new Map<string, number>();
  /** How long a `late` call takes before it is even done. */
  lateness_ms = 400;

  openWallet(user_id: string, balance: number, currency = 'XAF'): string {
    const wallet_id = `w-${user_id}-${currency}`;
    this.wallets.set(wallet_id, { user_id, currency });
    this.balances.set(`wallet:${wallet_id}`, BigInt(balance));
    return wallet_id;
  }

  balance(account: string): number {
    return Number(this.balances.get(account) ?? 0n);
  }

  /** The transfers that were posted. */
  posted(): TransferRecord[] {
    return [...this.outcomes.values()].flatMap((outcome) => ('record' in outcome ? [outcome.record] : []));
  }

  schema(): ServiceSchema {
    return {
      name: 'treasury',
      actions: {
        transfer: implementCommand(transfer, (input) => this.#transfer(input)),
        open_wallet: implementCommand(openWallet, ({ user_id, currency }) =>
          Promise.resolve({ wallet_id: this.openWallet(user_id, 0, currency) }),
        ),
      },
    };
  }

  async #transfer(input: TransferInput): Promise<TransferRecord> {
    const mishap = this.mishaps.shift() ?? 'none';
    this.asked.set(input.id, (this.asked.get(input.id) ?? 0) + 1);
    if (mishap === 'request_lost') throw new Error('the request got lost');
    if (mishap === 'late') await new Promise((resolve) => setTimeout(resolve, this.lateness_ms));
    // Even without a mishap an answer comes later, so that concurrent requests interleave.
    else await new Promise((resolve) => setImmediate(resolve));
    const before = this.inputs.get(input.id);
    if (before !== undefined && canonicalize(before) !== canonicalize(input)) throw problem('transfer_conflict');
    this.inputs.set(input.id, input);
    const outcome = this.outcomes.get(input.id) ?? this.#post(input);
    this.outcomes.set(input.id, outcome);
    if (mishap === 'answer_lost') throw new Error('the answer got lost');
    if ('refused' in outcome) throw outcome.refused;
    return outcome.record;
  }

  /** Posts cash as the treasury does once the board has confirmed it. */
  bringCash(association_id: string, meeting_id: string, id: string, amount_minor: number): void {
    const legs = [
      { account: 'cash_funding', amount_minor: -amount_minor },
      { account: `cash_pool:${meeting_id}`, amount_minor },
    ];
    const rest = { currency: 'XAF', reference: null, payer_user_id: null, member_id: null };
    this.outcomes.set(id, this.#post({ id, association_id, kind: 'cash_contribution', legs, ...rest }));
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

  /** What the whole transfer makes of the accounts that it touches, and of both treasuries. */
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
      ...{ id, association_id, kind, currency, reference },
      legs: legs.map(({ account, amount_minor }) => ({ account, amount_minor })),
      seq: this.outcomes.size + 1,
      posted_at: new Date().toISOString(),
      prev_hash: '0'.repeat(64),
      hash: 'f'.repeat(64),
    };
  }

  /** Wallets are global, all other accounts the association's own. */
  #keyOf(association_id: string, account: string): string {
    return account.startsWith('wallet:') ? account : `${association_id}/${account}`;
  }
}

/** As the treasury does: what a caller may never get wrong. */
function assertSums({ legs, kind }: TransferInput): void {
  const sums = { cash: 0, emoney: 0 };
  for (const { account, amount_minor } of legs) {
    if (amount_minor === 0) throw new Error(`a leg of ${kind} moves nothing`);
    sums[account.startsWith('cash_') ? 'cash' : 'emoney'] += amount_minor;
  }
  if (sums.cash !== 0 || sums.emoney !== 0) throw new Error(`the legs of ${kind} do not sum to zero in each money`);
}
