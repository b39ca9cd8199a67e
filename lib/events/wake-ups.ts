import type { Logger } from 'moleculer';
import { faultOf } from '../node/log.ts';
import type { Bus } from './bus.ts';

/** Core NATS, not the stream: a word that is lost costs a moment, not an event. */
const SUBJECT_PREFIX = 'outbox.wake';

/** Words between the relays of one outbox, in whichever processes they are: there are events to be read. */
export interface WakeUps {
  /** Says so to the others, soon. Never throws: whoever has committed has done his part. */
  send(): void;
  stop(): void;
}

interface WakeUpOptions {
  /** What the outbox's relays know it by: the service's name. */
  outbox: string;
  /** However often send() is called, a word leaves at most so often, and one leaves after the last call. */
  gather_ms: number;
  /** Called for each word, also for one's own. */
  woken: () => void;
  log: Logger;
}

/**
 * Hears the words about an outbox, and says them.
 * @throws when the connection was closed for good
 */
export function openWakeUps({ connection }: Bus, { outbox, gather_ms, woken, log }: WakeUpOptions): WakeUps {
  const subject = `${SUBJECT_PREFIX}.${outbox}`;
  const subscription = connection.subscribe(subject, {
    callback: (error) => {
      if (error === null) woken();
      else log.error('relay: hears no other process', { subject, ...faultOf(error) });
    },
  });
  let pause: NodeJS.Timeout | undefined;
  let isAsked = false;
  let isStopped = false;
  const say = (): void => {
    isAsked = false;
    if (!connection.isClosed() && !connection.isDraining()) connection.publish(subject);
  };
  const send = (): void => {
    isAsked = true;
    if (pause !== undefined || isStopped) return;
    say();
    pause = setTimeout(() => {
      pause = undefined;
      if (isAsked) send();
    }, gather_ms);
  };
  const stop = (): void => {
    isStopped = true;
    clearTimeout(pause);
    if (isAsked) say();
    subscription.unsubscribe();
  };
  return { send, stop };
}
