import { ServiceBroker } from 'moleculer';
import type { ServiceSchema } from 'moleculer';
import pg from 'pg';
import { implementCommand } from '../../lib/service/implement.ts';
import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import type { Decision } from '../../lib/contracts/approvals.ts';
import { checkEligibility, requestApproval } from '../../lib/contracts/governance.ts';
import type { Approval } from '../../lib/contracts/governance.ts';
import type { MemberReference } from '../../lib/contracts/membership.ts';
import * as contract from '../../lib/contracts/treasury.ts';
import { problem, problemCode } from '../../lib/errors/problem.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { contractValidator } from '../../lib/schema/validator.ts';
import { treasuryService } from '../../services/treasury/treasury.service.ts';
import type { TestDatabase } from './databases.ts';
import { FakeContribution } from './fake-contribution.ts';
import { FakeMembership, RIGHT_PIN } from './fake-membership.ts';
import { testClock, testIds, testRuntime } from './runtime.ts';
import { treasuryTestDatabase } from './ledger.ts';

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

interface CallOptions {
  /** Of the group's member with the role, unless told otherwise. */
  user_id?: string;
  scopes?: string[];
  /** Receives what goes with the answer. */
  meta?: Record<string, unknown>;
}

/** Starts a treasury for the tests of a file, each of them with a group of its own. */
export function useTreasury(): TreasuryBench {
  const bench = new TreasuryBench();
  before(() => bench.start());
  after(() => bench.stop());
  beforeEach(() => bench.reset());
  return bench;
}

/** Treasury on a database of its own, the other services faked: membership, governance and contribution. */
export class TreasuryBench {
  readonly governance = new FakeGovernance();
  readonly contribution = new FakeContribution();
  readonly membership = new FakeMembership(newId);
  /** What the treasury takes for the time. */
  now: () => Date = testClock;
  /** What happens at a fault point; the treasury goes on after that. */
  reached: (point: string) => unknown = () => undefined;
  /** The group that the calls below are about. */
  group!: TestAssociation;
  #database!: TestDatabase;
  #admin!: pg.Pool;
  #broker!: ServiceBroker;

  async start(): Promise<void> {
    this.#database = await treasuryTestDatabase();
    this.#admin = new pg.Pool({ connectionString: this.#database.migrationUrl, max: 2 });
    this.#broker = await this.#startBroker();
  }

  async stop(): Promise<void> {
    await this.#broker.stop();
    await this.#admin.end();
    await this.#database.drop();
  }

  async reset(): Promise<void> {
    this.now = testClock;
    this.reached = () => undefined;
    this.governance.ineligible = false;
    this.governance.mishaps.length = 0;
    this.contribution.mishaps.length = 0;
    this.contribution.refusal = undefined;
    this.contribution.facts = { meetings: [], owes_minor: 0, is_owed_minor: 0, arrears: [] };
    this.group = await this.newGroup();
  }

  /** A statement by the administrator, for looking at rows. */
  async sql<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#admin.query<Row>(text, values)).rows;
  }

  /** Calls a public action as a user. */
  async as<E extends Endpoint>(
    user_id: string,
    endpoint: E,
    input: Partial<EndpointInput<E>> = {},
    { scopes = [], meta = {} }: CallOptions = {},
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
  async newGroup(currency = 'XAF'): Promise<TestAssociation> {
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

  path(): { association_id: string } {
    return { association_id: this.group.id };
  }

  /** The name of the member's wallet account. */
  wallet(): string {
    return `wallet:${this.group.m.payout_wallet_id ?? ''}`;
  }

  /** Posts a transfer of the group's, as contribution asks for it; what a test does not care about is filled in. */
  transfer(given: Partial<CommandInput<typeof contract.transfer>>): Promise<contract.TransferRecord> {
    const { m } = this.group;
    return this.command(contract.transfer, {
      ...{ id: newId(), ...this.path(), kind: 'contribution', currency: 'XAF', reference: null },
      ...{ payer_user_id: m.user_id, member_id: m.member_id, legs: [], ...given },
    });
  }

  /** E-money in the treasury, of which a part is members' savings: paid in from a wallet made for it. */
  async endow(amount_minor: number, savings_minor = 0): Promise<void> {
    const payer_user_id = newId();
    const wallet_id = await this.fundedWallet(payer_user_id, amount_minor);
    await this.transfer({
      ...{ kind: 'settlement', payer_user_id, member_id: null },
      ...legs(`wallet:${wallet_id}`, 'treasury', amount_minor),
      ...(savings_minor === 0 ? {} : { savings: { emoney_minor: savings_minor, cash_minor: 0 } }),
    });
  }

  /** Has the treasurer record 500 in cash of the member's. */
  recordCash(given: object = {}, { user_id = this.group.t.user_id, ...options }: CallOptions = {}) {
    const body = { member_id: this.group.m.member_id, amount: 500, reason: 'in hand', pin: RIGHT_PIN, ...given };
    return this.as(user_id, contract.recordCashContribution, { path: this.path(), body }, options);
  }

  /** Cash of the member's that the board has approved. */
  async bringCash(amount: number): Promise<string> {
    const { id } = await this.recordCash({ amount });
    await this.decide(id, 'approved');
    return id;
  }

  /** Has the president ask for 300 to be paid to the member. */
  distribute(given: object = {}, { user_id = this.group.p.user_id, ...options }: CallOptions = {}) {
    const body = { beneficiary_member_id: this.group.m.member_id, amount: 300, reason: 'a roof', ...given };
    return this.as(user_id, contract.requestDistribution, { path: this.path(), body }, options);
  }

  /** Tells the treasury how the board has decided on a request. */
  decide(subject_id: string, decision: Decision): Promise<Answer<typeof contract.executeApproval>> {
    const { approval_id, association_id, subject_type, payload } = this.governance.approvalOf(subject_id);
    const input = { approval_id, association_id, subject_type, subject_id, decision, payload };
    return this.command(contract.executeApproval, input);
  }

  balances(): Promise<Answer<typeof contract.balances>> {
    return this.as(this.group.m.user_id, contract.balances, { path: this.path() });
  }

  /** The cash ledger, newest first. */
  async cashLedger(): Promise<Answer<typeof contract.cashLedger>['data']> {
    return (await this.as(this.group.m.user_id, contract.cashLedger, { path: this.path() })).data;
  }

  exportLedger(after_seq = 0): Promise<Answer<typeof contract.ledgerExport>> {
    return this.as(this.group.m.user_id, contract.ledgerExport, { path: this.path(), query: { after_seq } });
  }

  /** Whether something is open for which the member may not leave. */
  async isObliged({ member_id } = this.group.m): Promise<boolean> {
    return (await this.command(contract.obligations, { ...this.path(), member_id })).pending;
  }

  /** The group's rows of a saga, oldest first. */
  requests(table: 'cash_deposits' | 'distributions'): Promise<{ id: string; status: string }[]> {
    return this.sql(`SELECT id, status FROM ${table} WHERE association_id = $1 ORDER BY id`, this.group.id);
  }

  /** The types of the group's events so far, oldest first, but for those of the ledger. */
  async events(): Promise<string[]> {
    const rows = await this.sql<{ type: string }>(
      `SELECT type FROM outbox WHERE association_id = $1 AND type <> 'transfer.posted' ORDER BY position`,
      this.group.id,
    );
    return rows.map((row) => row.type);
  }

  /** Interrupts whatever first comes to a fault point. @returns whether something has */
  stopAt(point: string): () => boolean {
    let isStopped = false;
    this.reached = (at) => {
      if (at !== point || isStopped) return;
      isStopped = true;
      throw new Error('stopped');
    };
    return () => isStopped;
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
    const reached = async (point: string): Promise<void> => {
      await this.reached(point);
    };
    return testRuntime({ treasury: this.#database }, { clock: () => this.now(), newId, reached });
  }
}

export interface TestAssociation {
  id: string;
  p: MemberReference;
  t: MemberReference;
  s: MemberReference;
  m: MemberReference;
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
