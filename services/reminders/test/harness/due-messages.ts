/** Many messages that are due, and ways to send them of which a test decides how long they take. */
import { randomUUID } from 'node:crypto';
import type { Sender } from '../../src/channels/channels.ts';
import { storeMessages } from '../../src/messages/messages.store.ts';
import type { Channel } from '../../src/preferences/preferences.rules.ts';
import { choose } from './group.ts';
import type { World } from './world.ts';

const DAY_MS = 24 * 3_600_000;

/** Stores so many messages that can be sent at once to a person, of a type that has no limit. */
export async function storeDue(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  channel: Channel,
  count: number,
): Promise<void> {
  const user_id = `user-${randomUUID()}`;
  const email = `${user_id}@example.com`;
  await choose({ db }, { user_id, member_id: randomUUID(), email, phone: '+237670000000' }, {});
  const about = { user_id, channel, member_id: null, association_id: null, facts: {} };
  const state = {
    type: 'distribution_paid',
    status: 'waiting',
    reason: null,
    to_address: null,
    subject: null,
  } as const;
  const created_at = clock.now;
  const times = {
    created_at,
    occurred_at: created_at,
    not_before: created_at,
    expires_at: new Date(created_at.getTime() + DAY_MS),
  };
  const messages = Array.from({ length: count }, () => {
    const message_id = randomUUID();
    return { message_id, occasion_key: `distribution_paid:${message_id}`, ...about, ...state, ...times };
  });
  await storeMessages(db, messages);
}

/** Returns how many messages have each status. */
export async function countStatuses({ db }: Pick<World, 'db'>, channel: Channel): Promise<Record<string, number>> {
  const rows = await db.rows<{ status: string; count: number }>(
    'SELECT status, count(*)::integer AS count FROM messages WHERE channel = $1 GROUP BY status',
    [channel],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

export interface TestSender extends Sender {
  /** The ids of the messages that it has taken, in order. */
  readonly taken: string[];
}

/** Returns a sender that takes each message at once, and answers after a wait. */
export function senderWith(wait: (taken: readonly string[]) => Promise<void>): TestSender {
  const taken: string[] = [];
  return {
    taken,
    async send({ message_id, handOver }) {
      if (!(await handOver())) return { kind: 'retry', isChannelDown: false, cause: 'lease ended' };
      taken.push(message_id);
      await wait(taken);
      return { kind: 'sent' };
    },
    close: () => undefined,
  };
}
