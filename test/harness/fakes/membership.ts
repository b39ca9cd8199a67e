import type { Answer, CommandInput } from '../../../lib/contracts/action.ts';
import { obligations } from '../../../lib/contracts/contribution.ts';
import * as contract from '../../../lib/contracts/membership.ts';
import type { MemberReference, Rules, Terms } from '../../../lib/contracts/membership.ts';
import { isBoardRole, PERMISSION_TABLE, type Role } from '../../../lib/contracts/permissions.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { readAmount } from '../../../lib/money/amount.ts';
import { call, type CanCall } from '../../../lib/service/call.ts';
import { DONE, Fake } from './fake.ts';

/** The only correct PIN. */
export const RIGHT_PIN = 'sealed-right-pin';

/** An association that tests may change. */
export interface FakeAssociation {
  id: string;
  terms: Terms;
  members: MemberReference[];
  /** Cycle id -> the members bound to it. */
  bindings: Map<string, { members: MemberReference[]; released: boolean }>;
}

/** A fake of membership: associations, members, and the cycles that bind members. */
export class FakeMembership extends Fake {
  /** Member id -> number of earlier departures, if not 0. */
  readonly tenures = new Map<string, number>();
  readonly #associations = new Map<string, FakeAssociation>();
  readonly #newId: () => string;
  #joined = 0;

  constructor(newId: () => string) {
    super('membership');
    this.#newId = newId;
    this.implement(contract.authorize, (input) => this.#authorize(input));
    this.implement(contract.roster, ({ association_id }) => {
      const { terms, members } = this.association(association_id);
      return { terms, members: members.filter(isActive) };
    });
    this.implement(contract.board, ({ association_id }) => {
      const { terms, members } = this.association(association_id);
      return { terms, board: members.filter((each) => isActive(each) && isBoardRole(each.role)) };
    });
    this.implement(contract.checkProposal, () => ({}));
    this.implement(contract.executeApproval, () => DONE);
    this.implement(contract.bindCycle, async ({ association_id, cycle_id }, ctx) => {
      await this.#dropCompleted(ctx, association_id, cycle_id);
      return this.#bind(association_id, cycle_id);
    });
    this.implement(contract.releaseCycle, ({ association_id, cycle_id }) => {
      const binding = this.association(association_id).bindings.get(cycle_id);
      if (binding !== undefined) binding.released = true;
      return {};
    });
    this.implement(contract.bindIdempotencyKey, () => ({ ok: true }));
    this.implement(contract.freeIdempotencyKey, () => ({ ok: true }));
  }

  found(changes: Partial<Omit<Terms, 'rules'>> = {}, rules: Partial<Rules> = {}): FakeAssociation {
    const id = this.#newId();
    const terms: Terms = {
      association_id: id,
      name: 'The group',
      type: 'tontine',
      status: 'active',
      currency: 'XAF',
      contribution_amount_minor: 10_000,
      contribution_frequency: 'monthly',
      rules: structuredClone({ ...contract.DEFAULT_RULES, ...rules }),
      rules_version: 1,
      ...changes,
    };
    const association = { id, terms, members: [], bindings: new Map() };
    this.#associations.set(id, association);
    return association;
  }

  /** Adds a member; the first is president. */
  join(association_id: string, user_id: string, changes: Partial<MemberReference> = {}): MemberReference {
    const { members } = this.association(association_id);
    this.#joined += 1;
    const member: MemberReference = {
      member_id: this.#newId(),
      user_id,
      display_name: null,
      role: members.length === 0 ? 'president' : 'member',
      status: 'active',
      hands: 1,
      payout_wallet_id: null,
      joined_at: new Date(Date.UTC(2026, 0, 1) + this.#joined * 1_000).toISOString(),
      ...changes,
    };
    members.push(member);
    return member;
  }

  association(id: string): FakeAssociation {
    const association = this.#associations.get(id);
    if (association === undefined) throw problem('not_found');
    return association;
  }

  /** Returns the cycle to which the association's members are bound. */
  boundTo(association_id: string): string | undefined {
    return [...this.association(association_id).bindings].find(([, binding]) => !binding.released)?.[0];
  }

  #authorize(input: CommandInput<typeof contract.authorize>): contract.Authorization {
    const { terms, members } = this.association(input.association_id);
    const permission: { roles: readonly Role[]; write: boolean; former?: boolean } = PERMISSION_TABLE[input.permission];
    const { roles, write, former = false } = permission;
    const member = members.find((each) => each.user_id === input.user_id && (former || isActive(each)));
    if (member === undefined) throw problem('not_found');
    if (!roles.includes(member.role)) throw problem('role_not_allowed', { required_roles: roles });
    let amount_minor: number | undefined;
    if (input.amount !== undefined) {
      const reading = readAmount(input.amount, terms.currency);
      if ('refused' in reading) {
        throw problem('amount_precision', { errors: [{ pointer: '/amount', code: 'amount_precision', detail: '' }] });
      }
      amount_minor = Number(reading.minor);
    }
    if (input.pin !== undefined && input.pin !== RIGHT_PIN) throw problem('pin_invalid', { attempts_left: 4 });
    if (write && terms.status === 'closed') throw problem('association_closed');
    return {
      terms,
      member,
      ...(amount_minor === undefined ? {} : { amount_minor }),
      members: members
        .filter((each) => input.member_ids?.includes(each.member_id) === true)
        .map((each) => ({ ...each, tenure: this.tenures.get(each.member_id) ?? 0 })),
      payees: members.filter((each) => input.payee_ids?.includes(each.member_id) === true),
    };
  }

  /** Releases the members of a completed cycle even if its event has not arrived, as membership does. */
  async #dropCompleted(ctx: CanCall, association_id: string, except: string): Promise<void> {
    const cycle_id = this.boundTo(association_id);
    const binding = this.association(association_id).bindings.get(cycle_id ?? '');
    const [member] = binding?.members ?? [];
    if (binding === undefined || member === undefined || cycle_id === undefined || cycle_id === except) return;
    const { cycle_running } = await call(ctx, obligations, { association_id, member_id: member.member_id, cycle_id });
    if (!cycle_running) binding.released = true;
  }

  #bind(association_id: string, cycle_id: string): Answer<typeof contract.bindCycle> {
    const { terms, members, bindings } = this.association(association_id);
    let binding = bindings.get(cycle_id);
    if (binding?.released === true) throw problem('not_found');
    if (binding === undefined) {
      if (terms.status === 'closed') throw problem('association_closed');
      if (this.boundTo(association_id) !== undefined) throw problem('cycle_in_progress');
      binding = { members: members.filter(isActive).map((member) => ({ ...member })), released: false };
      bindings.set(cycle_id, binding);
    }
    return { terms, members: binding.members };
  }
}

function isActive({ status }: MemberReference): boolean {
  return status === 'active';
}
