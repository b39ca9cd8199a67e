import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { foundGroup, type GroupHost, type TestGroup } from './group.ts';
import type { HttpAnswer, HttpClient, Json } from './http.ts';
import { ask, contribute, distribute, openMeeting, recordCash, sealed, settle, vote, type Asked } from './requests.ts';
import { expectValidLedger } from './verified-ledger.ts';

const FUNDING = 1_000_000;
const PAID = 10;
const CASH = 7;
const HELP = 3;

/** Pause of a group between two requests. */
const PAUSE_MS = 40;
/** A keyed client repeats a request this many times. */
const REPEATS_MAX = 20;
const REPEAT_PAUSE_MS = 100;
/** A keyed client loses the answer of every such write. */
const LOST_EVERY = 4;
const PAGE = 200;

/** One request as a client saw it. */
export interface Attempt {
  what: string;
  keyed: boolean;
  began_ms: number;
  took_ms: number;
  /** The status, or the code of the lost connection. */
  outcome: number | string;
}

/** The effects of the answered writes of a group. */
interface Acknowledged {
  contributions: string[];
  deposits: string[];
  distributions: string[];
  settled: string[];
}

/**
 * Groups that contribute, settle, hand over cash, help one another, vote and read until they are stopped. Half of the clients
 * send an `Idempotency-Key`, and repeat a request after 503, a lost connection or a lost answer; the others never repeat one.
 */
export class SteadyLoad {
  readonly attempts: Attempt[] = [];
  readonly #groups: LoadedGroup[];
  readonly #running: Promise<void>[] = [];
  #isStopping = false;

  static async prepare(host: GroupHost, groups: number): Promise<SteadyLoad> {
    const options = { size: 3, funding: FUNDING, roles: ['president', 'treasurer'] as ('president' | 'treasurer')[] };
    const founded = await Promise.all(Array.from({ length: groups }, () => foundGroup(host, options)));
    return new SteadyLoad(founded);
  }

  private constructor(groups: readonly TestGroup[]) {
    const record = (attempt: Attempt) => void this.attempts.push(attempt);
    this.#groups = groups.map((group, index) => new LoadedGroup(group, index % 2 === 0, record));
  }

  start(): void {
    for (const group of this.#groups) this.#running.push(this.#run(group));
  }

  async #run(group: LoadedGroup): Promise<void> {
    while (!this.#isStopping) await group.play();
  }

  /** Stops after the requests in flight. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#running);
  }

  /** Lets each client send another token from now on. */
  useTokens(token: GroupHost['token']): void {
    for (const group of this.#groups) group.useTokens(token);
  }

  /** Returns the attempts since `since_ms` that were not answered as they should be. */
  failed(since_ms = 0): Attempt[] {
    return this.attempts.filter(({ began_ms, outcome }) => began_ms >= since_ms && outcome !== 200 && outcome !== 201);
  }

  /** Returns the balances and the head of the ledger of each group. */
  state(): Promise<Json[]> {
    return Promise.all(this.#groups.map((group) => group.state()));
  }

  /** Checks that each acknowledged write took effect once, and nothing else did. */
  async expectNothingLostOrDoubled(): Promise<void> {
    for (const group of this.#groups) await group.expectNothingLostOrDoubled();
  }
}

class LoadedGroup {
  readonly #group: TestGroup;
  readonly #isKeyed: boolean;
  readonly #record: (attempt: Attempt) => void;
  readonly #done: Acknowledged = { contributions: [], deposits: [], distributions: [], settled: [] };
  /** Whether the outcome of every write is known. */
  #isCertain = true;
  #writes = 0;

  constructor(group: TestGroup, isKeyed: boolean, record: (attempt: Attempt) => void) {
    this.#group = group;
    this.#isKeyed = isKeyed;
    this.#record = record;
  }

  useTokens(token: GroupHost['token']): void {
    for (const { http, user } of this.#group.members) http.token = token(user);
  }

  /** Plays one evening of the group: a meeting with contributions, cash and help. */
  async play(): Promise<void> {
    const [president, treasurer, member] = this.#group.members as [Member, Member, Member];
    const meeting = await this.#write('meeting', openMeeting(president));
    if (meeting === undefined) return;
    for (const payer of [president, member]) {
      await this.#note('contributions', this.#write('contribution', contribute(payer, meeting.id as string, PAID)));
    }
    await this.#read('balances', member.http, `${member.path}/balances`);
    const cash = await this.#note('deposits', this.#write('cash', recordCash(treasurer, member, CASH)));
    if (cash !== undefined) await this.#write('approval', vote(president, cash.approval_id));
    await this.#note(
      'settled',
      this.#write('settlement', settle(president, meeting.id as string)),
      meeting.id as string,
    );
    await this.#read('members', member.http, `${member.path}/members`);
    const help = await this.#note('distributions', this.#write('distribution', distribute(president, member, HELP)));
    if (help !== undefined) await this.#write('approval', vote(treasurer, help.approval_id));
    await this.#read('statement', member.http, `${member.path}/statement`);
  }

  async #note(kind: keyof Acknowledged, writing: Promise<Json | undefined>, id?: string): Promise<Json | undefined> {
    const body = await writing;
    if (body !== undefined) this.#done[kind].push(id ?? (body.id as string));
    return body;
  }

  async #read(what: string, http: HttpClient, path: string): Promise<void> {
    await this.#attempt(what, () => http.get(path));
    await sleep(PAUSE_MS);
  }

  /** @returns the body of a success; undefined after a failure */
  async #write(what: string, asked: Asked): Promise<Json | undefined> {
    const headers: Record<string, string> = this.#isKeyed ? { 'Idempotency-Key': randomUUID() } : {};
    let ready: Asked | undefined;
    let lost: Json | undefined;
    this.#writes += 1;
    const isLost = this.#isKeyed && this.#writes % LOST_EVERY === 0;
    for (let repeats = 0; ; repeats += 1) {
      // The keys for PINs are a request of their own, which may be repeated.
      ready ??= await this.#sealed(asked);
      const sent = ready;
      const answer = sent === undefined ? undefined : await this.#attempt(what, () => ask(sent, headers));
      if (answer !== undefined && answer.status < 300) {
        await sleep(PAUSE_MS);
        if (isLost && lost === undefined) {
          lost = answer.body;
          continue;
        }
        // A repeat is answered with the effect of the first request, also by another process.
        if (lost !== undefined && answer.body.id !== lost.id) this.#another(what, lost, answer.body);
        return answer.body;
      }
      const isTemporary = answer === undefined || answer.status === 503 || answer.body.code === 'idempotency_in_flight';
      if (!this.#isKeyed || !isTemporary || repeats === REPEATS_MAX) break;
      await sleep(REPEAT_PAUSE_MS);
    }
    this.#isCertain = false;
    return undefined;
  }

  /** Records that a repeat had an effect of its own. */
  #another(what: string, first: Json, repeated: Json): void {
    const outcome = `the repeat has another effect: ${String(first.id)}, ${String(repeated.id)}`;
    this.#record({ what, keyed: true, began_ms: performance.now(), took_ms: 0, outcome });
  }

  async #sealed(asked: Asked): Promise<Asked | undefined> {
    let ready: Asked | undefined;
    await this.#attempt('keys', async () => {
      ready = await sealed(asked);
      return { status: 200 } as HttpAnswer;
    });
    return ready;
  }

  async #attempt(what: string, send: () => Promise<HttpAnswer>): Promise<HttpAnswer | undefined> {
    const began_ms = performance.now();
    let outcome: number | string;
    let answer: HttpAnswer | undefined;
    try {
      answer = await send();
      outcome = answer.status < 300 ? answer.status : `${String(answer.status)} ${answer.text.slice(0, 300)}`;
    } catch (error) {
      const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
      outcome = cause?.code ?? cause?.message ?? message;
    }
    this.#record({ what, keyed: this.#isKeyed, began_ms, took_ms: performance.now() - began_ms, outcome });
    return answer;
  }

  async state(): Promise<Json> {
    const [{ http, path }] = this.#group.members as [Member];
    return { balances: await http.ok(`${path}/balances`), head: await http.ok(`${path}/ledger/head`) };
  }

  async expectNothingLostOrDoubled(): Promise<void> {
    const [{ http, path }, , member] = this.#group.members as [Member, Member, Member];
    await expectValidLedger(http, path);
    const meetings = await this.#listed(`${path}/meetings`);
    const contributions: Json[] = [];
    for (const { id } of meetings) {
      contributions.push(...(await this.#listed(`${path}/meetings/${id as string}/contributions`)));
    }
    const distributions = await this.#listed(`${path}/distributions`);
    const cashLedger = await this.#listed(`${path}/cash-ledger`);
    const deposits = cashLedger.filter(({ kind }) => kind === 'cash_deposit');
    const done = this.#done;
    const stored = { contributions, distributions };
    for (const kind of ['contributions', 'distributions'] as const) {
      const rows = stored[kind];
      const ids = rows.map(({ id }) => id);
      if (this.#isCertain) expect(ids, kind).to.have.members(done[kind]);
      else expect(ids, kind).to.include.members(done[kind]);
    }
    for (const { status } of contributions) expect(status).to.equal('paid');
    // A vote that was lost leaves its distribution waiting, with its funds set aside.
    const statuses = this.#isCertain ? ['paid'] : ['paid', 'pending_approval'];
    for (const { status } of distributions) expect(status).to.be.oneOf(statuses);
    const settled = meetings.filter(({ status }) => status === 'settled').map(({ id }) => id);
    expect(settled).to.include.members(done.settled);
    if (this.#isCertain) expect(deposits).to.have.length(done.deposits.length);
    const paidBy = (by: unknown) => contributions.filter((each) => each.paid_by_member_id === by).length * PAID;
    const cash_paid = -cashLedger
      .filter(({ kind }) => kind !== 'cash_deposit')
      .reduce((sum, { amount }) => sum + (amount as number), 0);
    const paid_by_wallet = distributions.filter(({ status }) => status === 'paid').length * HELP - cash_paid;
    const balance = FUNDING - paidBy(member.member_id) + paid_by_wallet;
    expect((await member.http.ok(`/wallets/${member.wallet_id}`)).balance).to.equal(balance);
    const { treasury, pools } = await http.ok(`${path}/balances`);
    const pooled = (pools as Json[]).reduce((sum, { amount }) => sum + (amount as number), 0);
    const collected = contributions.length * PAID + deposits.length * CASH - distributions.length * HELP;
    expect((treasury as number) + pooled).to.equal(collected);
  }

  async #listed(path: string): Promise<Json[]> {
    const { http } = this.#group.members[0]!;
    const found: Json[] = [];
    for (let cursor: unknown = ''; typeof cursor === 'string';) {
      const page = await http.ok(`${path}?limit=${String(PAGE)}${cursor && `&cursor=${cursor}`}`);
      found.push(...(page.data as Json[]));
      cursor = page.next_cursor;
    }
    return found;
  }
}

type Member = TestGroup['members'][number];

/** Returns how many requests of each kind of client failed, and how long the slowest hundredth took. */
export function summaryOf(attempts: readonly Attempt[]): string {
  const of = (keyed: boolean) => attempts.filter((each) => each.keyed === keyed);
  const isFailed = ({ outcome }: Attempt) => outcome !== 200 && outcome !== 201;
  const parts = [true, false].map((keyed) => {
    const own = of(keyed);
    return `${keyed ? 'keyed' : 'unkeyed'} ${String(own.length)}, failed ${String(own.filter(isFailed).length)}`;
  });
  const sorted = attempts.map(({ took_ms }) => took_ms).sort((one, other) => one - other);
  const p99_ms = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  const max_ms = sorted.at(-1) ?? 0;
  return `${parts.join('; ')}; p99 ${p99_ms.toFixed(0)} ms, slowest ${max_ms.toFixed(0)} ms`;
}
