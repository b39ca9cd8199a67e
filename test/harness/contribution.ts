import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceBroker } from 'moleculer';
import type { Meeting } from '../../lib/contracts/contribution.ts';
import type { EventType, LedgerEvent } from '../../lib/contracts/events.ts';
import type { MemberReference, Rules } from '../../lib/contracts/membership.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { contributionService } from '../../services/contribution/contribution.service.ts';
import type { ContributionTimings } from '../../services/contribution/timings.ts';
import { contributionDatabase } from '../../services/contribution/database.ts';
import { Running, TODAY } from './contribution-client.ts';
import type { MeetingIds, Person } from './contribution-client.ts';
import { createTestDatabase } from './databases.ts';
import type { TestDatabase } from './databases.ts';
import { FakeMembership } from './fake-membership.ts';
import { FakeTreasury } from './fake-treasury.ts';
import { testIds, testRuntime } from './runtime.ts';
import pg from 'pg';

export { Running, TODAY } from './contribution-client.ts';
export type { Person, Reply } from './contribution-client.ts';

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
    this.newId = testIds(this.clock);
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
    const pay = async (meeting: Meeting, payers: Person[] = people) => {
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
    const { clock, newId } = this;
    const runtime = testRuntime({ contribution: this.database }, { clock, newId, reached });
    const broker = new ServiceBroker({ logger: false, requestTimeout: 10_000, metrics: false });
    broker.createService(this.membership.schema());
    broker.createService(this.treasury.schema());
    broker.createService(await contributionService(runtime, { timings: { ...TEST_TIMINGS, ...timings } }));
    await broker.start();
    return new Running(broker, death.promise);
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
