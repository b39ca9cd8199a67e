/** Runs a service with tables in this process, on a separate database and with fakes of the other services. */
import { ServiceBroker, type ServiceSchema } from 'moleculer';
import pg from 'pg';
import type { TableService } from '../../lib/config/service-names.ts';
import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import { subjectOf, type EventType, type LedgerEvent } from '../../lib/contracts/events.ts';
import type { DatabaseDefinition } from '../../lib/db/database.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { openBus, type StreamBus } from '../../lib/events/stream.ts';
import type { ResolvedSecrets } from '../../lib/node/resources.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import type { SagaTimings } from '../../lib/saga/timings.ts';
import { contractValidator } from '../../lib/schema/validator.ts';
import type { IfMatch } from '../../lib/service/call-context.ts';
import type { CallMeta } from '../../lib/service/implement.ts';
import { entityTag } from '../../lib/service/preconditions.ts';
import { clock_ms, noteSent } from '../../lib/transport/late-requests.ts';
import { createTestDatabase, type TestDatabase } from './databases.ts';
import type { Fake } from './fakes/fake.ts';
import { outcomeOf } from './refusal.ts';
import { testIds, testRuntime } from './runtime.ts';
import { natsUrl, withClient } from './servers.ts';
import { callOf, commandOf } from './stated-caller.ts';

/** The service that a harness runs. */
export interface Subject<Timings extends SagaTimings> {
  service: TableService;
  definition: DatabaseDefinition;
  create: (runtime: Runtime, options: { timings: Partial<Timings> }) => Promise<ServiceSchema>;
  /** Timings short enough for tests of timeouts, and long enough that no timeout happens by chance. */
  timings: Partial<Timings>;
}

/** A call that was sent this long ago must not begin any more. */
export const TOO_OLD_MS = 2_000;

export interface CallOptions {
  /** The `name` of the caller's token. */
  name?: string | null;
  scopes?: string[];
  /** The `Idempotency-Key`. */
  key?: string | undefined;
  /** The tags of the `If-Match`. */
  if_match?: IfMatch | undefined;
  /** How long ago the call was sent, as from another process. */
  age_ms?: number;
}

/** The parts of an HTTP answer besides its body. */
export interface Head {
  status: number;
  location: string | undefined;
  /** Whether the answer repeats an earlier one. */
  replayed: boolean;
}

/** The service's clock, which a test may move or stop. */
export class TestClock {
  /** Offset from the real time. */
  offset_ms = 0;
  stopped_at: Date | undefined;
  readonly #made_ms = Date.now();

  readonly now = (): Date => this.stopped_at ?? new Date(Date.now() + this.offset_ms);

  /** Sets the day and keeps the time of day, which was noon when the clock was made: a test does not run past midnight. */
  set day(day: string) {
    this.offset_ms = Date.parse(`${day}T12:00:00Z`) - this.#made_ms;
  }
}

/** Starts the harness for the tests of a `describe`, and resets it after each test. */
export function useHarness<H extends Pick<ServiceHarness, 'start' | 'stop' | 'reset'>>(harness: H): H {
  before(() => harness.start());
  after(() => harness.stop());
  afterEach(function () {
    const missed = harness.reset();
    if (missed.length > 0 && this.currentTest?.isPassed() === true) throw new Error(`never reached ${missed.join()}`);
  });
  return harness;
}

const NEVER = new Promise<never>(() => undefined);
const NEVER_MS = 24 * 60 * 60_000;

/** @see useHarness */
export abstract class ServiceHarness<Timings extends SagaTimings = SagaTimings> {
  readonly clock = new TestClock();
  readonly newId = testIds(this.clock.now);
  /** Called at every fault point that the service reaches. */
  reached: (point: string) => unknown = () => undefined;
  database!: TestDatabase;
  /** Connections of the administrator, to read and lock rows. */
  admin!: pg.Pool;
  protected secrets: Partial<ResolvedSecrets> = {};
  protected abstract readonly fakes: Fake[];
  readonly #subject: Subject<Timings>;
  #broker!: ServiceBroker;
  #bus: StreamBus | undefined;
  #ownsDatabase = true;
  readonly #pending = new Map<string, () => unknown>();
  readonly #heads = new WeakMap<object, Head>();

  constructor(subject: Subject<Timings>) {
    this.#subject = subject;
  }

  /** @param database of another harness that is shared; a new one if absent */
  async start(database?: TestDatabase): Promise<void> {
    const { service, definition } = this.#subject;
    this.#ownsDatabase = database === undefined;
    this.database = database ?? (await createTestDatabase(service, (made) => migrate(made, definition.migrations)));
    this.admin = new pg.Pool({ connectionString: this.database.migrationUrl, max: 4 });
    try {
      this.#broker = await this.startProcess();
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#broker.stop();
    await this.release();
  }

  protected async release(): Promise<void> {
    await this.#bus?.close();
    await this.admin.end();
    if (this.#ownsDatabase) await this.database.release();
  }

  /** Restarts the service, as a new process. */
  async restart(): Promise<void> {
    await this.#broker.stop();
    this.#broker = await this.startProcess();
  }

  /** Removes the settings of a test. @returns the fault points that were awaited but never reached */
  reset(): string[] {
    this.clock.offset_ms = 0;
    this.clock.stopped_at = undefined;
    this.reached = () => undefined;
    for (const fake of this.fakes) fake.reset();
    const missed = [...this.#pending.keys()];
    this.#pending.clear();
    return missed;
  }

  /** Calls a public action as a user. */
  async as<E extends Endpoint>(
    user_id: string,
    endpoint: E,
    input: Partial<EndpointInput<E>> = {},
    { name = null, scopes = [], key, if_match, age_ms }: CallOptions = {},
  ): Promise<Answer<E>> {
    const { path = {}, query = {}, body = {} } = input;
    const stated = callOf(endpoint, { user_id, name, scopes }, this.clock.now, this.newId);
    const meta: CallMeta = { ...stated, ...keyed(key, endpoint, path) };
    if (if_match !== undefined) meta.if_match = if_match;
    if (age_ms !== undefined) noteSent(meta, clock_ms() - age_ms);
    const answer: Answer<E> = await this.#broker.call(endpoint.name, structuredClone({ path, query, body }), { meta });
    const headers = meta.$responseHeaders ?? {};
    this.#heads.set(answer, {
      status: meta.$statusCode ?? endpoint.status,
      location: headers['Location'],
      replayed: headers['Idempotency-Replayed'] === 'true',
    });
    return answer;
  }

  /** Returns the status and headers of an answer of as(). */
  headOf(answer: unknown): Head {
    return this.#heads.get(answer as object)!;
  }

  /** Reads all pages of a list. */
  async pages<T>(
    user_id: string,
    list: Endpoint,
    path: Record<string, string>,
    limit: number,
    filter: object = {},
  ): Promise<T[]> {
    const rows: T[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const query = { ...filter, limit, ...(cursor === undefined ? {} : { cursor }) };
      const page = (await this.as(user_id, list, { path, query })) as { data: T[]; next_cursor: string | null };
      rows.push(...page.data);
      cursor = page.next_cursor;
    }
    return rows;
  }

  /** Calls a command as another service does, optionally within a request with an Idempotency-Key. */
  async command<C extends Command>(
    command: C,
    input: CommandInput<C>,
    key?: string,
    operation_id?: string,
  ): Promise<Answer<C>> {
    const meta = { ...commandOf(command, input, this.clock.now), ...keyed(key, command, {}) };
    // The service that owns the request has set its fingerprint and its operation.
    if (meta.idempotency !== undefined) {
      Object.assign(meta.idempotency, { fingerprint: command.name, ...(operation_id && { operation_id }) });
    }
    return await this.#broker.call(command.name, structuredClone(input), { meta });
  }

  /** Runs a statement as administrator. */
  async sql<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.admin.query<Row>(text, values)).rows;
  }

  /** Runs a statement as the service's role. @returns `done` or PostgreSQL's error code */
  asRole(statement: string): Promise<string> {
    return withClient(this.database.url, (client) => outcomeOf(client.query(statement)));
  }

  /** Runs `work` in a transaction as administrator. */
  async inTransaction(work: (client: pg.PoolClient) => Promise<unknown>): Promise<void> {
    const client = await this.admin.connect();
    try {
      await client.query('BEGIN');
      await work(client);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  }

  /** Returns the events of an association, oldest first, optionally of one type only. */
  events<T extends EventType>(association_id: string, type?: T): Promise<Pick<LedgerEvent<T>, 'type' | 'data'>[]> {
    return this.sql(
      `SELECT type, event -> 'data' AS data FROM outbox
       WHERE association_id = $1 AND type = coalesce($2, type) ORDER BY position`,
      association_id,
      type,
    );
  }

  async eventTypes(association_id: string): Promise<string[]> {
    return (await this.events(association_id)).map((event) => event.type);
  }

  /** Publishes an event of another service, as its relay does. */
  async publish(source: TableService, association_id: string, type: EventType, data: object): Promise<void> {
    const event = {
      specversion: '1.0',
      id: this.newId(),
      source: `/association-service/${source}`,
      type,
      subject: association_id,
      time: new Date().toISOString(),
      datacontenttype: 'application/json',
      data,
    };
    this.#bus ??= await openBus(natsUrl(), 'test');
    await this.#bus.jetstream.publish(subjectOf(association_id, type), JSON.stringify(event), { msgID: event.id });
  }

  /** Calls `work` the next time that the service reaches a fault point; the service waits for it. */
  once(point: string, work: () => unknown): void {
    this.#pending.set(point, work);
  }

  /** Throws an error the next time that the service reaches a fault point; the process continues. */
  failAt(point: string): void {
    this.once(point, () => {
      throw new Error(`failed at ${point}`);
    });
  }

  /** Holds the next caller that reaches a fault point until `goOn` is called; `there` resolves when it is held. */
  holdAt(point: string): { there: Promise<void>; goOn: () => void } {
    const there = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    this.once(point, () => {
      there.resolve();
      return goOn.promise;
    });
    return { there: there.promise, goOn: goOn.resolve };
  }

  /**
   * Holds a request with a key as a frozen process does, frees its key meanwhile as a repeat that is refused does, and lets it
   * continue.
   * @returns its outcome
   */
  async outcomeAfterRefusedRepeat(key: string, act: () => Promise<unknown>): Promise<string> {
    const { there, goOn } = this.holdAt('idempotency.claimed');
    const late = outcomeOf(act());
    await there;
    await this.sql('DELETE FROM idempotency_keys WHERE key = $1', key);
    goOn();
    return late;
  }

  /** Sends the calls of `act` to a separate process, which stops permanently at a fault point. */
  async dieAt(point: string, act: () => Promise<unknown>): Promise<void> {
    const died = Promise.withResolvers<void>();
    let isDead = false;
    const dying = await this.startProcess({ recover_every_ms: NEVER_MS } as Partial<Timings>, async (at) => {
      isDead ||= at === point;
      if (!isDead) return;
      died.resolve();
      await NEVER;
    });
    try {
      await this.through(dying, () => {
        const answered = act().then((answer) => {
          throw new Error(`the process did not stop at ${point}, but answered ${JSON.stringify(answer)}`);
        });
        return Promise.race([died.promise, answered]);
      });
    } finally {
      await dying.stop();
    }
    // Ends the claim of the key, as if the time for which it is held had passed.
    await this.sql('UPDATE idempotency_keys SET held_until = NULL');
  }

  /** Sends all calls during `work` to the other process. */
  async through<T>(other: ServiceBroker, work: () => Promise<T>): Promise<T> {
    const usual = this.#broker;
    this.#broker = other;
    try {
      return await work();
    } finally {
      this.#broker = usual;
    }
  }

  /** Starts another process of the service, which the caller stops. */
  async startProcess(
    timings: Partial<Timings> = {},
    reached = (point: string) => this.#reach(point),
  ): Promise<ServiceBroker> {
    const { create, timings: usual } = this.#subject;
    // The request timeout of the gateway.
    const broker = new ServiceBroker({ logger: false, validator: contractValidator(), requestTimeout: 10_000 });
    for (const fake of this.fakes) broker.createService(fake.schema(this.clock.now));
    broker.createService(await create(this.#runtime(reached), { timings: { ...usual, ...timings } }));
    await broker.start();
    return broker;
  }

  async #reach(point: string): Promise<void> {
    const work = this.#pending.get(point);
    this.#pending.delete(point);
    await this.reached(point);
    await work?.();
  }

  #runtime(reached: (point: string) => Promise<void>): Runtime {
    const { clock, newId } = this;
    const databases = { [this.#subject.service]: this.database };
    return testRuntime(databases, { clock: clock.now, newId, reached, secrets: this.secrets });
  }
}

/** Returns the `ETag` that the gateway gives an answer. */
export function tagOf(answer: unknown): string {
  return entityTag(JSON.stringify(answer));
}

/** Returns the meta data of a call for a request with an Idempotency-Key, as the gateway sets it. */
function keyed(key: string | undefined, { name }: { name: string }, path: object): CallMeta {
  return key === undefined ? {} : { idempotency: { key, method: 'POST', path: `${name}${JSON.stringify(path)}` } };
}
