import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceBroker } from 'moleculer';
import type { ServiceSchema } from 'moleculer';
import pg from 'pg';
import { implementCommand } from '../../lib/service/implement.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import type { PROPOSAL_TYPES } from '../../lib/contracts/approvals.ts';
import type { ExecutionOutcome, Remains } from '../../lib/contracts/approvals.ts';
import * as contribution from '../../lib/contracts/contribution.ts';
import * as membership from '../../lib/contracts/membership.ts';
import * as treasury from '../../lib/contracts/treasury.ts';
import { problem, problemCode, problemExtras } from '../../lib/errors/problem.ts';
import { openBus } from '../../lib/events/bus.ts';
import type { Bus } from '../../lib/events/bus.ts';
import { migrate } from '../../lib/db/migrate.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { uuidV7Source } from '../../lib/node/runtime.ts';
import { contractValidator } from '../../lib/schema/validator.ts';
import { membershipService } from '../../services/membership/membership.service.ts';
import { membershipDatabase } from '../../services/membership/persistence/data-source.ts';
import { createTestDatabase } from './databases.ts';
import type { TestDatabase } from './databases.ts';
import { sealPin } from './pins.ts';
import { natsUrl } from './servers.ts';

/** What the other services would answer; tests change it. */
export interface Others {
  wallets: Map<string, { user_id: string; currency: string }>;
  obligations: { cycle_running: boolean; has_arrears: boolean; pending: boolean };
  /** The cycles that contribution was asked about. */
  asked_cycles: (string | null)[];
  /** Whether looking at a wallet ends in a fault. */
  wallets_down: boolean;
  /**
   * Who holds something of the association, who is asked how often before what may be held there is decided, and which
   * approvals have locked it there.
   */
  holding: { contribution: boolean; treasury: boolean };
  undecided: { contribution: number; treasury: number };
  /** Whether what is held has come in only after a dry run. */
  held_late: boolean;
  association_locks: { contribution: Set<string>; treasury: Set<string> };
  /** What departures have locked in the treasury, as `member/tenure departure`. */
  locks: Set<string>;
}

/** How a call is made: by whom, and with which Idempotency-Key. */
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
/** What was left half done is taken up soon. */
const TIMINGS = { sweep_every_ms: 50, stale_after_ms: 400, undecided_wait_ms: 300, undecided_poll_ms: 5 };

/** The membership service on a database of its own, the other services played by stubs. */
export class MembershipBench {
  readonly others: Others = {
    wallets: new Map(),
    obligations: { cycle_running: false, has_arrears: false, pending: false },
    asked_cycles: [],
    wallets_down: false,
    holding: { contribution: false, treasury: false },
    undecided: { contribution: 0, treasury: 0 },
    held_late: false,
    association_locks: { contribution: new Set(), treasury: new Set() },
    locks: new Set(),
  };
  /** What happens when a saga comes to a step, such as a crash. */
  readonly atStep = new Map<string, () => Promise<void>>();
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

  /** @param more another host: a second node `beside` a first, on its database; and what it has of its own */
  static async start(
    more: { beside?: MembershipBench; keys?: string; pepper?: string } = {},
  ): Promise<MembershipBench> {
    const bench = new MembershipBench();
    bench.#directory = await mkdtemp(join(tmpdir(), 'membership-'));
    if (more.keys !== undefined) await writeFile(bench.keysFile, more.keys, { mode: 0o600 });
    bench.#pepper = more.pepper ?? PEPPER;
    bench.#ownsDatabase = more.beside === undefined;
    bench.#database =
      more.beside === undefined
        ? await createTestDatabase('membership', (database) => migrate(database, membershipDatabase.migrations))
        : more.beside.#database;
    bench.#admin = new pg.Pool({ connectionString: bench.#database.migrationUrl, max: 2 });
    bench.bus = await openBus(natsUrl(), 'test');
    bench.#broker = await bench.#startBroker().catch(async (error: unknown) => {
      await bench.#release();
      throw error;
    });
    return bench;
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

  /** The next time that a saga comes to the step, its process is as good as dead. */
  dieAt(step: string): void {
    this.atStep.set(step, () => {
      this.atStep.delete(step);
      return Promise.reject(new Error(`died at ${step}`));
    });
  }

  /** A PIN sealed to the newest key. */
  async seal(pin: string): Promise<string> {
    const { keys } = await this.as('anyone', membership.pinKeys);
    const [newest] = keys;
    if (newest === undefined) throw new Error('there is no PIN key');
    return sealPin(newest, pin);
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

  readonly newId = uuidV7Source(
    () => new Date(),
    () => randomBytes(4).readUInt32BE(),
  );

  async #startBroker(): Promise<ServiceBroker> {
    const broker = new ServiceBroker({ logger: false, validator: contractValidator() });
    broker.createService(await membershipService(this.#runtime(), { timings: TIMINGS }));
    for (const stub of stubs(this.others)) broker.createService(stub);
    await broker.start();
    return broker;
  }

  #runtime(): Runtime {
    const clock = () => this.now;
    return {
      settings: loadSettings({ DATA_DIR: this.#directory }),
      resources: {
        natsUrl: natsUrl(),
        databases: { membership: this.#database },
        secrets: { jwt: {}, pinPepper: this.#pepper, pinKeysFile: this.keysFile },
      },
      clock,
      newId: uuidV7Source(clock, () => randomBytes(4).readUInt32BE()),
      randomBytes: (length) => randomBytes(length),
      reached: (step) => this.atStep.get(step)?.() ?? Promise.resolve(),
    };
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

function lockIn(
  others: Others,
  service: keyof Others['association_locks'],
  { approval_id, dry_run }: CommandInput<typeof treasury.lockAssociation>,
): Promise<{ remains: Remains }> {
  const { holding, held_late, undecided, association_locks } = others;
  if (undecided[service] > 0) {
    undecided[service] -= 1;
    return Promise.resolve({ remains: 'undecided' });
  }
  if (holding[service] && !(dry_run && held_late) && !association_locks[service].has(approval_id))
    return Promise.resolve({ remains: 'something' });
  if (!dry_run) association_locks[service].add(approval_id);
  return Promise.resolve({ remains: 'nothing' });
}

/** A lock as a test sees it. */
function lockOf({ member_id, tenure, departure_id }: CommandInput<typeof treasury.lockMembership>): string {
  return `${member_id}/${String(tenure)} ${departure_id}`;
}

function unlockIn({ association_locks }: Others, service: keyof Others['association_locks'], approval_id: string) {
  association_locks[service].delete(approval_id);
  return Promise.resolve({ ok: true });
}

function stubs(others: Others): ServiceSchema[] {
  const walletOf = (user_id: string, currency: string) => `wallet-${user_id}-${currency}`;
  return [
    {
      name: 'treasury',
      actions: {
        open_wallet: implementCommand(treasury.openWallet, ({ user_id, currency }) => {
          const wallet_id = walletOf(user_id, currency);
          others.wallets.set(wallet_id, { user_id, currency });
          return Promise.resolve({ wallet_id });
        }),
        check_wallet: implementCommand(treasury.checkWallet, ({ wallet_id, user_id, currency }) => {
          if (others.wallets_down) throw new Error('the wallets are away');
          const wallet = others.wallets.get(wallet_id);
          if (wallet?.user_id !== user_id) throw problem('not_found');
          if (wallet.currency !== currency) throw problem('wallet_currency_mismatch');
          return Promise.resolve({ ok: true });
        }),
        obligations: implementCommand(treasury.obligations, () =>
          Promise.resolve({ pending: others.obligations.pending }),
        ),
        lock_association: implementCommand(treasury.lockAssociation, (input) => lockIn(others, 'treasury', input)),
        lock_membership: implementCommand(treasury.lockMembership, (departure) => {
          if (others.obligations.pending) return Promise.resolve({ locked: false });
          others.locks.add(lockOf(departure));
          return Promise.resolve({ locked: true });
        }),
        unlock_membership: implementCommand(treasury.unlockMembership, (departure) => {
          others.locks.delete(lockOf(departure));
          return Promise.resolve({ ok: true });
        }),
        unlock_association: implementCommand(treasury.unlockAssociation, ({ approval_id }) =>
          unlockIn(others, 'treasury', approval_id),
        ),
      },
    },
    {
      name: 'contribution',
      actions: {
        obligations: implementCommand(contribution.obligations, ({ cycle_id }) => {
          const { cycle_running, has_arrears } = others.obligations;
          others.asked_cycles.push(cycle_id);
          return Promise.resolve({ cycle_running: cycle_running && cycle_id !== null, has_arrears });
        }),
        lock_association: implementCommand(contribution.lockAssociation, (input) =>
          lockIn(others, 'contribution', input),
        ),
        unlock_association: implementCommand(contribution.unlockAssociation, ({ approval_id }) =>
          unlockIn(others, 'contribution', approval_id),
        ),
      },
    },
  ];
}
