import { faultOf } from '../errors/fault.ts';
import type { Log } from '../node/logger.ts';
import type { Bus } from './bus.ts';

/**
 * Returns the subject of an outbox's notifications. They are sent over core NATS, not the stream: a lost one only delays
 * events until the next poll.
 */
export function notificationSubject(outbox: string): string {
  return `outbox.wake.${outbox}`;
}

/** Notifies the relays of one outbox, in all processes, of new events. */
export interface Notifications {
  /** Never throws: the events are committed, and a poll finds them. */
  send(): void;
  stop(): void;
}

interface NotificationOptions {
  /** The service's name. */
  outbox: string;
  /** At most one notification is sent in this time, regardless of the number of calls. One is sent after the last call. */
  interval_ms: number;
  /** Called for each notification, including those of this process. */
  onNotification: () => void;
  log: Log;
}

/**
 * Subscribes to an outbox's notifications.
 * @throws NatsError if the connection was closed permanently
 */
export function openNotifications(
  { connection }: Bus,
  { outbox, interval_ms, onNotification, log }: NotificationOptions,
): Notifications {
  const subject = notificationSubject(outbox);
  const subscription = connection.subscribe(subject, {
    callback: (error) => {
      if (error === null) onNotification();
      else log.error('relay: no notifications from other processes', { subject, ...faultOf(error) });
    },
  });
  let pause: NodeJS.Timeout | undefined;
  let isWanted = false;
  let isStopped = false;
  const publish = (): void => {
    isWanted = false;
    if (!connection.isClosed() && !connection.isDraining()) connection.publish(subject);
  };
  const send = (): void => {
    isWanted = true;
    if (pause !== undefined || isStopped) return;
    publish();
    pause = setTimeout(() => {
      pause = undefined;
      if (isWanted) send();
    }, interval_ms);
  };
  const stop = (): void => {
    isStopped = true;
    clearTimeout(pause);
    if (isWanted) publish();
    subscription.unsubscribe();
  };
  return { send, stop };
}
