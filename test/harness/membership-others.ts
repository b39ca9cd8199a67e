/** The services that membership calls, played by stubs. */
import type { ServiceSchema } from 'moleculer';
import type { CommandInput } from '../../lib/contracts/action.ts';
import type { Remains } from '../../lib/contracts/approvals.ts';
import * as contribution from '../../lib/contracts/contribution.ts';
import * as treasury from '../../lib/contracts/treasury.ts';
import { problem } from '../../lib/errors/problem.ts';
import { implementCommand } from '../../lib/service/implement.ts';

/** What the other services would answer; tests change it. */
export interface Others {
  wallets: Map<string, { user_id: string; currency: string }>;
  obligations: { cycle_running: boolean; has_arrears: boolean; pending: boolean };
  /** The cycles that contribution was asked about. */
  asked_cycles: (string | null)[];
  /** Whether looking at a wallet ends in a fault. */
  wallets_down: boolean;
  /**
   * Which services hold something of the association, how often each is asked before that is decided, and which approvals
   * have locked it there.
   */
  holding: { contribution: boolean; treasury: boolean };
  undecided: { contribution: number; treasury: number };
  /** Whether what is held has come in only after a dry run. */
  held_late: boolean;
  association_locks: { contribution: Set<string>; treasury: Set<string> };
  /** What departures have locked in the treasury, as `member/tenure departure`. */
  locks: Set<string>;
}

export const nothingHeld = (): Omit<Others, 'wallets'> => ({
  obligations: { cycle_running: false, has_arrears: false, pending: false },
  asked_cycles: [],
  wallets_down: false,
  holding: { contribution: false, treasury: false },
  undecided: { contribution: 0, treasury: 0 },
  held_late: false,
  association_locks: { contribution: new Set(), treasury: new Set() },
  locks: new Set(),
});

function lockIn(
  others: Others,
  service: keyof Others['association_locks'],
  { approval_id, dry_run }: CommandInput<typeof treasury.lockAssociation>,
): Promise<{ remains: Remains }> {
  const { holding, held_late, undecided, association_locks } = others;
  if (undecided[service] > 0) {
    undecided[service] -= 1;
    return Promise.resolve({ remains: 'undecided' });
  }
  if (holding[service] && !(dry_run && held_late) && !association_locks[service].has(approval_id))
    return Promise.resolve({ remains: 'something' });
  if (!dry_run) association_locks[service].add(approval_id);
  return Promise.resolve({ remains: 'nothing' });
}

/** A lock as a test sees it. */
function lockOf({ member_id, tenure, departure_id }: CommandInput<typeof treasury.lockMembership>): string {
  return `${member_id}/${String(tenure)} ${departure_id}`;
}

function unlockIn({ association_locks }: Others, service: keyof Others['association_locks'], approval_id: string) {
  association_locks[service].delete(approval_id);
  return Promise.resolve({ ok: true });
}

export function stubs(others: Others): ServiceSchema[] {
  const walletOf = (user_id: string, currency: string) => `wallet-${user_id}-${currency}`;
  return [
    {
      name: 'treasury',
      actions: {
        open_wallet: implementCommand(treasury.openWallet, ({ user_id, currency }) => {
          const wallet_id = walletOf(user_id, currency);
          others.wallets.set(wallet_id, { user_id, currency });
          return Promise.resolve({ wallet_id });
        }),
        check_wallet: implementCommand(treasury.checkWallet, ({ wallet_id, user_id, currency }) => {
          if (others.wallets_down) throw new Error('the wallets are away');
          const wallet = others.wallets.get(wallet_id);
          if (wallet?.user_id !== user_id) throw problem('not_found');
          if (wallet.currency !== currency) throw problem('wallet_currency_mismatch');
          return Promise.resolve({ ok: true });
        }),
        obligations: implementCommand(treasury.obligations, () =>
          Promise.resolve({ pending: others.obligations.pending }),
        ),
        lock_association: implementCommand(treasury.lockAssociation, (input) => lockIn(others, 'treasury', input)),
        lock_membership: implementCommand(treasury.lockMembership, (departure) => {
          if (others.obligations.pending) return Promise.resolve({ locked: false });
          others.locks.add(lockOf(departure));
          return Promise.resolve({ locked: true });
        }),
        unlock_membership: implementCommand(treasury.unlockMembership, (departure) => {
          others.locks.delete(lockOf(departure));
          return Promise.resolve({ ok: true });
        }),
        unlock_association: implementCommand(treasury.unlockAssociation, ({ approval_id }) =>
          unlockIn(others, 'treasury', approval_id),
        ),
      },
    },
    {
      name: 'contribution',
      actions: {
        obligations: implementCommand(contribution.obligations, ({ cycle_id }) => {
          const { cycle_running, has_arrears } = others.obligations;
          others.asked_cycles.push(cycle_id);
          return Promise.resolve({ cycle_running: cycle_running && cycle_id !== null, has_arrears });
        }),
        lock_association: implementCommand(contribution.lockAssociation, (input) =>
          lockIn(others, 'contribution', input),
        ),
        unlock_association: implementCommand(contribution.unlockAssociation, ({ approval_id }) =>
          unlockIn(others, 'contribution', approval_id),
        ),
      },
    },
  ];
}
