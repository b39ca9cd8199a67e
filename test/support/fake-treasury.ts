import type { ServiceSchema } from 'moleculer';
import { implementCommand } from '../../lib/actions/implement.ts';
import type { CommandInput } from '../../lib/contracts/action.ts';
import { openWallet, transfer } from '../../lib/contracts/treasury.ts';
import type { TransferRecord } from '../../lib/contracts/treasury.ts';
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
    const outcome = this.outcomes.get(input.id) ?? this.#post(input);
    this.outcomes.set(input.id, outcome);
    if (mishap === 'answer_lost') throw new Error('the answer got lost');
    if ('refused' in outcome) throw outcome.refused;
    return outcome.record;
  }

  #post(input: TransferInput): { record: TransferRecord } | { refused: Problem } {
    const scoped = input.legs.map((leg) => ({ ...leg, key: this.#keyOf(input.association_id, leg.account) }));
    for (const { account, amount_minor, key } of scoped) {
      if (account.startsWith('wallet:')) {
        const wallet = this.wallets.get(account.slice('wallet:'.length));
        if (wallet === undefined) return { refused: problem('not_found') };
        if (amount_minor < 0 && wallet.user_id !== input.payer_user_id) return { refused: problem('not_found') };
        if (wallet.currency !== input.currency) return { refused: problem('wallet_currency_mismatch') };
      }
      if ((this.balances.get(key) ?? 0n) + BigInt(amount_minor) < 0n) return { refused: problem('insufficient_funds') };
    }
    if (input.legs.reduce((sum, leg) => sum + leg.amount_minor, 0) !== 0) throw new Error('legs do not sum to zero');
    for (const { key, amount_minor } of scoped) {
      this.balances.set(key, (this.balances.get(key) ?? 0n) + BigInt(amount_minor));
    }
    const { id, association_id, kind, currency, legs, reference } = input;
    return {
      record: {
        ...{ id, association_id, kind, currency, legs, reference },
        seq: this.outcomes.size + 1,
        posted_at: new Date().toISOString(),
        prev_hash: '0'.repeat(64),
        hash: 'f'.repeat(64),
      },
    };
  }

  /** Wallets are global, all other accounts the association's own. */
  #keyOf(association_id: string, account: string): string {
    return account.startsWith('wallet:') ? account : `${association_id}/${account}`;
  }
}
