/** One service of those with tables, alone in this process on a database of its own, with the others faked. */
import { ServiceBroker, type ServiceSchema } from 'moleculer';
import pg from 'pg';
import type { TableService } from '../../lib/config/service-names.ts';
import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import { subjectOf, type EventType, type LedgerEvent } from '../../lib/contracts/events.ts';
import type { DatabaseDefinition } from '../../lib/db/database.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { openBus, type Bus } from '../../lib/events/bus.ts';
import type { ResolvedSecrets } from '../../lib/node/resources.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import type { SagaTimings } from '../../lib/saga/timings.ts';
import { contractValidator } from '../../lib/schema/validator.ts';
import type { CallMeta } from '../../lib/service/implement.ts';
import { createTestDatabase, type TestDatabase } from './databases.ts';
import type { Fake } from './fakes/fake.ts';
import { outcomeOf } from './refusal.ts';
import { testIds, testRuntime } from './runtime.ts';
import { natsUrl, withClient } from './servers.ts';

/** What a harness runs. */
export interface Subject<Timings extends SagaTimings> {
  service: TableService;
  definition: DatabaseDefinition;
  create: (runtime: Runtime, options: { timings: Partial<Timings> }) => Promise<ServiceSchema>;
  /** Short enough to see a timeout in a test, long enough not to see one by chance. */
  timings: Partial<Timings>;
}

export interface CallOptions {
  /** The `name` of the caller's token. */
  name?: string | null;
  scopes?: string[];
  /** The `Idempotency-Key`. */
  key?: string | undefined;
}

/** What goes with an answer over HTTP. */
export interface Head {
  status: number;
  location: string | undefined;
  /** Whether the answer was given before. */
  replayed: boolean;
}

/** The service's clock, which a test may move or stop. */
export class TestClock {
  /** How far it is ahead of the real time. */
  offset_ms = 0;
  stopped_at: Date | undefined;

  readonly now = (): Date => this.stopped_at ?? new Date(Date.now() + this.offset_ms);

  /** Moves it to another day; the time of day runs on. */
  set day(day: string) {
    this.offset_ms = Date.parse(day) - Date.parse(new Date().toISOString().slice(0, 10));
  }
}

/** Starts the harness for the tests of a `describe`; what a test sets is undone after it. */
export function useHarness<H extends Pick<ServiceHarness, 'start' | 'stop' | 'reset'>>(harness: H): H {
  before(() => harness.start());
  after(() => harness.stop());
  afterEach(function () {
    const missed = harness.reset();
    if (missed.length > 0 && this.currentTest?.isPassed() === true) throw new Error(`never came to ${missed.join()}`);
  });
  return harness;
}

const NEVER = new Promise<never>(() => undefined);
const NEVER_MS = 24 * 60 * 60_000;

/** @see useHarness */
export abstract class ServiceHarness<Timings extends SagaTimings = SagaTimings> {
  readonly clock = new TestClock();
  readonly newId = testIds(this.clock.now);
  /** What happens at every fault point that the service comes to. */
  reached: (point: string) => unknown = () => undefined;
  database!: TestDatabase;
  /** Connections of the administrator, for looking at rows and for locking them. */
  admin!: pg.Pool;
  protected secrets: ResolvedSecrets = { jwt: {}, pinPepper: '', pinKeysFile: '' };
  protected abstract readonly fakes: Fake[];
  readonly #subject: Subject<Timings>;
  #broker!: ServiceBroker;
  #bus: Bus | undefined;
  #ownsDatabase = true;
  readonly #pending = new Map<string, () => unknown>();
  readonly #heads = new WeakMap<object, Head>();

  constructor(subject: Subject<Timings>) {
    this.#subject = subject;
  }

  /** @param database of another harness, if that is to be shared */
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
    if (this.#ownsDatabase) await this.database.drop();
  }

  /** Stops the service and starts it again, as a new process would. */
  async restart(): Promise<void> {
    await this.#broker.stop();
    this.#broker = await this.startProcess();
  }

  /** Undoes what a test has set. @returns the fault points that it waited for and that were never reached */
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
    { name = null, scopes = [], key }: CallOptions = {},
  ): Promise<Answer<E>> {
    const { path = {}, query = {}, body = {} } = input;
    const meta: CallMeta = { caller: { user_id, name, scopes }, ...keyed(key, endpoint, path) };
    const answer: Answer<E> = await this.#broker.call(endpoint.name, structuredClone({ path, query, body }), { meta });
    const headers = meta.$responseHeaders ?? {};
    this.#heads.set(answer, {
      status: meta.$statusCode ?? endpoint.status,
      location: headers['Location'],
      replayed: headers['Idempotency-Replayed'] === 'true',
    });
    return answer;
  }

  /** What went with an answer of as(). */
  headOf(answer: unknown): Head {
    return this.#heads.get(answer as object)!;
  }

  /** All pages of a list, one after another. */
  async pages<T>(user_id: string, list: Endpoint, path: Record<string, string>, limit: number): Promise<T[]> {
    const rows: T[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
      const page = (await this.as(user_id, list, { path, query })) as { data: T[]; next_cursor: string | null };
      rows.push(...page.data);
      cursor = page.next_cursor;
    }
    return rows;
  }

  /** Calls a command as another service does, maybe within a request that has an Idempotency-Key. */
  async command<C extends Command>(command: C, input: CommandInput<C>, key?: string): Promise<Answer<C>> {
    return await this.#broker.call(command.name, structuredClone(input), { meta: keyed(key, command, {}) });
  }

  /** A statement by the administrator. */
  async sql<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.admin.query<Row>(text, values)).rows;
  }

  /** What comes of a statement by the service's own role: `done`, or PostgreSQL's code. */
  asRole(statement: string): Promise<string> {
    return withClient(this.database.url, (client) => outcomeOf(client.query(statement)));
  }

  /** Runs `work` in a transaction of the administrator. */
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

  /** The events of an association so far, oldest first: all, or those of one type. */
  events<T extends EventType>(association_id: string, type?: T): Promise<Pick<LedgerEvent<T>, 'type' | 'data'>[]> {
    return this.sql(
      `SELECT type, event -> 'data' AS data FROM outbox
       WHERE association_id = $1 AND type = coalesce($2, type) ORDER BY position`,
      ...[association_id, type],
    );
  }

  async eventTypes(association_id: string): Promise<string[]> {
    return (await this.events(association_id)).map((event) => event.type);
  }

  /** Tells of something in another service, as its relay would. */
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

  /** Does something the next time that the service comes to a fault point, before it goes on. */
  once(point: string, work: () => unknown): void {
    this.#pending.set(point, work);
  }

  /** Interrupts, by an error, what next comes to a fault point; the process lives on. */
  failAt(point: string): void {
    this.once(point, () => {
      throw new Error(`failed at ${point}`);
    });
  }

  /** Holds what next comes to a fault point, once it is `there`, until `goOn`. */
  holdAt(point: string): { there: Promise<void>; goOn: () => void } {
    const there = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    this.once(point, () => {
      there.resolve();
      return goOn.promise;
    });
    return { there: there.promise, goOn: goOn.resolve };
  }

  /** Sends the calls of `act` to a process of their own, which stops for good at a fault point. */
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
          throw new Error(`it did not die at ${point}, but answered ${JSON.stringify(answer)}`);
        });
        return Promise.race([died.promise, answered]);
      });
    } finally {
      await dying.stop();
    }
    // As if the time had run out for which a dead request holds its key.
    await this.sql('UPDATE idempotency_keys SET held_until = NULL');
  }

  /** Sends the calls that are made while `work` runs to this process. */
  async through<T>(other: ServiceBroker, work: () => Promise<T>): Promise<T> {
    const usual = this.#broker;
    this.#broker = other;
    try {
      return await work();
    } finally {
      this.#broker = usual;
    }
  }

  /** Starts one more process of the service, for the caller to stop. */
  async startProcess(
    timings: Partial<Timings> = {},
    reached = (point: string) => this.#reach(point),
  ): Promise<ServiceBroker> {
    const { create, timings: usual } = this.#subject;
    // What the gateway waits for an answer.
    const broker = new ServiceBroker({ logger: false, validator: contractValidator(), requestTimeout: 10_000 });
    for (const fake of this.fakes) broker.createService(fake.schema());
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

/** What the gateway puts into the call's meta for a request with an Idempotency-Key. */
function keyed(key: string | undefined, { name }: { name: string }, path: object): CallMeta {
  return key === undefined ? {} : { idempotency: { key, method: 'POST', path: `${name}${JSON.stringify(path)}` } };
}
