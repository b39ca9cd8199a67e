/** What must hold for the events of a run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AckPolicy } from 'nats';
import { TABLE_SERVICES } from '../../lib/config/service-names.ts';
import { STREAM, type EventType, type LedgerEvent } from '../../lib/contracts/events.ts';
import type { Bus } from '../../lib/events/bus.ts';
import { openBus } from '../../lib/events/stream.ts';
import { inDatabase } from '../harness/cluster.ts';
import type { Json } from '../harness/http.ts';
import { againIfNatsFails } from './again-if-nats-fails.ts';
import type { Outcome } from './client.ts';
import type { Site } from './site.ts';
import { associationsOf, keyOf } from './stored-effects.ts';
import type { Effect, World } from './world.ts';

/** A consumer on a NATS server that has just been restarted may lack the newest events for a moment (seed 397). */
const RECHECK_AFTER_MS = 2_000;

const FETCH_MAX_EVENTS = 500;
const FETCH_MAX_MS = 2_000;

/** Effect -> the event that is committed before the effect is acknowledged. */
const EVENTS: Partial<Record<Effect, EventType>> = {
  association: 'association.created',
  contribution: 'contribution.paid',
  meeting: 'meeting.scheduled',
  settlement: 'meeting.settled',
  cycle: 'cycle.started',
  cash: 'cash.recorded',
  distribution: 'distribution.requested',
  attendance: 'attendance.recorded',
  fine: 'fine.assessed',
  fine_payment: 'fine.paid',
  submission: 'sheet.submitted',
  correction: 'approval.requested',
  proposal: 'approval.requested',
  vote: 'approval.voted',
};

/** Events that an object has at most once, and the member of `data` that names the object. */
const ONCE: Partial<Record<EventType, string>> = {
  'contribution.paid': 'contribution_id',
  'contribution.failed': 'contribution_id',
  'cash.recorded': 'cash_deposit_id',
  'cash.confirmed': 'cash_deposit_id',
  'cash.rejected': 'cash_deposit_id',
  'distribution.requested': 'distribution_id',
  'distribution.paid': 'distribution_id',
  'distribution.rejected': 'distribution_id',
  'distribution.failed': 'distribution_id',
  'fine.assessed': 'fine_id',
  'fine.waived': 'fine_id',
  'sheet.submitted': 'approval_id',
  'sheet.confirmed': 'approval_id',
  'sheet.rejected': 'approval_id',
  'transfer.reversed': 'transfer_id',
  'meeting.scheduled': 'meeting_id',
  'meeting.settled': 'meeting_id',
  'meeting.cancelled': 'meeting_id',
  'cycle.started': 'cycle_id',
  'cycle.completed': 'cycle_id',
  'approval.requested': 'approval_id',
  'approval.approved': 'approval_id',
  'approval.rejected': 'approval_id',
  'approval.cancelled': 'approval_id',
};

export type StoredEvent = Omit<LedgerEvent, 'data'> & { data: Record<string, unknown> };

/** Checks the events of a run's associations: in the outboxes, in the stream, and against what the clients know. */
export async function checkEvents(site: Site, world: World): Promise<string[]> {
  const associations = associationsOf(world);
  const stored = await Promise.all(
    TABLE_SERVICES.map((service) =>
      inDatabase(site, service, async (client) => {
        const sql = 'SELECT event FROM outbox WHERE association_id = ANY($1::uuid[]) ORDER BY position';
        return (await client.query<{ event: StoredEvent }>(sql, [associations])).rows.map(({ event }) => event);
      }),
    ),
  );
  const events = stored.flat();
  const readStream = async () => streamDiffers(events, await eventsOf(site, associations), world);
  let differences = await readStream();
  if (differences.length > 0) {
    await sleep(RECHECK_AFTER_MS);
    differences = await readStream();
  }
  return [
    ...differences,
    ...repeatedEvents(events),
    ...effectsOfRequests(events, world),
    ...effectsWithoutEvent(events, world),
    ...votesOfFormerOfficers(events, world),
  ];
}

/**
 * The stream has each event of an association once. Of one service, the event of a request that was acknowledged comes before
 * that of a request that began later. Events of concurrent requests have no order: an outbox numbers them before they commit.
 */
function streamDiffers(stored: StoredEvent[], streamed: StoredEvent[], world: World): string[] {
  const byPlace = Map.groupBy(streamed, placeOf);
  const requests = acknowledgedRequests(world);
  return [...Map.groupBy(stored, placeOf)].flatMap(([place, events]) => {
    const found = byPlace.get(place) ?? [];
    return [...differences(events, found), ...overtaking(found, requests)].map((text) => `${place}: ${text}`);
  });
}

/** Nothing happens twice to an object that can happen only once. */
function repeatedEvents(events: StoredEvent[]): string[] {
  const own = events.filter(({ type }) => ONCE[type] !== undefined);
  const byObject = Map.groupBy(own, ({ type, data }) => `${type} of ${String(data[ONCE[type] ?? ''])}`);
  return [...byObject]
    .filter(([, same]) => same.length > 1)
    .map(([what, { length }]) => `${what}: ${String(length)} times`);
}

/** A request has its effect at most once, and a refused one has none. */
function effectsOfRequests(events: StoredEvent[], { written }: World): string[] {
  const byRequest = Map.groupBy(events, ({ requestid, type }) => `${requestid ?? ''} ${type}`);
  return written.flatMap(({ effect, outcome: { request_id, isDone, status, body } }) => {
    const found = byRequest.get(`${request_id} ${EVENTS[effect] ?? ''}`) ?? [];
    const ids = found.map(({ id, type }) => `${type} ${id}`).join(', ');
    if (found.length > 1) return [`the request ${request_id} had its effect several times: ${ids}`];
    if (isDone !== false || found.length === 0) return [];
    return [
      `the request ${request_id} was refused (${String(status)} ${String(body?.code)}), but had its effect: ${ids}`,
    ];
  });
}

/** The event of an effect is committed with it. */
export function effectsWithoutEvent(events: StoredEvent[], world: Pick<World, 'written' | 'groups'>): string[] {
  const reported = new Set(events.map((event) => `${event.type} ${effectOf(event)}`));
  return world.written.flatMap((each) => {
    const type = EVENTS[each.effect];
    const key = keyOf(each.effect, each, world);
    if (type === undefined || key === undefined || reported.has(`${type} ${key}`)) return [];
    return [`${each.effect} ${key} was acknowledged, but has no ${type}`];
  });
}

/** The member of `data` that names the effect, of events that an object may have several times. */
const NAMED_BY: Partial<Record<EventType, string>> = {
  'attendance.recorded': 'meeting_id',
  'fine.paid': 'transfer_id',
};

/** Returns the key of the effect that an event reports, as keyOf() does. */
function effectOf({ type, subject, data }: StoredEvent): string {
  if (type === 'association.created') return subject ?? '';
  if (type === 'approval.requested') return String(data['subject_id']);
  if (type === 'approval.voted') return `${String(data['approval_id'])} ${String(data['member_id'])}`;
  return String(data[NAMED_BY[type] ?? ONCE[type] ?? '']);
}

interface RoleChange extends Interval {
  to: unknown;
}

/** Of a change that recovery has executed, or that a call has made after its caller gave up: then the member counts as an officer. */
const ANY_TIME: Interval = { began_ms: -Infinity, ended_ms: Infinity };

/** Whether the vote, or the proposal that needed none, was answered after the decision was executed. */
function hasExecuted({ isDone, body }: Outcome): boolean {
  const approval = (body?.approval as Json | undefined) ?? body;
  return isDone === true && (approval?.execution as Json | undefined)?.status === 'done';
}

/** A request is approved only by the votes of members who hold a board role when it is decided. */
export function votesOfFormerOfficers(events: StoredEvent[], { written }: Pick<World, 'written'>): string[] {
  const requests = new Map(written.map(({ outcome }) => [outcome.request_id, outcome]));
  const changes = new Map<unknown, RoleChange[]>();
  for (const { type, data, requestid } of events) {
    if (type !== 'member.role_changed') continue;
    const outcome = requests.get(requestid ?? '');
    const { began_ms, ended_ms } = outcome !== undefined && hasExecuted(outcome) ? outcome : ANY_TIME;
    changes.set(data['member_id'], [...(changes.get(data['member_id']) ?? []), { began_ms, ended_ms, to: data['to'] }]);
  }
  // Their last change before the vote certainly was to member: later ones began after it.
  const isFormer = (member_id: unknown, vote: Interval): boolean => {
    const earlier = (changes.get(member_id) ?? []).filter(({ began_ms }) => began_ms <= vote.ended_ms);
    return earlier.at(-1)?.to === 'member' && earlier.every(({ ended_ms }) => ended_ms < vote.began_ms);
  };
  return written.flatMap(({ effect, outcome }) => {
    const { isDone, body } = outcome;
    if (effect !== 'vote' || isDone !== true || body?.status !== 'approved') return [];
    const votes = body.votes as { member_id: string; decision: string }[];
    const counting = votes.filter((vote) => vote.decision === 'approve' && !isFormer(vote.member_id, outcome));
    if (counting.length >= (body.required_approvals as number)) return [];
    return [`approval ${String(body.id)} was decided by the vote of a former officer`];
  });
}

function placeOf({ source, subject }: StoredEvent): string {
  return `${source} ${subject ?? ''}`;
}

function differences(stored: StoredEvent[], streamed: StoredEvent[]): string[] {
  const ids = streamed.map(({ id }) => id);
  const found = new Set(ids);
  const lost = stored.filter(({ id }) => !found.has(id)).map(({ id, type }) => `the stream lacks ${type} ${id}`);
  const twice = ids.filter((id, index) => ids.indexOf(id) < index).map((id) => `the stream has ${id} twice`);
  return [...lost, ...twice];
}

type Interval = Pick<Outcome, 'began_ms' | 'ended_ms'>;

/** Returns the acknowledged requests by request id and type of event. */
function acknowledgedRequests({ written }: World): Map<string, Interval> {
  const found = new Map<string, Interval>();
  for (const { effect, outcome } of written) {
    const type = EVENTS[effect];
    if (type !== undefined && outcome.isDone === true) found.set(`${outcome.request_id} ${type}`, outcome);
  }
  return found;
}

function overtaking(streamed: StoredEvent[], requests: Map<string, Interval>): string[] {
  const broken: string[] = [];
  /** The latest beginning of a request whose event comes before, and its event. */
  let latest: { began_ms: number; id: string } | undefined;
  for (const { id, type, requestid } of streamed) {
    const request = requests.get(`${requestid ?? ''} ${type}`);
    if (request === undefined) continue;
    if (latest !== undefined && request.ended_ms < latest.began_ms) {
      broken.push(`${type} ${id} comes after ${latest.id}, which was requested later`);
    }
    if (latest === undefined || request.began_ms > latest.began_ms) latest = { began_ms: request.began_ms, id };
  }
  return broken;
}

async function eventsOf({ natsUrl }: Site, associations: string[]): Promise<StoredEvent[]> {
  const bus = await openBus(natsUrl, 'faults');
  try {
    const events: StoredEvent[] = [];
    for (const id of associations) {
      events.push(...(await againIfNatsFails(() => eventsOn(bus, `ledger.v1.${id}.>`))));
    }
    return events;
  } finally {
    await bus.close();
  }
}

async function eventsOn({ manager, jetstream }: Bus, filter_subject: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  const { name, num_pending } = await manager.consumers.add(STREAM, {
    ack_policy: AckPolicy.None,
    mem_storage: true,
    num_replicas: 1,
    filter_subject,
  });
  const consumer = await jetstream.consumers.get(STREAM, name);
  for (let left = num_pending; left > 0; { num_pending: left } = await consumer.info()) {
    const max_messages = Math.min(left, FETCH_MAX_EVENTS);
    for await (const message of await consumer.fetch({ max_messages, expires: FETCH_MAX_MS })) {
      events.push(message.json());
    }
  }
  await consumer.delete();
  return events;
}
