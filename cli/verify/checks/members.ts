/** Members, wallets and cycles, to which money refers in another database. */
import { RUNNING, type CycleStatus } from '../../../services/contribution/cycles/cycle.table.ts';
import { pairs } from '../pairs.ts';

interface Bound {
  member_id: string;
  hands: number;
}

interface ListedCycle {
  id: string;
  association_id: string;
  status: CycleStatus;
  /** By member. */
  members: Bound[];
}

interface Binding {
  id: string;
  is_open: boolean;
  members: Bound[];
}

const membersOf = (table: string, id: string): string => `
  (SELECT coalesce(json_agg(json_build_object('member_id', member_id, 'hands', hands) ORDER BY member_id), '[]')
   FROM ${table} WHERE cycle_id = ${id}) AS members`;

export const cyclesCheck = pairs<ListedCycle, Binding>({
  name: 'cycles',
  compares: 'each running cycle with the members that it binds',
  byId: false,
  from: {
    service: 'contribution',
    sql: {
      name: 'verify.cycles',
      text: `SELECT c.id, c.association_id, c.status, ${membersOf('cycle_members', 'c.id')}
             FROM cycles c WHERE c.id > $1 AND c.status IN (${RUNNING})
             ORDER BY c.id LIMIT $2`,
    },
  },
  to: {
    service: 'membership',
    sql: {
      name: 'verify.bindings',
      text: `SELECT b.cycle_id AS id, b.released_at IS NULL AS is_open, ${membersOf('cycle_binding_members', 'b.cycle_id')}
             FROM cycle_bindings b WHERE b.cycle_id = ANY($1::uuid[])`,
    },
  },
  differs({ id, association_id, status, members }, find) {
    const what = `cycle ${id} of association ${association_id} is ${status}`;
    const binding = find();
    if (binding === undefined) return `${what}, but membership has not bound its members`;
    if (!binding.is_open) return `${what}, but membership has released its members`;
    if (JSON.stringify(binding.members) === JSON.stringify(members)) return null;
    return `${what} with ${membersText(members)}, but membership has bound ${membersText(binding.members)}`;
  },
});

function membersText(members: readonly Bound[]): string {
  const hands = members.reduce((sum, member) => sum + member.hands, 0);
  return `${String(members.length)} members with ${String(hands)} hands`;
}

interface OpenBinding {
  id: string;
  association_id: string;
}

interface FoundCycle {
  id: string;
  status: CycleStatus;
}

export const bindingsCheck = pairs<OpenBinding, FoundCycle>({
  name: 'bindings',
  compares: 'each binding of members with its cycle',
  byId: false,
  from: {
    service: 'membership',
    sql: {
      name: 'verify.open_bindings',
      text: `SELECT cycle_id AS id, association_id FROM cycle_bindings
             WHERE cycle_id > $1 AND released_at IS NULL ORDER BY cycle_id LIMIT $2`,
    },
  },
  to: {
    service: 'contribution',
    sql: { name: 'verify.cycles_by_id', text: 'SELECT id, status FROM cycles WHERE id = ANY($1::uuid[])' },
  },
  differs({ id, association_id }, find) {
    const cycle = find();
    const what = `membership has bound the members of association ${association_id} to cycle ${id}`;
    if (cycle === undefined) return `${what}, which contribution does not have`;
    // A refused start has released its members before.
    return cycle.status === 'refused' ? `${what}, which is refused` : null;
  },
});

interface Payer {
  /** The member's id. */
  id: string;
  association_id: string;
}

interface KnownMember extends Payer {
  user_id: string;
}

export const membersCheck = pairs<Payer, KnownMember>({
  name: 'members',
  compares: 'each member with dues or payments with membership',
  byId: false,
  from: {
    service: 'contribution',
    sql: {
      name: 'verify.payees',
      text: `SELECT DISTINCT ON (d.member_id) d.member_id AS id, m.association_id
             FROM dues d JOIN meetings m ON m.id = d.meeting_id
             WHERE d.member_id > $1 ORDER BY d.member_id LIMIT $2`,
    },
  },
  to: {
    service: 'membership',
    sql: {
      name: 'verify.members',
      text: 'SELECT id, association_id, user_id FROM members WHERE id = ANY($1::uuid[])',
    },
  },
  differs({ id, association_id }, find) {
    const member = find();
    const what = `member ${id} of association ${association_id} has dues`;
    if (member === undefined) return `${what}, but membership does not have this member`;
    return member.association_id === association_id ? null : `${what}, but is of association ${member.association_id}`;
  },
});

interface PayoutWallet {
  /** The member's id. */
  id: string;
  user_id: string;
  wallet_id: string;
}

interface KnownWallet {
  id: string;
  user_id: string;
}

export const walletsCheck = pairs<PayoutWallet, KnownWallet>({
  name: 'wallets',
  compares: 'the payout wallet of each member with the treasury',
  byId: false,
  from: {
    service: 'membership',
    sql: {
      name: 'verify.payout_wallets',
      text: `SELECT id, user_id, payout_wallet_id AS wallet_id FROM members
             WHERE id > $1 AND payout_wallet_id IS NOT NULL ORDER BY id LIMIT $2`,
    },
  },
  to: {
    service: 'treasury',
    sql: { name: 'verify.wallets', text: 'SELECT id, user_id FROM wallets WHERE id = ANY($1::text[])' },
  },
  idsIn: ({ wallet_id }) => [wallet_id],
  differs({ id, user_id, wallet_id }, find) {
    const wallet = find(wallet_id);
    if (wallet === undefined)
      return `member ${id} has the payout wallet ${wallet_id}, which the treasury does not have`;
    return wallet.user_id === user_id ? null : `member ${id} has the payout wallet ${wallet_id} of another user`;
  },
});
