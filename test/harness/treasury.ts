import { randomBytes } from 'node:crypto';
import { ServiceBroker } from 'moleculer';
import type { ServiceSchema } from 'moleculer';
import pg from 'pg';
import { implementCommand } from '../../lib/service/implement.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import type { Decision } from '../../lib/contracts/approvals.ts';
import { checkEligibility, requestApproval } from '../../lib/contracts/governance.ts';
import type { Approval } from '../../lib/contracts/governance.ts';
import type { MemberReference } from '../../lib/contracts/membership.ts';
import * as contract from '../../lib/contracts/treasury.ts';
import { problem, problemCode } from '../../lib/errors/problem.ts';
import { Outbox } from '../../lib/events/outbox.ts';
import type { Database } from '../../lib/db/database.ts';
import { migrate } from '../../lib/db/migrate.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { contractValidator } from '../../lib/schema/validator.ts';
import { treasuryDatabase } from '../../services/treasury/database.ts';
import { LedgerWriter } from '../../services/treasury/ledger/ledger-writer.ts';
import type { Posting } from '../../services/treasury/ledger/posting.rules.ts';
import { treasuryService } from '../../services/treasury/treasury.service.ts';
import { createTestDatabase } from './databases.ts';
import type { TestDatabase } from './databases.ts';
import { FakeContribution } from './fake-contribution.ts';
import { FakeMembership } from './fake-membership.ts';
import { testClock, testIds } from './runtime.ts';
import { natsUrl } from './servers.ts';

export const newId = testIds();

type ApprovalRequest = CommandInput<typeof requestApproval>;

/** Governance as its contract tells it, in memory; a test decides when it answers, and how. */
export class FakeGovernance {
  readonly opened = new Map<string, ApprovalRequest>();
  /** Refuses the check at the request. */
  ineligible = false;
  /** What the next openings of approvals meet, instead of being opened. */
  readonly mishaps: ('refused' | 'request_lost' | 'answer_lost' | 'away')[] = [];

  schema(): ServiceSchema {
    return {
      name: 'governance',
      actions: {
        check_eligibility: implementCommand(checkEligibility, () => {
          if (this.ineligible) throw problem('no_eligible_approver');
          return Promise.resolve({ required_approvals: 1 });
        }),
        request_approval: implementCommand(requestApproval, (request) => this.#open(request)),
      },
    };
  }

  /** The only approval opened for this subject. */
  approvalOf(subject_id: string): ApprovalRequest {
    const found = [...this.opened.values()].filter((request) => request.subject_id === subject_id);
    if (found.length !== 1) throw new Error(`${String(found.length)} approvals were opened`);
    return found[0]!;
  }

  #open(request: ApprovalRequest): Promise<Approval> {
    const mishap = this.mishaps.shift();
    if (mishap === 'refused') throw problem('no_eligible_approver');
    if (mishap === 'request_lost') throw new Error('the request got lost');
    if (mishap === 'away') throw Object.assign(new Error('away'), { type: 'SERVICE_NOT_AVAILABLE', retryable: true });
    this.opened.set(request.approval_id, request);
    if (mishap === 'answer_lost') throw new Error('the answer got lost');
    // The treasury does not look at the answer.
    return Promise.resolve({} as Approval);
  }
}

/** Treasury on a database of its own, the other services faked: membership, governance and contribution. */
export class TreasuryBench {
  readonly governance = new FakeGovernance();
  readonly contribution = new FakeContribution();
  readonly membership = new FakeMembership(newId);
  /** What the treasury takes for the time. */
  now: () => Date = testClock;
  /** What happens when a saga comes to a step; it goes on after that. */
  reached: (step: string) => unknown = () => undefined;
  #database!: TestDatabase;
  #admin!: pg.Pool;
  #broker!: ServiceBroker;

  static async start(): Promise<TreasuryBench> {
    const bench = new TreasuryBench();
    bench.#database = await testDatabase();
    bench.#admin = new pg.Pool({ connectionString: bench.#database.migrationUrl, max: 2 });
    bench.#broker = await bench.#startBroker();
    return bench;
  }

  async stop(): Promise<void> {
    await this.#broker.stop();
    await this.#admin.end();
    await this.#database.drop();
  }

  /** The URL with which the service itself logs in. */
  get url(): string {
    return this.#database.url;
  }

  /** A statement by the administrator, for looking at rows. */
  async sql<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#admin.query<Row>(text, values)).rows;
  }

  /** Calls a public action as a user; `meta` receives what goes with the answer. */
  async as<E extends Endpoint>(
    user_id: string,
    endpoint: E,
    input: Partial<EndpointInput<E>> = {},
    { scopes = [], meta = {} }: { scopes?: string[]; meta?: Record<string, unknown> } = {},
  ): Promise<Answer<E>> {
    const { path = {}, query = {}, body = {} } = input;
    Object.assign(meta, { caller: { user_id, name: null, scopes } });
    return await this.#broker.call(endpoint.name, structuredClone({ path, query, body }), { meta });
  }

  /** Calls a command as another service does. */
  async command<C extends Command>(command: C, input: CommandInput<C>): Promise<Answer<C>> {
    return await this.#broker.call(command.name, structuredClone(input));
  }

  /** Opens a wallet with money in it, in the currency's major unit. */
  async fundedWallet(user_id: string, amount: number, currency = 'XAF'): Promise<string> {
    const { wallet_id } = await this.command(contract.openWallet, { user_id, currency });
    if (amount > 0) await this.deposit(wallet_id, amount, newId());
    return wallet_id;
  }

  deposit(wallet_id: string, amount: number, reference: string): Promise<contract.TransferRecord> {
    const input = { path: { wallet_id }, body: { amount, reference } };
    return this.as('the-bank', contract.depositToWallet, input, { scopes: ['wallets:fund'] });
  }

  /** An association whose founder is president `p`, with treasurer `t`, secretary `s` and the member `m`. */
  async group(currency = 'XAF'): Promise<TestAssociation> {
    const association_id = this.membership.found({ currency });
    const run = newId().slice(-6);
    const join = async (letter: string, role: MemberReference['role']) => {
      const user_id = `${letter}-${run}`;
      const payout_wallet_id = await this.fundedWallet(user_id, 0, currency);
      return this.membership.join(association_id, user_id, { role, payout_wallet_id });
    };
    const [p, t] = [await join('p', 'president'), await join('t', 'treasurer')];
    const [s, m] = [await join('s', 'secretary'), await join('m', 'member')];
    return { id: association_id, p, t, s, m };
  }

  /** E-money of the treasury's own: paid in from a wallet made for it, as a settlement would. */
  async endow(association_id: string, amount_minor: number, currency = 'XAF'): Promise<void> {
    await this.save(association_id, amount_minor, 0, currency);
  }

  /** E-money in the treasury, of which a part is members' savings. */
  async save(association_id: string, amount_minor: number, savings_minor: number, currency = 'XAF'): Promise<void> {
    const user_id = newId();
    const wallet_id = await this.fundedWallet(user_id, amount_minor, currency);
    const savings = { emoney_minor: savings_minor, cash_minor: 0 };
    const rest = { kind: 'settlement' as const, reference: null, payer_user_id: user_id, member_id: null };
    await this.command(contract.transfer, {
      ...{ id: newId(), association_id, currency, ...rest },
      ...legs(`wallet:${wallet_id}`, 'treasury', amount_minor),
      ...(savings_minor === 0 ? {} : { savings }),
    });
  }

  /** Tells the treasury how the board has decided on a subject. */
  decide(subject_id: string, decision: Decision): Promise<Answer<typeof contract.executeApproval>> {
    const { approval_id, association_id, subject_type, payload } = this.governance.approvalOf(subject_id);
    const input = { approval_id, association_id, subject_type, subject_id, decision, payload };
    return this.command(contract.executeApproval, input);
  }

  /** The types of an association's events so far, oldest first, but for those of the ledger. */
  async events(association_id: string): Promise<string[]> {
    const rows = await this.sql<{ type: string }>(
      `SELECT type FROM outbox WHERE association_id = $1 AND type <> 'transfer.posted' ORDER BY position`,
      association_id,
    );
    return rows.map((row) => row.type);
  }

  async #startBroker(): Promise<ServiceBroker> {
    const broker = new ServiceBroker({ logger: false, validator: contractValidator() });
    const timings = { call_timeout_ms: 1_000, lock_wait_ms: 500, recover_every_ms: 20, stale_after_ms: 200 };
    broker.createService(await treasuryService(this.#runtime(), { timings }));
    broker.createService(this.membership.schema());
    broker.createService(this.governance.schema());
    broker.createService(this.contribution.schema());
    await broker.start();
    return broker;
  }

  #runtime(): Runtime {
    return {
      settings: loadSettings({}),
      // The secrets are of no use to the treasury.
      resources: { natsUrl: natsUrl(), databases: { treasury: this.#database }, secrets: {} as never },
      clock: () => this.now(),
      newId,
      randomBytes: (length) => randomBytes(length),
      reached: async (step) => {
        await this.reached(step);
      },
    };
  }
}

export interface TestAssociation {
  id: string;
  p: MemberReference;
  t: MemberReference;
  s: MemberReference;
  m: MemberReference;
}

export function testDatabase(): Promise<TestDatabase> {
  return createTestDatabase('treasury', (database) => migrate(database, treasuryDatabase.migrations));
}

/** A ledger writer as one process has it. */
export function testWriter(
  db: Pick<Database, 'openBatches'>,
  reached: (step: string) => Promise<void> = () => Promise.resolve(),
): LedgerWriter {
  return new LedgerWriter({
    db,
    outbox: new Outbox('treasury', testClock, newId),
    runtime: { clock: testClock, reached },
  });
}

/** A posting of an association; what a test does not care about is filled in. */
export function postingOf(association_id: string, given: Partial<Posting> & Pick<Posting, 'movement'>): Posting {
  return {
    id: newId(),
    chain_id: association_id,
    association_id,
    kind: 'contribution',
    currency: 'XAF',
    reference: null,
    payer_user_id: null,
    member_id: null,
    ...given,
  };
}

/** Legs that move an amount from one account to another. */
export function legs(from: string, to: string, amount_minor: number): { legs: contract.Leg[] } {
  return {
    legs: [
      { account: from, amount_minor: -amount_minor },
      { account: to, amount_minor },
    ],
  };
}

/** The code of the refusal of a call that must be refused; Moleculer's own type for what its checks refuse. */
export async function codeOf(attempt: Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt;
  } catch (error) {
    return problemCode(error) ?? (error as { type?: string }).type ?? (error as Error).message;
  }
  throw new Error('the call was not refused');
}
