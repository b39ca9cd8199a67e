import type { ServiceSchema } from 'moleculer';
import { call } from '../../lib/service/call.ts';
import type { CanCall } from '../../lib/service/call.ts';
import { implementCommand } from '../../lib/service/implement.ts';
import { obligations } from '../../lib/contracts/contribution.ts';
import {
  authorize,
  bindCycle,
  bindIdempotencyKey,
  freeIdempotencyKey,
  DEFAULT_RULES,
  releaseCycle,
  roster,
} from '../../lib/contracts/membership.ts';
import type { MemberReference, Rules, Terms } from '../../lib/contracts/membership.ts';
import { PERMISSION_TABLE } from '../../lib/contracts/permissions.ts';
import type { Role } from '../../lib/contracts/permissions.ts';
import { problem } from '../../lib/errors/problem.ts';
import { readAmount } from '../../lib/money/amount.ts';

export const RIGHT_PIN = 'sealed-right-pin';

interface FakeAssociation {
  terms: Terms;
  members: MemberReference[];
  bindings: Map<string, { members: MemberReference[]; released: boolean }>;
}

/** Membership as its contract tells it, in memory. */
export class FakeMembership {
  readonly associations = new Map<string, FakeAssociation>();
  /** Answers of bind_cycle that get lost: `before` it is done, or `after`. */
  readonly lostBinds: ('before' | 'after')[] = [];
  /** What was done with idempotency keys, as `bind k`; a test may let it fail. */
  readonly keys: string[] = [];
  keysAway = false;
  /** For what it was asked to authorize, so far. */
  readonly asked: string[] = [];
  /** How often members have gone before, where that is not 0. */
  readonly tenures = new Map<string, number>();
  #ids: () => string;
  #joined = 0;

  constructor(ids: () => string) {
    this.#ids = ids;
  }

  found(changes: Partial<Omit<Terms, 'rules'>> = {}, rules: Partial<Rules> = {}): string {
    const association_id = this.#ids();
    const terms: Terms = {
      association_id,
      name: 'The group',
      type: 'tontine',
      status: 'active',
      currency: 'XAF',
      contribution_amount_minor: 10_000,
      contribution_frequency: 'monthly',
      rules: { ...DEFAULT_RULES, ...rules },
      rules_version: 1,
      ...changes,
    };
    this.associations.set(association_id, { terms, members: [], bindings: new Map() });
    return association_id;
  }

  join(association_id: string, user_id: string, changes: Partial<MemberReference> = {}): MemberReference {
    const { members } = this.#association(association_id);
    this.#joined += 1;
    const member: MemberReference = {
      member_id: this.#ids(),
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

  /** The cycle to which the association's members are bound now. */
  boundTo(association_id: string): string | undefined {
    return [...this.#association(association_id).bindings].find(([, binding]) => !binding.released)?.[0];
  }

  #association(association_id: string): FakeAssociation {
    const association = this.associations.get(association_id);
    if (association === undefined) throw problem('not_found');
    return association;
  }

  schema(): ServiceSchema {
    return {
      name: 'membership',
      actions: {
        authorize: implementCommand(authorize, (input) => {
          this.asked.push(input.permission);
          return Promise.resolve(this.#authorize(input));
        }),
        roster: implementCommand(roster, ({ association_id }) => {
          const { terms, members } = this.#association(association_id);
          return Promise.resolve({ terms, members: members.filter((member) => member.status === 'active') });
        }),
        bind_cycle: implementCommand(bindCycle, async ({ association_id, cycle_id }, ctx) => {
          await this.#dropCompleted(ctx, association_id, cycle_id);
          const lost = this.lostBinds.shift();
          if (lost === 'before') throw new Error('the request got lost');
          const answer = this.#bind(association_id, cycle_id);
          if (lost === 'after') throw new Error('the answer got lost');
          return answer;
        }),
        bind_idempotency_key: implementCommand(bindIdempotencyKey, async ({ key }) => this.#atKey('bind', key)),
        free_idempotency_key: implementCommand(freeIdempotencyKey, async ({ key }) => this.#atKey('free', key)),
        release_cycle: implementCommand(releaseCycle, ({ association_id, cycle_id }) => {
          const binding = this.#association(association_id).bindings.get(cycle_id);
          if (binding !== undefined) binding.released = true;
          return Promise.resolve({});
        }),
      },
    };
  }

  async #atKey(done: 'bind' | 'free', key: string): Promise<{ ok: boolean }> {
    if (this.keysAway && done === 'free') throw new Error('membership is away');
    this.keys.push(`${done} ${key}`);
    return Promise.resolve({ ok: true });
  }

  #authorize(input: {
    association_id: string;
    user_id: string;
    permission: keyof typeof PERMISSION_TABLE;
    pin?: string;
    amount?: number;
    member_ids?: string[];
    payee_ids?: string[];
  }) {
    const { terms, members } = this.#association(input.association_id);
    const permission: { roles: readonly Role[]; write: boolean; former?: boolean } = PERMISSION_TABLE[input.permission];
    const { roles, write, former = false } = permission;
    const member = members.find((each) => each.user_id === input.user_id && (former || each.status === 'active'));
    if (member === undefined) throw problem('not_found');
    if (!roles.includes(member.role)) throw problem('role_not_allowed', { required_roles: roles });
    let amount_minor: number | undefined;
    if (input.amount !== undefined) {
      const reading = readAmount(input.amount, terms.currency);
      if ('refused' in reading) throw problem('amount_precision');
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

  /** As membership does: what has completed binds no longer, though the event may not have arrived. */
  async #dropCompleted(ctx: CanCall, association_id: string, except: string): Promise<void> {
    const cycle_id = this.boundTo(association_id);
    const binding = this.#association(association_id).bindings.get(cycle_id ?? '');
    const [member] = binding?.members ?? [];
    if (binding === undefined || member === undefined || cycle_id === undefined || cycle_id === except) return;
    const { cycle_running } = await call(ctx, obligations, { association_id, member_id: member.member_id, cycle_id });
    if (!cycle_running) binding.released = true;
  }

  #bind(association_id: string, cycle_id: string) {
    const { terms, members, bindings } = this.#association(association_id);
    let binding = bindings.get(cycle_id);
    if (binding?.released === true) throw problem('not_found');
    if (binding === undefined) {
      if (terms.status === 'closed') throw problem('association_closed');
      if (this.boundTo(association_id) !== undefined) throw problem('cycle_in_progress');
      const active = members.filter((member) => member.status === 'active');
      binding = { members: active.map((member) => ({ ...member })), released: false };
      bindings.set(cycle_id, binding);
    }
    return { terms, members: binding.members };
  }
}
