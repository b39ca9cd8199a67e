import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ServiceBroker } from 'moleculer';
import pg from 'pg';
import { loadSettings } from '../../lib/config/settings.ts';
import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import type { PROPOSAL_TYPES } from '../../lib/contracts/approvals.ts';
import type { ExecutionOutcome } from '../../lib/contracts/approvals.ts';
import * as membership from '../../lib/contracts/membership.ts';
import { problemCode, problemExtras } from '../../lib/errors/problem.ts';
import { openBus } from '../../lib/events/bus.ts';
import type { Bus } from '../../lib/events/bus.ts';
import { migrate } from '../../lib/db/migrate.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { contractValidator } from '../../lib/schema/validator.ts';
import { membershipService } from '../../services/membership/membership.service.ts';
import { membershipDatabase } from '../../services/membership/database.ts';
import { createTestDatabase } from './databases.ts';
import type { Migrate, TestDatabase } from './databases.ts';
import { nothingHeld, stubs } from './membership-others.ts';
import type { Others } from './membership-others.ts';
import { sealPin } from './pins.ts';
import { testIds, testRuntime } from './runtime.ts';
import { natsUrl } from './servers.ts';

/** The caller, and the Idempotency-Key. */
export interface CallOptions {
  name?: string | null;
  scopes?: string[];
  key?: string;
}

/** What a refused call said. */
export interface Refusal {
  code: string | undefined;
  extras: Record<string, unknown>;
}

export const USER_NAME = 'Awa';
type ProposalType = (typeof PROPOSAL_TYPES)[number];

const PEPPER = 'a pepper for tests';
/** What was left unfinished is recovered soon. */
const TIMINGS = {
  recover_every_ms: 50,
  key_exchange_ms: 50,
  stale_after_ms: 400,
  undecided_wait_ms: 300,
  undecided_poll_ms: 5,
};

const migrateMembership: Migrate = (database) => migrate(database, membershipDatabase.migrations);

interface HostOptions {
  keys?: string;
  pepper?: string;
  database?: TestDatabase;
}

/** The membership service for the tests of a `describe`; what one changes of the other services is undone after it. */
export function useMembership(): MembershipBench {
  const bench = new MembershipBench();
  before(() => bench.start());
  after(() => bench.stop());
  afterEach(() => bench.reset());
  return bench;
}

/** The membership service on a database of its own, the other services played by stubs. */
export class MembershipBench {
  readonly others: Others = { wallets: new Map(), ...nothingHeld() };
  /** What happens when a saga comes to a fault point, such as a crash. */
  readonly atPoint = new Map<string, () => Promise<void>>();
  /** Moves the service's clock. */
  offset_ms = 0;
  bus!: Bus;
  #database!: TestDatabase;
  #ownsDatabase = true;
  #pepper = PEPPER;
  #directory!: string;
  #standsAt: Date | undefined;
  #broker!: ServiceBroker;
  #admin!: pg.Pool;
  #locations = new Map<unknown, string | undefined>();
  #replayed = new Set<unknown>();
  #users = 0;

  /** Starts another host: a node on the database of this one, with PIN keys and maybe a pepper of its own. */
  async startAnother(more: { keys?: string; pepper?: string } = {}): Promise<MembershipBench> {
    const bench = new MembershipBench();
    await bench.start({ ...more, database: this.#database });
    return bench;
  }

  async start({ keys, pepper = PEPPER, database }: HostOptions = {}): Promise<void> {
    this.#directory = await mkdtemp(join(tmpdir(), 'membership-'));
    if (keys !== undefined) await writeFile(this.keysFile, keys, { mode: 0o600 });
    this.#pepper = pepper;
    this.#ownsDatabase = database === undefined;
    this.#database = database ?? (await createTestDatabase('membership', migrateMembership));
    this.#admin = new pg.Pool({ connectionString: this.#database.migrationUrl, max: 2 });
    this.bus = await openBus(natsUrl(), 'test');
    this.#broker = await this.#startBroker().catch(async (error: unknown) => {
      await this.#release();
      throw error;
    });
  }

  /** Forgets what a test has changed: what others hold, what happens at a fault point, and the clock. */
  reset(): void {
    Object.assign(this.others, nothingHeld());
    this.atPoint.clear();
    this.offset_ms = 0;
  }

  async stop(): Promise<void> {
    await this.#broker.stop();
    await this.#release();
  }

  async #release(): Promise<void> {
    await this.bus.close();
    await this.#admin.end();
    if (this.#ownsDatabase) await this.#database.drop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** Stops the service and starts it again, as a new process would. */
  async restart(): Promise<void> {
    await this.#broker.stop();
    this.#broker = await this.#startBroker();
  }

  get now(): Date {
    return this.#standsAt ?? new Date(Date.now() + this.offset_ms);
  }

  /** Stops the service's clock, so many ms from now, while `work` runs. */
  async frozen(at_ms: number, work: () => Promise<void>): Promise<void> {
    this.#standsAt = new Date(Date.now() + at_ms);
    try {
      await work();
    } finally {
      this.#standsAt = undefined;
    }
  }

  get keysFile(): string {
    return join(this.#directory, 'pin-keys.json');
  }

  /** The URL with which the service itself logs in. */
  get serviceUrl(): string {
    return this.#database.url;
  }

  /** The URL with which an administrator logs in. */
  get migrationUrl(): string {
    return this.#database.migrationUrl;
  }

  /** A statement by the administrator, for what no action does yet and for looking at rows. */
  async sql<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#admin.query<Row>(text, values)).rows;
  }

  /** Calls a public action as a user. */
  async as<E extends Endpoint>(
    user_id: string,
    contract: E,
    input: Partial<EndpointInput<E>> = {},
    { name = USER_NAME, scopes = [], key }: CallOptions = {},
  ): Promise<Answer<E>> {
    const { path = {}, query = {}, body = {} } = input;
    const meta: Record<string, unknown> = { caller: { user_id, name, scopes }, ...keyed(key, contract, path) };
    const answer: Answer<E> = await this.#broker.call(contract.name, structuredClone({ path, query, body }), { meta });
    const headers = meta.$responseHeaders as Record<string, string> | undefined;
    this.#locations.set(answer, headers?.Location);
    if (headers?.['Idempotency-Replayed'] === 'true') this.#replayed.add(answer);
    return answer;
  }

  /** The Location that went with an answer. */
  locationOf(answer: unknown): string | undefined {
    return this.#locations.get(answer);
  }

  /** Whether an answer is one that was given before. */
  wasReplayed(answer: unknown): boolean {
    return this.#replayed.has(answer);
  }

  /** Calls a command as another service does, maybe within a request that has an Idempotency-Key. */
  async command<C extends Command>(contract: C, input: CommandInput<C>, key?: string): Promise<Answer<C>> {
    return await this.#broker.call(contract.name, structuredClone(input), { meta: keyed(key, contract, {}) });
  }

  /** Does something the next time that a saga comes to the fault point, before it goes on. */
  once(point: string, work: () => unknown): void {
    this.atPoint.set(point, async () => {
      this.atPoint.delete(point);
      await work();
    });
  }

  /** The next time that a saga comes to the fault point, its process is as good as dead. */
  dieAt(point: string): void {
    this.once(point, () => Promise.reject(new Error(`died at ${point}`)));
  }

  /** Holds a saga, the next time, at the fault point, once it is `there`, until `goOn`. */
  holdAt(point: string): { there: Promise<void>; goOn: () => void } {
    const there = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    this.once(point, () => {
      there.resolve();
      return goOn.promise;
    });
    return { there: there.promise, goOn: goOn.resolve };
  }

  /** A PIN sealed to the newest key. */
  async seal(pin: string): Promise<string> {
    const { keys } = await this.as('anyone', membership.pinKeys);
    const [newest] = keys;
    if (newest === undefined) throw new Error('there is no PIN key');
    return sealPin(newest, pin);
  }

  /** An attempt at a payment with a sealed PIN, as contribution asks about it. */
  pay(association_id: string, user_id: string, pin: string, key?: string): Promise<membership.Authorization> {
    return this.command(membership.authorize, { association_id, user_id, permission: 'contribute', pin }, key);
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
    await this.as(user_id, membership.setPin, { body: { pin: await this.seal(pin) } });
  }

  /** Founds an association with the user as its president; public, so that others can join. */
  found(
    user_id: string,
    given: Partial<EndpointInput<typeof membership.createAssociation>['body']> = {},
  ): Promise<membership.Association> {
    const body = { ...NEW_ASSOCIATION, ...given };
    return this.as(user_id, membership.createAssociation, { body });
  }

  join(user_id: string, association_id: string, hands = 1): Promise<membership.Member> {
    return this.as(user_id, membership.joinAssociation, { path: { association_id }, body: { hands } });
  }

  /** Tells membership that a proposal was approved. */
  execute(
    association_id: string,
    subject_type: ProposalType,
    payload: Record<string, unknown>,
    approval_id = this.newId(),
  ): Promise<ExecutionOutcome> {
    const approved = {
      approval_id,
      association_id,
      subject_type,
      subject_id: approval_id,
      decision: 'approved',
    } as const;
    return this.command(membership.executeApproval, { ...approved, payload });
  }

  /** An approved role change, carried out. */
  async appoint(association_id: string, member_id: string, role: string): Promise<void> {
    await this.execute(association_id, 'role_change', { member_id, role });
  }

  /** The events of an association so far, oldest first. */
  async events(association_id: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    const rows = await this.sql<{ event: { type: string; data: Record<string, unknown> } }>(
      'SELECT event FROM outbox WHERE association_id = $1 ORDER BY position',
      association_id,
    );
    return rows.map(({ event: { type, data } }) => ({ type, data }));
  }

  readonly newId = testIds();

  async #startBroker(): Promise<ServiceBroker> {
    const broker = new ServiceBroker({ logger: false, validator: contractValidator() });
    broker.createService(await membershipService(this.#runtime(), { timings: TIMINGS }));
    for (const stub of stubs(this.others)) broker.createService(stub);
    await broker.start();
    return broker;
  }

  #runtime(): Runtime {
    const clock = () => this.now;
    return testRuntime(
      { membership: this.#database },
      {
        settings: loadSettings({ DATA_DIR: this.#directory }),
        secrets: { pinPepper: this.#pepper, pinKeysFile: this.keysFile },
        clock,
        reached: (point) => this.atPoint.get(point)?.() ?? Promise.resolve(),
      },
    );
  }
}

export const NEW_ASSOCIATION = {
  name: 'Njangi of the market',
  type: 'tontine',
  currency: 'XAF',
  contribution_amount: 10_000,
  contribution_frequency: 'monthly',
  max_members: 12,
  is_public: true,
  rules: membership.DEFAULT_RULES,
  hands: 1,
} as const;

/** Runs `work` on a connection to a database. */
export async function asUser<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The code with which a call is refused; `passed` if it is not. */
export function outcomeOf(attempt: Promise<unknown>): Promise<string | undefined> {
  return attempt.then(
    () => 'passed',
    (error: unknown) => problemCode(error),
  );
}

/** Expects that the call is refused with this code. */
export async function expectRefused(attempt: Promise<unknown>, code: string, message?: string): Promise<void> {
  expect((await refusalOf(attempt)).code, message).to.equal(code);
}

/** The refusal of a call that must be refused. */
export async function refusalOf(attempt: Promise<unknown>): Promise<Refusal> {
  try {
    await attempt;
  } catch (error) {
    if (problemCode(error) === undefined) {
      // Moleculer's validation error is the gateway's to translate.
      const { type } = error as { type?: string };
      return { code: type, extras: { error } };
    }
    return { code: problemCode(error), extras: problemExtras(error) };
  }
  throw new Error('the call was not refused');
}

/** What the gateway puts into the call's meta for a request with an Idempotency-Key. */
function keyed(key: string | undefined, { name }: { name: string }, path: object): object {
  return key === undefined ? {} : { idempotency: { key, method: 'POST', path: `${name}${JSON.stringify(path)}` } };
}
