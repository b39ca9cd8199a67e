/** Messages of which it is not known whether they were sent. */
import type { Parts } from '../parts.ts';
import { recoverAbandoned, type HeldMessage } from './sending.store.ts';

/** Ends the attempts of processes that no longer run. */
export async function recoverMessages(parts: Pick<Parts, 'db' | 'log' | 'meter'>): Promise<void> {
  for (const { message_id, type, channel, status } of await recoverAbandoned(parts.db)) {
    if (status === 'unknown') reportUnknown(parts, { message_id, type, channel }, 'the process ended');
  }
}

/** An operator can look for it in the log of the mail server, by the Message-ID that has the message's id. */
export function reportUnknown(
  { log, meter }: Pick<Parts, 'log' | 'meter'>,
  { message_id, type, channel }: Pick<HeldMessage, 'message_id' | 'type' | 'channel'>,
  cause: string,
): void {
  meter.done(type, channel, 'unknown', 'no_answer');
  log.warn('reminders: it is unknown whether a message was sent, and it is not sent again', {
    message_id,
    type,
    channel,
    cause,
  });
}
