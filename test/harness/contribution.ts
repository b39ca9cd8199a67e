import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceBroker } from 'moleculer';
import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import * as contract from '../../lib/contracts/contribution.ts';
import type { LedgerEvent } from '../../lib/contracts/events.ts';
import type { MemberReference, Rules } from '../../lib/contracts/membership.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { problemCode, problemExtras } from '../../lib/errors/problem.ts';
import { migrate } from '../../lib/db/migrate.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { uuidV7Source } from '../../lib/node/runtime.ts';
import { contributionService } from '../../services/contribution/contribution.service.ts';
import type { Timings } from '../../services/contribution/deps.ts';
import { contributionDatabase } from '../../services/contribution/persistence/data-source.ts';
import { createTestDatabase } from './databases.ts';
import type { TestDatabase } from './databases.ts';
import { FakeMembership, RIGHT_PIN } from './fake-membership.ts';
import { FakeTreasury } from './fake-treasury.ts';
import { natsUrl } from './servers.ts';
import pg from 'pg';

/** The day on which tests begin. */
export const TODAY = '2026-03-10';

const OPENING_BALANCE = 1_000_000;
const CONVERGENCE_TIMEOUT_MS = 8_000;

/** Short enough to see a timeout in a test, long enough not to see one by chance. */
export const TEST_TIMINGS: Timings = {
  transfer_deadline_ms: 250,
  settlement_deadline_ms: 250,
  membership_deadline_ms: 2_000,
  in_flight_wait_ms: 400,
  in_flight_poll_ms: 5,
  lock_wait_ms: 500,
  // Nothing is swept but where a test asks for it.
  sweep_every_ms: 3_600_000,
  stale_after_ms: 10_000,
};

/** Takes up at once whatever was left half done. */
export const SWEEPING: Partial<Timings> = { sweep_every_ms: 10, stale_after_ms: 40 };

/** A call's result: what the gateway would answer. */
export interface Reply<A> {
  status: number;
  location: string | undefined;
  /** The refusal's code, or undefined where it went well. */
  code: string | undefined;
  extras: Record<string, unknown>;
  /** Throws for a refusal. */
  body: A;
}

export interface Person {
  user_id: string;
  member_id: string;
  wallet_id: string;
}

/** What outlives the service's process: its database, and the services around it. */
export class World {
  readonly database: TestDatabase;
  readonly treasury = new FakeTreasury();
  readonly membership: FakeMembership;
  readonly pool: pg.Pool;
  readonly newId: () => string;
  today = TODAY;
  #people = 0;

  private constructor(database: TestDatabase) {
    this.database = database;
    // Tests look at the tables with the administrator's rights.
    this.pool = new pg.Pool({ connectionString: database.migrationUrl, max: 4 });
    this.newId = uuidV7Source(this.clock, () => randomBytes(4).readUInt32BE());
    this.membership = new FakeMembership(this.newId);
  }

  static async create(): Promise<World> {
    const database = await createTestDatabase('contribution', (made) => migrate(made, contributionDatabase.migrations));
    return new World(database);
  }

  /** The time of day runs; the day is `today`. */
  clock = (): Date => new Date(`${this.today}${new Date().toISOString().slice(10)}`);

  async destroy(): Promise<void> {
    await this.pool.end();
    await this.database.drop();
  }

  /** A new member with a funded wallet, which is also where he is paid. */
  join(association_id: string, changes: Partial<MemberReference> = {}, balance = OPENING_BALANCE): Person {
    this.#people += 1;
    const user_id = changes.user_id ?? `user-${String(this.#people)}`;
    const wallet_id = this.treasury.openWallet(user_id, balance);
    const { member_id } = this.membership.join(association_id, user_id, { payout_wallet_id: wallet_id, ...changes });
    return { user_id, member_id, wallet_id };
  }

  /** A tontine of so many members, each with as many hands; the first is its president. */
  tontine(hands: number[], beneficiaries_per_meeting = 1, amount_minor = 10_000, rules: Partial<Rules> = {}) {
    const association_id = this.membership.found(
      { contribution_amount_minor: amount_minor },
      { beneficiaries_per_meeting, ...rules },
    );
    const people = hands.map((count) => this.join(association_id, { hands: count }));
    return { association_id, people, president: people[0]! };
  }

  async rows<R extends object>(sql: string, parameters: unknown[] = []): Promise<R[]> {
    return (await this.pool.query<R>(sql, parameters)).rows;
  }

  /** As if the time had run out for which a request that died holds its key. */
  async letGoOfKey(key: string): Promise<void> {
    await this.rows('UPDATE idempotency_keys SET held_until = NULL WHERE key = $1', [key]);
  }

  /** The events of an association in the outbox, oldest first. */
  async events(association_id: string): Promise<LedgerEvent[]> {
    const rows = await this.rows<{ event: LedgerEvent }>(
      'SELECT event FROM outbox WHERE association_id = $1 ORDER BY position',
      [association_id],
    );
    return rows.map((row) => row.event);
  }

  /** Starts the service as a process would; `diesAt` names the step at which it stops for good. */
  async start(timings: Partial<Timings> = {}, diesAt?: string): Promise<Running> {
    const visited: string[] = [];
    let dead = false;
    const reached = (step: string): Promise<void> => {
      visited.push(step);
      if (step === diesAt) dead = true;
      return dead ? Promise.reject(new Error(`process died at ${step}`)) : Promise.resolve();
    };
    const runtime: Runtime = {
      settings: loadSettings({}),
      resources: {
        natsUrl: natsUrl(),
        databases: { contribution: this.database },
        secrets: { jwt: loadSettings({}).jwt, pinPepper: '', pinKeysFile: '' },
      },
      clock: this.clock,
      newId: this.newId,
      randomBytes: (length) => randomBytes(length),
      reached,
    };
    const broker = new ServiceBroker({ logger: false, requestTimeout: 10_000, metrics: false });
    broker.createService(this.membership.schema());
    broker.createService(this.treasury.schema());
    broker.createService(await contributionService(runtime, { timings: { ...TEST_TIMINGS, ...timings } }));
    await broker.start();
    return new Running(broker, visited);
  }
}

/** A running service, called as the gateway would. */
export class Running {
  readonly broker: ServiceBroker;
  /** The saga steps that were announced. */
  readonly visited: string[];

  constructor(broker: ServiceBroker, visited: string[]) {
    this.broker = broker;
    this.visited = visited;
  }

  stop(): Promise<void> {
    return this.broker.stop();
  }

  async call<E extends Endpoint>(
    endpoint: E,
    user_id: string,
    input: Partial<{ path: object; query: object; body: object }>,
    /** The `Idempotency-Key`; none where it is absent. */
    key?: string,
  ): Promise<Reply<Answer<E>>> {
    const params = { path: {}, query: {}, body: {}, ...input };
    const meta: { caller: object; idempotency?: object; $statusCode?: number; $location?: string } = {
      caller: { user_id, name: null, scopes: [] },
    };
    if (key !== undefined) meta.idempotency = { key, method: endpoint.name, path: JSON.stringify(params.path) };
    try {
      const body = (await this.broker.call(endpoint.name, params, { meta })) as Answer<E>;
      const status = meta.$statusCode ?? endpoint.status;
      return { status, location: meta.$location, code: undefined, extras: {}, body };
    } catch (error) {
      return refusal(error);
    }
  }

  startCycle(
    user_id: string,
    association_id: string,
    body: Partial<EndpointInput<typeof contract.startCycle>['body']> = {},
    key?: string,
  ) {
    const defaults = { starts_on: TODAY, order: 'join' };
    const input = { path: { association_id }, body: { ...defaults, ...body } };
    return this.call(contract.startCycle, user_id, input, key);
  }

  /** Starts a cycle of savings. */
  startSavings(user_id: string, association_id: string, body: object = {}) {
    const input = { path: { association_id }, body: { starts_on: TODAY, ...body } };
    return this.call(contract.startCycle, user_id, input);
  }

  /** The rounds of the running cycle, in order. */
  async meetings(user_id: string, association_id: string, query: object = {}): Promise<contract.Meeting[]> {
    const reply = await this.call(contract.listMeetings, user_id, {
      path: { association_id },
      query: { limit: 200, ...query },
    });
    return reply.body.data;
  }

  contribute(
    person: Person,
    meeting: { association_id: string; id: string },
    amount: number,
    body: { for_member_id?: string; wallet_id?: string; pin?: string } = {},
    key?: string,
  ) {
    const input = { path: pathOf(meeting), body: { wallet_id: person.wallet_id, amount, pin: RIGHT_PIN, ...body } };
    return this.call(contract.contribute, person.user_id, input, key);
  }

  settle(
    person: Person,
    meeting: { association_id: string; id: string },
    body: { preview_hash?: string } = {},
    key?: string,
  ) {
    return this.call(contract.settle, person.user_id, { path: pathOf(meeting), body }, key);
  }

  preview(person: Person, meeting: { association_id: string; id: string }) {
    return this.call(contract.previewSettlement, person.user_id, { path: pathOf(meeting) });
  }

  cancel(person: Person, meeting: { association_id: string; id: string }, key?: string) {
    return this.call(contract.cancelMeeting, person.user_id, { path: pathOf(meeting) }, key);
  }

  /** Calls a command as another service would; the refusal's code, or undefined where it went well. */
  async command<C extends Command>(command: C, input: CommandInput<C>): Promise<string | undefined> {
    try {
      await this.broker.call(command.name, input);
      return undefined;
    } catch (error) {
      return refusal(error).code;
    }
  }

  getSettlement(person: Person, meeting: { association_id: string; id: string }) {
    const path = { association_id: meeting.association_id, meeting_id: meeting.id };
    return this.call(contract.getSettlement, person.user_id, { path });
  }

  getMeeting(person: Person, meeting: { association_id: string; id: string }) {
    const path = { association_id: meeting.association_id, meeting_id: meeting.id };
    return this.call(contract.getMeeting, person.user_id, { path });
  }

  async dues(person: Person, meeting: { association_id: string; id: string }): Promise<contract.Due[]> {
    const path = { association_id: meeting.association_id, meeting_id: meeting.id };
    return (await this.call(contract.listDues, person.user_id, { path, query: { limit: 200 } })).body.data;
  }

  async contributions(person: Person, meeting: { association_id: string; id: string }) {
    const path = { association_id: meeting.association_id, meeting_id: meeting.id };
    return (await this.call(contract.listContributions, person.user_id, { path, query: { limit: 200 } })).body.data;
  }

  async scheduleMeeting(person: Person, association_id: string, body: object = {}): Promise<contract.Meeting> {
    return (await this.call(contract.scheduleMeeting, person.user_id, { path: { association_id }, body })).body;
  }
}

/** Waits until a look at the world gives true. */
export async function until(what: string, look: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + CONVERGENCE_TIMEOUT_MS; !(await look()); await sleep(10)) {
    if (Date.now() > end) throw new Error(`Waited in vain until ${what}`);
  }
}

function pathOf({ association_id, id }: { association_id: string; id: string }) {
  return { association_id, meeting_id: id };
}

function refusal(error: unknown): Reply<never> {
  const { type, code } = error as { type?: string; code?: unknown };
  return {
    status: typeof code === 'number' ? code : 500,
    location: undefined,
    code: problemCode(error) ?? type ?? 'unexpected',
    extras: problemExtras(error),
    get body(): never {
      throw error;
    },
  };
}
