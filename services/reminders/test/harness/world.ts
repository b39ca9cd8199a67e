/** A process of the service without a broker: its jobs, handlers and actions on a real database, with a clock that tests move. */
import { randomUUID } from 'node:crypto';
import {
  EVENT_SCHEMAS,
  exampleEvent,
  type AnyEvent,
  type EventData,
  type EventType,
} from '@association-service/contracts';
import type { RecurringJob } from '@association-service/contracts/service';
import { openSqlDatabase, type SqlDatabase } from '@association-service/contracts/subscriber';
import type { Channels } from '../../src/channels/channels.ts';
import { onEvent } from '../../src/groups/on-event.ts';
import { jobsOf } from '../../src/jobs.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import type { MeetingPage, Outside, Roster, WaitingVotes } from '../../src/outside.ts';
import type { Parts } from '../../src/parts.ts';
import { openChannels, type ReminderSettings } from '../../src/settings.ts';

export const CODE_KEY = 'a key of the tests, of more than 32 bytes';

/** What other services answer. Tests change it as people act. */
export interface OutsideState {
  rosters: Map<string, Roster>;
  /** The pages of each meeting. */
  meetings: Map<string, MeetingPage[]>;
  votes: Map<string, WaitingVotes>;
  /** Set while the other services cannot be reached. */
  isAway: boolean;
  calls: string[];
}

export interface World {
  parts: Parts;
  db: SqlDatabase;
  outside: OutsideState;
  logged: string[];
  counted: string[];
  clock: { now: Date };
  handle(...events: AnyEvent[]): Promise<void>;
  jobs: RecurringJob[];
  /** Does what is due: each job runs once. */
  run(): Promise<void>;
  /** Lets the leases of messages and occasions end. */
  endLeases(): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  url: string;
  channels?: Pick<ReminderSettings, 'smtp' | 'sms'>;
  /** Instead of those that `channels` describes. */
  senders?: Channels;
  now?: string;
  /** Shared with another process of the same service. */
  outside?: OutsideState;
  clock?: { now: Date };
  reached?: (step: string) => Promise<void>;
}

function newOutside(): OutsideState {
  return { rosters: new Map(), meetings: new Map(), votes: new Map(), isAway: false, calls: [] };
}

export async function openWorld(options: WorldOptions): Promise<World> {
  const { url, now = '2026-09-01T08:00:00.000Z', outside = newOutside(), reached } = options;
  const db = await openSqlDatabase(url, MIGRATIONS);
  const clock = options.clock ?? { now: new Date(now) };
  const logged: string[] = [];
  const counted: string[] = [];
  const channels = options.senders ?? openChannels({ smtp: undefined, sms: undefined, ...options.channels });
  const parts: Parts = {
    db,
    log: recordingLog(logged),
    clock: () => new Date(clock.now),
    newId: newIds(),
    reached: reached ?? (() => Promise.resolve()),
    outside: outsideOf(outside),
    channels,
    meter: {
      done: (type, channel, outcome, reason) => {
        counted.push([type, channel, outcome, reason ?? ''].join(' ').trim());
      },
      failed: (channel) => void counted.push(`failed ${channel}`),
      dropped: (type, reason) => void counted.push(`dropped ${type} ${reason}`),
    },
    codeKey: CODE_KEY,
  };
  const subscription = onEvent(parts);
  const jobs = jobsOf(parts);
  const { signal } = new AbortController();
  return {
    parts,
    db,
    outside,
    logged,
    counted,
    clock,
    jobs,
    async handle(...events) {
      for (const event of events) await db.transaction((tx) => subscription.handle(event as never, tx));
    },
    async run() {
      for (const job of jobs) await job.run(signal);
    },
    async endLeases() {
      await db.run(`UPDATE messages SET held_until = '2000-01-01' WHERE held_until IS NOT NULL`);
      await db.run(`UPDATE occasions SET held_until = '2000-01-01' WHERE held_until IS NOT NULL`);
    },
    async close() {
      for (const channel of channels.values()) channel.close();
      await db.close();
    },
  };
}

/** Ids that sort by the time at which they are made. */
function newIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `0199${count.toString(16).padStart(4, '0')}-0000-7000-8000-${randomUUID().slice(-12)}`;
  };
}

function recordingLog(lines: string[]): Parts['log'] {
  const add = (level: string) => (message: unknown, more?: unknown) => {
    lines.push(`${level} ${String(message)} ${JSON.stringify(more ?? {})}`);
  };
  const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'];
  return Object.fromEntries(levels.map((level) => [level, add(level)])) as unknown as Parts['log'];
}

function outsideOf(state: OutsideState): Outside {
  const asked = (call: string) => {
    state.calls.push(call);
    if (state.isAway) throw Object.assign(new Error('no answer'), { type: 'REQUEST_TIMEOUT' });
  };
  return {
    roster: async (association_id) => {
      await Promise.resolve(asked('roster'));
      return state.rosters.get(association_id);
    },
    meetingPage: async (_association_id, meeting_id, after_member_id) => {
      await Promise.resolve(asked('meeting'));
      const pages = state.meetings.get(meeting_id);
      if (after_member_id === null) return pages?.[0];
      const before = pages?.findIndex(({ next_member_id }) => next_member_id === after_member_id) ?? -1;
      return before === -1 ? undefined : pages?.[before + 1];
    },
    waitingVotes: async (_association_id, approval_id) => {
      await Promise.resolve(asked('votes'));
      return state.votes.get(approval_id);
    },
  };
}

/** Returns an event of this type. */
export function event<T extends EventType>(
  type: T,
  subject: string | undefined,
  data: Partial<EventData[T]>,
  at: Date,
): AnyEvent {
  const known = type in EVENT_SCHEMAS;
  const example = known
    ? exampleEvent(type)
    : { specversion: '1.0', type, datacontenttype: 'application/json', data: {} };
  const whole = { ...example, subject, id: randomUUID(), time: at.toISOString() };
  return { ...whole, data: { ...(example as { data: object }).data, ...data } } as unknown as AnyEvent;
}
