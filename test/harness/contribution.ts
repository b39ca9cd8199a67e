import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceBroker } from 'moleculer';
import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import * as contract from '../../lib/contracts/contribution.ts';
import type { EventType, LedgerEvent } from '../../lib/contracts/events.ts';
import type { MemberReference, Rules } from '../../lib/contracts/membership.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { problemCode, problemExtras } from '../../lib/errors/problem.ts';
import { migrate } from '../../lib/db/migrate.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { uuidV7Source } from '../../lib/runtime/runtime.ts';
import { contributionService } from '../../services/contribution/contribution.service.ts';
import type { ContributionTimings } from '../../services/contribution/deps.ts';
import { contributionDatabase } from '../../services/contribution/database.ts';
import { createTestDatabase } from './databases.ts';
import type { TestDatabase } from './databases.ts';
import { FakeMembership, RIGHT_PIN } from './fake-membership.ts';
import { FakeTreasury } from './fake-treasury.ts';
import { natsUrl } from './servers.ts';
import pg from 'pg';

/** The day on which tests begin. */
export const TODAY = '2026-03-10';

/** The day after the last round of any cycle that begins on TODAY: all are due. */
export const LATER = '2027-06-01';

const OPENING_BALANCE = 1_000_000;
/** Longer than a request waits for the ledger. */
const LATENESS_MS = 400;
const CONVERGENCE_TIMEOUT_MS = 8_000;

/** Short enough to see a timeout in a test, long enough not to see one by chance. Nothing is recovered unless asked for. */
export const TEST_TIMINGS: ContributionTimings = {
  call_timeout_ms: 250,
  settlement_timeout_ms: 250,
  in_flight_wait_ms: 400,
  in_flight_poll_ms: 5,
  lock_wait_ms: 500,
  recover_every_ms: 3_600_000,
  stale_after_ms: 10_000,
};

/** Recovers at once whatever was left unfinished. */
export const RECOVERING: Partial<ContributionTimings> = { recover_every_ms: 10, stale_after_ms: 40 };

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

/** How a test names a meeting. */
type MeetingIds = Pick<contract.Meeting, 'association_id' | 'id'>;

/**
 * A world with a running service for the tests of one file.
 * @param assign gets both before the first test
 * @param today the day on which each test begins
 */
export function useContribution(assign: (made: { world: World; service: Running }) => void, today = TODAY): void {
  let world: World;
  let service: Running;
  before(async () => {
    world = await World.create();
    service = await world.start();
    assign({ world, service });
  });
  beforeEach(() => {
    world.today = today;
    world.treasury.mishaps.length = 0;
    world.treasury.lateness_ms = LATENESS_MS;
  });
  after(async () => {
    await service.stop();
    await world.destroy();
  });
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

  /** A new member with a funded wallet, which is also where they are paid. */
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

  /** A tontine whose cycle has started on TODAY, every hand with a due of `amount` for each round. */
  async cycle(
    service: Running,
    hands: number[],
    { beneficiaries = 1, amount = 10_000, ...rules }: { beneficiaries?: number; amount?: number } & Partial<Rules> = {},
  ) {
    const group = this.tontine(hands, beneficiaries, amount, rules);
    const { association_id, president, people } = group;
    await service.startCycle(president.user_id, association_id);
    const meetings = await service.meetings(president.user_id, association_id);
    /** Pays all that these members owe for a round. */
    const pay = async (meeting: contract.Meeting, payers: Person[] = people) => {
      for (const payer of payers) {
        const { status } = await service.contribute(payer, meeting, hands[people.indexOf(payer)]! * amount);
        if (status !== 201) throw new Error(`A due could not be paid: ${String(status)}`);
      }
    };
    return { ...group, meetings, first: meetings[0]!, second: meetings[1]!, pay };
  }

  /** What the member's wallet holds; 1 000 000 at first. */
  wallet({ wallet_id }: Person): number {
    return this.treasury.balance(`wallet:${wallet_id}`);
  }

  /** The wallet money in a meeting's pool. */
  inPool({ association_id, id }: MeetingIds): number {
    return this.treasury.balance(`${association_id}/pool:${id}`);
  }

  async countEvents(association_id: string, type: EventType): Promise<number> {
    return (await this.events(association_id)).filter((event) => event.type === type).length;
  }

  /** Cash that the board has confirmed, and that the treasury has posted and told of. */
  async bringCash(service: Running, meeting: MeetingIds, person: Person, amount_minor: number): Promise<string> {
    const id = this.newId();
    const codes = [await service.takeCash(meeting, person, amount_minor, id)];
    this.treasury.bringCash(meeting.association_id, meeting.id, id, amount_minor);
    codes.push(await service.decideCash(meeting, id, true));
    if (codes.some((code) => code !== undefined)) throw new Error(`Cash was refused: ${codes.join()}`);
    return id;
  }

  /** Runs another process that recovers what was left unfinished, until a look at the world gives true. */
  async recover(what: string, look: () => Promise<boolean>, timings: Partial<ContributionTimings> = {}): Promise<void> {
    const successor = await this.start({ ...RECOVERING, ...timings });
    try {
      await until(what, look);
    } finally {
      await successor.stop();
    }
  }

  /** Runs `act` on a process of its own that stops for good at this point. */
  async dieAt(point: string, act: (service: Running) => Promise<unknown>): Promise<void> {
    const service = await this.start({}, point);
    const answered = act(service).then((reply) => {
      throw new Error(`It was not killed at ${point}, but answered ${JSON.stringify(reply)}`);
    });
    await Promise.race([service.death, answered]);
    await service.stop();
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

  /** Starts the service as a process would; `diesAt` names the fault point at which it stops for good. */
  async start(timings: Partial<ContributionTimings> = {}, diesAt?: string): Promise<Running> {
    const death = Promise.withResolvers<undefined>();
    let isDead = false;
    const reached = async (point: string): Promise<void> => {
      if (point === diesAt) {
        isDead = true;
        death.resolve(undefined);
      }
      if (isDead) await NEVER;
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
    return new Running(broker, death.promise);
  }
}

/** A running service, called as the gateway would. */
export class Running {
  readonly broker: ServiceBroker;
  /** Resolves once the process has stopped for good. */
  readonly death: Promise<undefined>;

  constructor(broker: ServiceBroker, death: Promise<undefined>) {
    this.broker = broker;
    this.death = death;
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
    meeting: MeetingIds,
    amount: number,
    body: { for_member_id?: string; wallet_id?: string; pin?: string } = {},
    key?: string,
  ) {
    const input = { path: pathOf(meeting), body: { wallet_id: person.wallet_id, amount, pin: RIGHT_PIN, ...body } };
    return this.call(contract.contribute, person.user_id, input, key);
  }

  settle({ user_id }: Person, meeting: MeetingIds, body: { preview_hash?: string } = {}, key?: string) {
    return this.call(contract.settle, user_id, { path: pathOf(meeting), body }, key);
  }

  preview({ user_id }: Person, meeting: MeetingIds) {
    return this.call(contract.previewSettlement, user_id, { path: pathOf(meeting) });
  }

  cancel({ user_id }: Person, meeting: MeetingIds, key?: string) {
    return this.call(contract.cancelMeeting, user_id, { path: pathOf(meeting) }, key);
  }

  getSettlement({ user_id }: Person, meeting: MeetingIds) {
    return this.call(contract.getSettlement, user_id, { path: pathOf(meeting) });
  }

  getMeeting({ user_id }: Person, meeting: MeetingIds) {
    return this.call(contract.getMeeting, user_id, { path: pathOf(meeting) });
  }

  getContribution({ user_id }: Person, meeting: MeetingIds, contribution_id: string) {
    return this.call(contract.getContribution, user_id, { path: { ...pathOf(meeting), contribution_id } });
  }

  async statusOf(person: Person, meeting: MeetingIds): Promise<string> {
    return (await this.getMeeting(person, meeting)).body.status;
  }

  async dues({ user_id }: Person, meeting: MeetingIds): Promise<contract.Due[]> {
    return (await this.call(contract.listDues, user_id, { path: pathOf(meeting), query: { limit: 200 } })).body.data;
  }

  /** The member's own due. */
  async due(person: Person, meeting: MeetingIds): Promise<contract.Due | undefined> {
    return (await this.dues(person, meeting)).find((due) => due.member_id === person.member_id);
  }

  async contributions({ user_id }: Person, meeting: MeetingIds): Promise<contract.Contribution[]> {
    const input = { path: pathOf(meeting), query: { limit: 200 } };
    return (await this.call(contract.listContributions, user_id, input)).body.data;
  }

  async scheduleMeeting({ user_id }: Person, association_id: string, body: object = {}): Promise<contract.Meeting> {
    return (await this.call(contract.scheduleMeeting, user_id, { path: { association_id }, body })).body;
  }

  /** All pages of a list, one after another. */
  async pages<T>(list: Endpoint, { user_id }: Person, path: object, limit: number): Promise<T[]> {
    const rows: T[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
      const { body } = await this.call(list, user_id, { path, query });
      const page = body as { data: T[]; next_cursor: string | null };
      rows.push(...page.data);
      cursor = page.next_cursor;
    }
    return rows;
  }

  /** Records cash as the treasury does; the code of a refusal, or undefined. */
  takeCash(meeting: MeetingIds, { member_id }: Person, amount_minor: number, contribution_id: string) {
    const cash = { contribution_id, member_id, amount_minor, currency: 'XAF' };
    return this.command(contract.takeCash, { ...pathOf(meeting), ...cash });
  }

  /** Tells what the board has decided on it. */
  decideCash({ association_id }: MeetingIds, contribution_id: string, paid: boolean) {
    return this.command(contract.decideCash, { association_id, contribution_id, paid, code: null });
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
}

/** What a process that has died waits for. */
const NEVER = new Promise<never>(() => undefined);

/** Waits until a look at the world gives true. */
export async function until(what: string, look: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + CONVERGENCE_TIMEOUT_MS; !(await look()); await sleep(10)) {
    if (Date.now() > end) throw new Error(`Waited in vain until ${what}`);
  }
}

function pathOf({ association_id, id }: MeetingIds) {
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
