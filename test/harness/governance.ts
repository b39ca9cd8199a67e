import { expect } from 'chai';
import { ServiceBroker } from 'moleculer';
import type { ServiceSchema } from 'moleculer';
import pg from 'pg';
import { implementCommand } from '../../lib/service/implement.ts';
import type { CallMeta } from '../../lib/service/implement.ts';
import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import type { Decision, ExecutionOutcome, Remains } from '../../lib/contracts/approvals.ts';
import * as contribution from '../../lib/contracts/contribution.ts';
import * as governance from '../../lib/contracts/governance.ts';
import * as membership from '../../lib/contracts/membership.ts';
import type { MemberReference, Terms } from '../../lib/contracts/membership.ts';
import { isBoardRole, PERMISSION_TABLE } from '../../lib/contracts/permissions.ts';
import type { Permission, Role } from '../../lib/contracts/permissions.ts';
import * as treasury from '../../lib/contracts/treasury.ts';
import { subjectOf } from '../../lib/contracts/events.ts';
import type { EventType } from '../../lib/contracts/events.ts';
import { problem } from '../../lib/errors/problem.ts';
import { openBus } from '../../lib/events/bus.ts';
import type { Bus } from '../../lib/events/bus.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { readAmount } from '../../lib/money/amount.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { contractValidator } from '../../lib/schema/validator.ts';
import type { SagaTimings } from '../../lib/saga/timings.ts';
import { governanceService } from '../../services/governance/governance.service.ts';
import { governanceDatabase } from '../../services/governance/database.ts';
import { createTestDatabase } from './databases.ts';
import type { TestDatabase } from './databases.ts';
import { eventually } from './eventually.ts';
import { testIds, testRuntime } from './runtime.ts';
import { natsUrl } from './servers.ts';

export const RIGHT_PIN = 'sealed-right-pin';

/** One time that the owner of a subject was told of a decision. */
export interface Told {
  owner: 'membership' | 'treasury';
  approval_id: string;
  decision: Decision;
  payload: Record<string, unknown>;
}

/** An association as membership would describe it; tests change it as they go. */
export interface TestAssociation {
  id: string;
  terms: Terms;
  members: MemberReference[];
}

/** Quick enough for a test, slow enough to see a request come before the sweeper. */
const TIMINGS: Partial<SagaTimings> = {
  call_timeout_ms: 200,
  lock_wait_ms: 500,
  recover_every_ms: 50,
  stale_after_ms: 400,
};

/** The governance service on a database of its own; membership and treasury are played by stubs. */
export class GovernanceBench {
  /** Moves the service's clock. */
  offset_ms = 0;
  /** What the owners were told, in order. */
  readonly told: Told[] = [];
  /** How the owners answer; a test may make them fail. */
  owner: (told: Told) => Promise<ExecutionOutcome> = () => Promise.resolve({ status: 'done', error: null });
  /** How membership judges a proposal that it would have to carry out; a test may have it refused. */
  checkProposal: (input: CommandInput<typeof membership.checkProposal>) => Promise<void> = () => Promise.resolve();
  /** What the other services find left of an association. */
  remains: Record<'contribution' | 'treasury', Remains> = { contribution: 'nothing', treasury: 'nothing' };
  /** What they were asked to lock. */
  readonly lock_requests: CommandInput<typeof contribution.lockAssociation>[] = [];
  /** Called at every step that the service announces. */
  onStep: (step: string) => Promise<void> = () => Promise.resolve();
  readonly newId = testIds();
  #associations = new Map<string, TestAssociation>();
  #bus!: Bus;
  #database!: TestDatabase;
  #broker!: ServiceBroker;
  #admin!: pg.Pool;
  #boardRead: (association_id: string) => Promise<void> = () => Promise.resolve();
  #metas = new Map<unknown, Partial<CallMeta>>();

  static async start(): Promise<GovernanceBench> {
    const bench = new GovernanceBench();
    bench.#database = await createTestDatabase('governance', (database) =>
      migrate(database, governanceDatabase.migrations),
    );
    bench.#admin = new pg.Pool({ connectionString: bench.#database.migrationUrl, max: 2 });
    bench.#bus = await openBus(natsUrl(), 'test');
    bench.#broker = await bench.#startBroker();
    return bench;
  }

  async stop(): Promise<void> {
    await this.#broker.stop();
    await this.#bus.close();
    await this.#admin.end();
    await this.#database.drop();
  }

  /** Starts the service anew on the same database, as after a crash. */
  async restart(): Promise<void> {
    await this.#broker.stop();
    this.#broker = await this.#startBroker();
  }

  /**
   * Lets the process die at a fault point of what `act` asks for, and starts it anew. An answer that the dead process
   * has kept after its work counts as never kept, and its hold on the key as expired.
   */
  async dieAt(point: string, act: () => Promise<unknown>): Promise<void> {
    let hasDied = false;
    this.onStep = (at) => {
      hasDied ||= at === point;
      return hasDied ? Promise.reject(new Error('the process dies here')) : Promise.resolve();
    };
    await act().catch(() => undefined);
    expect(hasDied, `never came to ${point}`).to.equal(true);
    await this.sql('UPDATE idempotency_keys SET answer = NULL, held_until = NULL');
    this.onStep = () => Promise.resolve();
    await this.restart();
  }

  /** An association whose members have these roles, the first one's user being `user-0`. */
  found(...roles: Role[]): TestAssociation {
    const id = this.newId();
    const members = roles.map((role, index): MemberReference => {
      return {
        member_id: this.newId(),
        user_id: `user-${String(index)}`,
        display_name: null,
        role,
        status: 'active',
        hands: 1,
        payout_wallet_id: null,
        joined_at: new Date().toISOString(),
      };
    });
    const association = { id, members, terms: termsOf(id) };
    this.#associations.set(id, association);
    return association;
  }

  /** Opens an approval as treasury would, for a cash deposit of member 2 that member 0 has recorded. */
  request(
    association: TestAssociation,
    changes: Partial<CommandInput<typeof governance.requestApproval>> = {},
  ): Promise<governance.Approval> {
    return this.command(governance.requestApproval, {
      association_id: association.id,
      approval_id: this.newId(),
      subject_type: 'cash_deposit',
      subject_id: this.newId(),
      requested_by_member_id: association.members[0]?.member_id ?? '',
      concerned_member_id: null,
      payload: { amount: 10 },
      ...changes,
    });
  }

  /**
   * Calls a public action as the association's member of this number.
   * @param key the `Idempotency-Key` of the request, if it has one
   */
  async as<E extends Endpoint>(
    index: number,
    contract: E,
    input: Partial<EndpointInput<E>>,
    key?: string,
  ): Promise<Answer<E>> {
    const { path = {}, query = {}, body = {} } = input;
    const url = `${contract.name} ${JSON.stringify(path)}`;
    const meta: Partial<CallMeta> = {
      caller: { user_id: `user-${String(index)}`, name: null, scopes: [] },
      ...(key === undefined ? {} : { idempotency: { key, method: 'POST', path: url } }),
    };
    const answer: Answer<E> = await this.#broker.call(contract.name, structuredClone({ path, query, body }), { meta });
    this.#metas.set(answer, meta);
    return answer;
  }

  approve(index: number, { association_id, id }: governance.Approval, payload_hash?: string, key?: string) {
    const body = { approval_id: id, pin: RIGHT_PIN, ...(payload_hash === undefined ? {} : { payload_hash }) };
    return this.as(index, governance.approve, { path: { association_id }, body }, key);
  }

  reject(index: number, { association_id, id }: governance.Approval, reason?: string, key?: string) {
    const body = { approval_id: id, pin: RIGHT_PIN, ...(reason === undefined ? {} : { reason }) };
    return this.as(index, governance.reject, { path: { association_id }, body }, key);
  }

  cancel(index: number, { association_id, id }: governance.Approval, key?: string) {
    return this.as(index, governance.cancelApproval, { path: { association_id, approval_id: id } }, key);
  }

  /** The approval as a member reads it. */
  read({ association_id, id }: governance.Approval): Promise<governance.Approval> {
    return this.as(0, governance.getApproval, { path: { association_id, approval_id: id } });
  }

  propose(
    index: number,
    association: TestAssociation,
    payload: Record<string, unknown>,
    type: governance.Proposal['type'] = 'role_change',
    key?: string,
  ) {
    const body = { type, title: 'A change', payload };
    return this.as(index, governance.propose, { path: { association_id: association.id }, body }, key);
  }

  locationOf(answer: unknown): string | undefined {
    const { $location, $responseHeaders } = this.#metas.get(answer) ?? {};
    return $location ?? $responseHeaders?.Location;
  }

  /** Whether the answer is one that was given before. */
  isReplayed(answer: unknown): boolean {
    return this.#metas.get(answer)?.$responseHeaders?.['Idempotency-Replayed'] === 'true';
  }

  async command<C extends Command>(contract: C, input: CommandInput<C>): Promise<Answer<C>> {
    return await this.#broker.call(contract.name, structuredClone(input));
  }

  /** Holds the next answer to a request for an association's board, as the board is now, until release(). */
  holdNextBoard({ id }: TestAssociation): { arrived: Promise<void>; release: () => void } {
    const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.#boardRead = (association_id) => {
      if (association_id !== id) return Promise.resolve();
      this.#boardRead = () => Promise.resolve();
      arrived.resolve();
      return released.promise;
    };
    return {
      arrived: arrived.promise,
      release: () => {
        released.resolve();
      },
    };
  }

  /** What owners were told about one approval. */
  toldOf({ id }: { id: string }): Decision[] {
    return this.told.filter((each) => each.approval_id === id).map((each) => each.decision);
  }

  /** Tells of a change in membership, as its relay would. */
  async publish(type: EventType, association: TestAssociation, data: object): Promise<void> {
    const event = {
      specversion: '1.0',
      id: this.newId(),
      source: '/association-service/membership',
      type,
      subject: association.id,
      time: new Date().toISOString(),
      datacontenttype: 'application/json',
      data,
    };
    const { jetstream } = this.#bus;
    await jetstream.publish(subjectOf(association.id, type), JSON.stringify(event), { msgID: event.id });
  }

  /** The types of an association's events so far, oldest first. */
  async events(association: TestAssociation): Promise<string[]> {
    const rows = await this.sql<{ type: string }>(
      'SELECT type FROM outbox WHERE association_id = $1 ORDER BY position',
      association.id,
    );
    return rows.map((row) => row.type);
  }

  async sql<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#admin.query<Row>(text, values)).rows;
  }

  /** Runs `work` in a transaction of the database's administrator. */
  async inTransaction(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    const client = await this.#admin.connect();
    try {
      await client.query('BEGIN');
      await work(client);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  }

  /** Waits until a transaction waits for the lock on the association. */
  lockAwaited(association_id: string): Promise<void> {
    return eventually(async () => {
      const waiting = await this.sql(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
           AND classid = 7207 AND objid = (hashtext($1)::bigint & 4294967295)::oid`,
        association_id,
      );
      expect(waiting).to.have.length(1);
    });
  }

  /** The URL with which the service itself logs in. */
  get serviceUrl(): string {
    return this.#database.url;
  }

  async #startBroker(): Promise<ServiceBroker> {
    const broker = new ServiceBroker({ logger: false, validator: contractValidator() });
    broker.createService(await governanceService(this.#runtime(), { timings: TIMINGS }));
    for (const stub of this.#stubs()) broker.createService(stub);
    await broker.start();
    return broker;
  }

  #runtime(): Runtime {
    const clock = () => new Date(Date.now() + this.offset_ms);
    const { newId } = this;
    return testRuntime({ governance: this.#database }, { clock, newId, reached: (step) => this.onStep(step) });
  }

  #stubs(): ServiceSchema[] {
    const told = (owner: Told['owner']) => (input: CommandInput<typeof membership.executeApproval>) => {
      const { approval_id, decision, payload } = input;
      const telling = { owner, approval_id, decision, payload };
      this.told.push(telling);
      return this.owner(telling);
    };
    return [
      {
        name: 'membership',
        actions: {
          authorize: implementCommand(membership.authorize, (input) => Promise.resolve(this.#authorize(input))),
          board: implementCommand(membership.board, async ({ association_id }) => {
            const { terms, members } = this.#association(association_id);
            const board = members.filter((each) => each.status === 'active' && isBoardRole(each.role));
            await this.#boardRead(association_id);
            return { terms, board };
          }),
          check_proposal: implementCommand(membership.checkProposal, async (input) => {
            await this.checkProposal(input);
            return {};
          }),
          execute_approval: implementCommand(membership.executeApproval, told('membership')),
          bind_idempotency_key: implementCommand(membership.bindIdempotencyKey, () => Promise.resolve({ ok: true })),
          free_idempotency_key: implementCommand(membership.freeIdempotencyKey, () => Promise.resolve({ ok: true })),
        },
      },
      {
        name: 'treasury',
        actions: {
          execute_approval: implementCommand(treasury.executeApproval, told('treasury')),
          lock_association: implementCommand(treasury.lockAssociation, (input) => this.#lock('treasury', input)),
        },
      },
      {
        name: 'contribution',
        actions: {
          lock_association: implementCommand(contribution.lockAssociation, (input) =>
            this.#lock('contribution', input),
          ),
        },
      },
    ];
  }

  #lock(owner: 'contribution' | 'treasury', input: CommandInput<typeof contribution.lockAssociation>) {
    this.lock_requests.push(input);
    return Promise.resolve({ remains: this.remains[owner] });
  }

  #association(id: string): TestAssociation {
    const association = this.#associations.get(id);
    if (association === undefined) throw problem('not_found');
    return association;
  }

  #authorize(input: {
    association_id: string;
    user_id: string;
    permission: Permission;
    pin?: string;
    amount?: number;
    member_ids?: string[];
  }) {
    const { terms, members } = this.#association(input.association_id);
    const member = members.find((each) => each.user_id === input.user_id && each.status === 'active');
    if (member === undefined) throw problem('not_found');
    const { roles, write } = PERMISSION_TABLE[input.permission];
    if (!(roles as readonly Role[]).includes(member.role)) throw problem('role_not_allowed', { required_roles: roles });
    const reading = input.amount === undefined ? undefined : readAmount(input.amount, terms.currency);
    if (reading !== undefined && 'refused' in reading) {
      throw problem('amount_precision', { errors: [{ pointer: '/amount', code: 'amount_precision', detail: '' }] });
    }
    if (input.pin !== undefined && input.pin !== RIGHT_PIN) throw problem('pin_invalid', { attempts_left: 4 });
    if (write && terms.status === 'closed') throw problem('association_closed');
    const named = members.filter((each) => input.member_ids?.includes(each.member_id) === true);
    return { terms, member, members: named.map((each) => ({ ...each, tenure: 0 })) };
  }
}

function termsOf(association_id: string): Terms {
  return {
    association_id,
    name: 'Njangi',
    type: 'tontine',
    status: 'active',
    currency: 'XAF',
    contribution_amount_minor: 10_000,
    contribution_frequency: 'monthly',
    rules: structuredClone(membership.DEFAULT_RULES),
    rules_version: 1,
  };
}
