import type { ServiceBroker } from 'moleculer';
import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import * as contract from '../../lib/contracts/contribution.ts';
import { problemCode, problemExtras } from '../../lib/errors/problem.ts';
import type { CallMeta } from '../../lib/service/implement.ts';
import { RIGHT_PIN } from './fake-membership.ts';

/** The day on which tests begin. */
export const TODAY = '2026-03-10';

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
export type MeetingIds = Pick<contract.Meeting, 'association_id' | 'id'>;

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
    const meta: CallMeta = { caller: { user_id, name: null, scopes: [] } };
    if (key !== undefined) meta.idempotency = { key, method: endpoint.name, path: JSON.stringify(params.path) };
    try {
      const body = (await this.broker.call(endpoint.name, params, { meta })) as Answer<E>;
      const status = meta.$statusCode ?? endpoint.status;
      return { status, location: meta.$responseHeaders?.['Location'], code: undefined, extras: {}, body };
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
