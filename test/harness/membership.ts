import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import type { ExecutionOutcome, ProposalType } from '../../lib/contracts/approvals.ts';
import * as contract from '../../lib/contracts/membership.ts';
import { membershipDatabase } from '../../services/membership/database.ts';
import type { MembershipTimings } from '../../services/membership/timings.ts';
import { membershipService } from '../../services/membership/membership.service.ts';
import type { TestDatabase } from './databases.ts';
import { FakeContribution } from './fakes/contribution.ts';
import { FakeTreasury } from './fakes/treasury.ts';
import { sealPin } from './pins.ts';
import { ServiceHarness, useHarness } from './service-harness.ts';
import type { CallOptions } from './service-harness.ts';

/** What was left unfinished is recovered soon. */
const TIMINGS = {
  recover_every_ms: 50,
  key_exchange_ms: 50,
  stale_after_ms: 400,
  undecided_wait_ms: 300,
  undecided_poll_ms: 5,
};

export const NEW_ASSOCIATION = {
  name: 'Njangi of the market',
  type: 'tontine',
  currency: 'XAF',
  contribution_amount: 10_000,
  contribution_frequency: 'monthly',
  max_members: 12,
  is_public: true,
  rules: contract.DEFAULT_RULES,
  hands: 1,
} as const;

export function useMembership(): MembershipHarness {
  return useHarness(new MembershipHarness());
}

export class MembershipHarness extends ServiceHarness<MembershipTimings> {
  readonly treasury = new FakeTreasury();
  readonly contribution = new FakeContribution();
  protected override readonly fakes = [this.treasury, this.contribution];
  readonly #keys: string | undefined;
  readonly #pepper: string;
  #directory!: string;
  #users = 0;

  /** @param keys the content of its file of PIN keys; if absent, it makes one */
  constructor({ keys, pepper = 'a pepper for tests' }: { keys?: string; pepper?: string } = {}) {
    super({ service: 'membership', definition: membershipDatabase, create: membershipService, timings: TIMINGS });
    this.#keys = keys;
    this.#pepper = pepper;
  }

  override async start(database?: TestDatabase): Promise<void> {
    this.#directory = await mkdtemp(join(tmpdir(), 'membership-'));
    if (this.#keys !== undefined) await writeFile(this.keysFile, this.#keys, { mode: 0o600 });
    this.secrets = { jwt: {}, pinPepper: this.#pepper, pinKeysFile: this.keysFile };
    await super.start(database);
  }

  protected override async release(): Promise<void> {
    await super.release();
    await rm(this.#directory, { recursive: true, force: true });
  }

  get keysFile(): string {
    return join(this.#directory, 'pin-keys.json');
  }

  /** Calls a public action as a user, whose name is Awa unless told otherwise. */
  override as<E extends Endpoint>(
    user_id: string,
    endpoint: E,
    input: Partial<EndpointInput<E>> = {},
    options: CallOptions = {},
  ): Promise<Answer<E>> {
    return super.as(user_id, endpoint, input, { name: 'Awa', ...options });
  }

  /** A PIN sealed to the newest key. */
  async seal(pin: string): Promise<string> {
    const { keys } = await this.as('anyone', contract.pinKeys);
    return sealPin(keys[0]!, pin);
  }

  /** An attempt at a payment with a sealed PIN, as contribution asks about it. */
  pay(association_id: string, user_id: string, pin: string, key?: string): Promise<contract.Authorization> {
    return this.command(contract.authorize, { association_id, user_id, permission: 'contribute', pin }, key);
  }

  /** A new member, whose user has this PIN, if any. */
  async newMember(association_id: string, pin?: string): Promise<string> {
    const user_id = `user${String((this.#users += 1))}`;
    await this.join(user_id, association_id);
    if (pin !== undefined) await this.setPin(user_id, pin);
    return user_id;
  }

  /** Sets the user's first PIN. */
  async setPin(user_id: string, pin: string): Promise<void> {
    await this.as(user_id, contract.setPin, { body: { pin: await this.seal(pin) } });
  }

  /** Founds an association with the user as its president; public, so that others can join. */
  found(
    user_id: string,
    given: Partial<EndpointInput<typeof contract.createAssociation>['body']> = {},
  ): Promise<contract.Association> {
    return this.as(user_id, contract.createAssociation, { body: { ...NEW_ASSOCIATION, ...given } });
  }

  join(user_id: string, association_id: string, hands = 1): Promise<contract.Member> {
    return this.as(user_id, contract.joinAssociation, { path: { association_id }, body: { hands } });
  }

  /** Tells membership that a proposal was approved. */
  execute(
    association_id: string,
    subject_type: ProposalType,
    payload: Record<string, unknown>,
    approval_id = this.newId(),
  ): Promise<ExecutionOutcome> {
    const approved = { subject_type, subject_id: approval_id, decision: 'approved' } as const;
    return this.command(contract.executeApproval, { approval_id, association_id, ...approved, payload });
  }

  /** Has an approved role change carried out. */
  async appoint(association_id: string, member_id: string, role: string): Promise<void> {
    await this.execute(association_id, 'role_change', { member_id, role });
  }
}
