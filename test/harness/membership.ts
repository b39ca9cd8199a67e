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
import { FakeGovernance } from './fakes/governance.ts';
import { FakeTreasury } from './fakes/treasury.ts';
import { sealPin } from './pins.ts';
import { ServiceHarness, useHarness, type CallOptions } from './service-harness.ts';

/** Recovery continues unfinished sagas soon. */
const TIMINGS = {
  recover_every_ms: 100,
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
  time_zone: 'UTC',
  max_members: 12,
  is_public: true,
  rules: contract.DEFAULT_RULES,
  hands: 1,
} as const;

export function useMembership(): MembershipHarness {
  return useHarness(new MembershipHarness());
}

/** Like useMembership(), with a new association for each test that `host` has founded and `awa` has joined. */
export function useAssociation(): MembershipHarness {
  const harness = useMembership();
  beforeEach(() => harness.foundOurs());
  return harness;
}

export const TEST_PEPPER = 'a pepper for tests';

export interface MembershipSecrets {
  /** The content of the file of PIN keys; if absent, the service creates it. */
  keys?: string | undefined;
  pepper?: string;
  secondPepper?: string;
}

export class MembershipHarness extends ServiceHarness<MembershipTimings> {
  readonly treasury = new FakeTreasury();
  readonly contribution = new FakeContribution();
  readonly governance = new FakeGovernance();
  /** The default association of the methods below. */
  association_id!: string;
  host_id!: string;
  awa!: contract.Member;
  protected override readonly fakes = [this.treasury, this.contribution, this.governance];
  readonly #keys: string | undefined;
  readonly #pepper: string;
  readonly #secondPepper: string | undefined;
  #directory!: string;
  #users = 0;

  constructor({ keys, pepper = TEST_PEPPER, secondPepper }: MembershipSecrets = {}) {
    super({ service: 'membership', definition: membershipDatabase, create: membershipService, timings: TIMINGS });
    this.#keys = keys;
    this.#pepper = pepper;
    this.#secondPepper = secondPepper;
  }

  override async start(database?: TestDatabase): Promise<void> {
    this.#directory = await mkdtemp(join(tmpdir(), 'membership-'));
    if (this.#keys !== undefined) await writeFile(this.keysFile, this.#keys, { mode: 0o600 });
    this.secrets = {
      jwt: {},
      pinPepper: this.#pepper,
      secondPinPepper: this.#secondPepper,
      pinKeysFile: this.keysFile,
    };
    await super.start(database);
  }

  protected override async release(): Promise<void> {
    await super.release();
    await rm(this.#directory, { recursive: true, force: true });
  }

  get keysFile(): string {
    return join(this.#directory, 'pin-keys.json');
  }

  /** Calls a public action as a user, whose name is Awa by default. */
  override as<E extends Endpoint>(
    user_id: string,
    endpoint: E,
    input: Partial<EndpointInput<E>> = {},
    options: CallOptions = {},
  ): Promise<Answer<E>> {
    return super.as(user_id, endpoint, input, { name: 'Awa', ...options });
  }

  /** Seals a PIN with the newest key. */
  async seal(pin: string): Promise<string> {
    const { keys } = await this.as('anyone', contract.pinKeys);
    return sealPin(keys[0]!, pin);
  }

  /** Authorizes a payment with a sealed PIN as contribution does. */
  pay(user_id: string, pin: string, key?: string): Promise<contract.Authorization> {
    const { association_id } = this;
    return this.command(contract.authorize, { association_id, user_id, permission: 'contribute', pin }, key);
  }

  /** Adds a member whose user has this PIN, if any. */
  async newMember(pin?: string): Promise<string> {
    const user_id = `user${String((this.#users += 1))}`;
    await this.join(user_id);
    if (pin !== undefined) await this.setPin(user_id, pin);
    return user_id;
  }

  /** Sets the user's first PIN. */
  async setPin(user_id: string, pin: string): Promise<void> {
    await this.as(user_id, contract.setPin, { body: { pin: await this.seal(pin) } });
  }

  /** Founds a public association with the user as its president. */
  found(
    user_id: string,
    given: Partial<EndpointInput<typeof contract.createAssociation>['body']> = {},
  ): Promise<contract.Association> {
    return this.as(user_id, contract.createAssociation, { body: { ...NEW_ASSOCIATION, ...given } });
  }

  /** Founds an association and makes it the default. */
  async foundOurs(): Promise<void> {
    const { id, membership } = await this.found('host', { max_members: 200 });
    this.association_id = id;
    this.host_id = membership!.member_id;
    this.awa = await this.join('awa');
  }

  path(association_id = this.association_id): { path: { association_id: string } } {
    return { path: { association_id } };
  }

  /** @param more of the body */
  join(user_id: string, association_id = this.association_id, hands = 1, more: object = {}): Promise<contract.Member> {
    return this.as(user_id, contract.joinAssociation, { ...this.path(association_id), body: { hands, ...more } });
  }

  leave(user_id: string, association_id = this.association_id, key?: string): Promise<unknown> {
    return this.as(user_id, contract.leaveAssociation, this.path(association_id), { key });
  }

  /** Changes the user's own membership. */
  change(user_id: string, body: object, key?: string, if_match?: CallOptions['if_match']): Promise<contract.Member> {
    return this.as(user_id, contract.changeOwnMembership, { ...this.path(), body }, { key, if_match });
  }

  /** Changes the association. */
  changeAssociation(user_id: string, body: object, options: CallOptions = {}): Promise<contract.Association> {
    return this.as(user_id, contract.changeAssociation, { ...this.path(), body }, options);
  }

  invite(
    user_id: string,
    { max_uses = 1, expires_in_hours = 168, key }: { max_uses?: number; expires_in_hours?: number; key?: string } = {},
  ): Promise<Answer<typeof contract.createInvitation>> {
    return this.as(
      user_id,
      contract.createInvitation,
      { ...this.path(), body: { max_uses, expires_in_hours } },
      { key },
    );
  }

  /** @param more of the body */
  accept(user_id: string, code: string, hands = 1, key?: string, more: object = {}): Promise<contract.Member> {
    return this.as(user_id, contract.acceptInvitation, { path: { code }, body: { hands, ...more } }, { key });
  }

  withdraw(user_id: string, invitation_id: string, key?: string): Promise<unknown> {
    const path = { association_id: this.association_id, invitation_id };
    return this.as(user_id, contract.withdrawInvitation, { path }, { key });
  }

  /** Reads the association as the user. */
  show(user_id = 'host', association_id = this.association_id): Promise<contract.Association> {
    return this.as(user_id, contract.getAssociation, this.path(association_id));
  }

  /** Lists the members, including inactive ones, in join order. */
  async members(user_id = 'host'): Promise<contract.Member[]> {
    return (await this.as(user_id, contract.listMembers, this.path())).data;
  }

  /** Closes the association in the database without checks. */
  close(association_id = this.association_id): Promise<unknown> {
    return this.sql(`UPDATE associations SET status = 'closed' WHERE id = $1`, association_id);
  }

  bindCycle(cycle_id = this.newId()): Promise<Answer<typeof contract.bindCycle>> {
    return this.command(contract.bindCycle, { association_id: this.association_id, cycle_id });
  }

  releaseCycle(cycle_id: string, association_id = this.association_id): Promise<unknown> {
    return this.command(contract.releaseCycle, { association_id, cycle_id });
  }

  /** Notifies membership of an approved proposal. */
  execute(subject_type: ProposalType, payload: object, approval_id = this.newId()): Promise<ExecutionOutcome> {
    const { association_id } = this;
    const approved = { subject_type, subject_id: approval_id, decision: 'approved' } as const;
    return this.command(contract.executeApproval, {
      approval_id,
      association_id,
      ...approved,
      payload: { ...payload },
    });
  }

  /** Executes an approved role change. */
  async appoint(member_id: string, role: string): Promise<void> {
    await this.execute('role_change', { member_id, role });
  }
}
