import type { TestMember } from './test-member.ts';
import type { HttpAnswer, HttpClient, Json } from './http.ts';

/** A request of a client. Each time it is sent, its PIN is sealed again. */
export interface Asked {
  by: HttpClient;
  method?: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  body?: Json;
  /** Whether the sealed PIN of the sender is added to the body. */
  pin?: boolean;
}

/** Returns the request with its PIN already sealed, for concurrent requests and unchanged repeats. */
export async function sealed(asked: Asked): Promise<Asked> {
  if (asked.pin !== true) return asked;
  return { ...asked, pin: false, body: { ...asked.body, pin: await asked.by.sealedPin() } };
}

/** Returns the request with metadata. */
export function described(asked: Asked, metadata: Record<string, string>): Asked {
  return { ...asked, body: { ...asked.body, metadata } };
}

/** Sends the request. */
export async function ask(asked: Asked, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  const { by, method = 'POST', path, body = {} } = await sealed(asked);
  return by.send(method, path, body, headers);
}

/** Sends the request. @returns the body of the answer @throws Error if the request does not succeed */
export async function done(asked: Asked): Promise<Json> {
  const { status, text, body } = await ask(asked);
  if (status >= 300) throw new Error(`${asked.path} gave ${String(status)}: ${text}`);
  return body;
}

/** Sends the request. @returns the code of the refusal; `done` for a success */
export async function outcomeOf(asked: Asked | Promise<HttpAnswer>): Promise<unknown> {
  const { status, body } = await ('by' in asked ? ask(asked) : asked);
  return status < 300 ? 'done' : body.code;
}

export const today = (): string => new Date().toISOString().slice(0, 10);

const at = ({ http, path }: TestMember, where: string, body: Json = {}, pin = false): Asked => ({
  by: http,
  path: `${path}${where}`,
  body,
  ...(pin ? { pin } : {}),
});

/** Pays from the member's own wallet unless `more` names another one. */
export function contribute(by: TestMember, meeting_id: string, amount: number, more: Json = {}): Asked {
  return at(by, `/meetings/${meeting_id}/contribute`, { wallet_id: by.wallet_id, amount, ...more }, true);
}

/** Pays a fine from the member's own wallet. */
export function payFine({ http: by, wallet_id }: TestMember, fine_path: string, amount: number): Asked {
  return { by, path: `${fine_path}/pay`, body: { wallet_id, amount }, pin: true };
}

/** Schedules a meeting outside a cycle. */
export function openMeeting(by: TestMember, title = 'Kitty'): Asked {
  return at(by, '/meetings', { title });
}

export function settle(by: TestMember, meeting_id: string, body: Json = {}): Asked {
  return at(by, `/meetings/${meeting_id}/settle`, body);
}

export function cancelMeeting(by: TestMember, meeting_id: string): Asked {
  return at(by, `/meetings/${meeting_id}/cancel`);
}

/** Starts a cycle from today in join order, unless `more` says otherwise. */
export function startCycle(by: TestMember, more: Json = { order: 'join' }): Asked {
  return at(by, '/cycles', { starts_on: today(), ...more });
}

/** Records cash that a member has handed over, optionally for a meeting. */
export function recordCash(by: TestMember, from: TestMember, amount: number, meeting_id?: string): Asked {
  const meeting = meeting_id === undefined ? {} : { meeting_id };
  return at(by, '/cash-contribution', { member_id: from.member_id, amount, reason: 'Handed over', ...meeting }, true);
}

/** Writes a sheet with these lines, or another `body`. */
export function putSheet(by: TestMember, meeting_id: string, sheet_id: string, body: Json): Asked {
  return { by: by.http, method: 'PUT', path: `${by.path}/meetings/${meeting_id}/sheets/${sheet_id}`, body };
}

/** Submits a sheet as its answer shows it. */
export function submitSheet(by: TestMember, { meeting_id, id, sheet_hash }: Json): Asked {
  return at(by, `/meetings/${meeting_id as string}/sheets/${id as string}/submit`, { sheet_hash }, true);
}

/** Requests a distribution to a member. */
export function distribute(by: TestMember, to: TestMember, amount: number): Asked {
  return at(by, '/distributions', { beneficiary_member_id: to.member_id, amount, reason: 'Help' });
}

/** Requests the correction of a transfer. */
export function correct(by: TestMember, transfer_id: unknown): Asked {
  return at(by, '/corrections', { transfer_id, reason: 'Entered twice' }, true);
}

export function propose(by: TestMember, type: string, payload: Json = {}): Asked {
  return at(by, '/governance/proposals', { type, title: 'As discussed', payload });
}

export function vote(
  by: TestMember,
  approval_id: unknown,
  decision: 'approve' | 'reject' = 'approve',
  more: Json = {},
): Asked {
  return at(by, `/governance/${decision}`, { approval_id, ...more }, true);
}

export function leave({ http, path }: TestMember): Asked {
  return { by: http, method: 'DELETE', path: `${path}/members/me` };
}

export function join(by: TestMember): Asked {
  return at(by, '/join');
}

/** Opens a meeting outside a cycle. @returns its id */
export async function openedMeeting(by: TestMember, title?: string): Promise<string> {
  return (await done(openMeeting(by, title))).id as string;
}

/** Starts a cycle. @returns the ids of its meetings, in order */
export async function startedRounds(by: TestMember, more?: Json): Promise<string[]> {
  const { id } = await done(startCycle(by, more));
  const { data } = await by.http.ok(`${by.path}/meetings?cycle_id=${id as string}&limit=200`);
  return (data as { id: string }[]).map((meeting) => meeting.id);
}
