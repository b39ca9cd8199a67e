import type { Bus } from './bus.ts';

/** Core NATS, not the stream: a word that is lost costs a moment, not an event. */
const SUBJECT_PREFIX = 'outbox.wake';

/** Words between the relays of one outbox, in whichever processes they are: there are events to be read. */
export interface WakeUps {
  /** Says so to the others, soon. Never throws: whoever has committed has done his part. */
  send(): void;
  stop(): void;
}

/**
 * @param outbox what its relays know it by: the service's name
 * @param gather_ms however often send() is called, a word leaves at most so often, and one leaves after the last call
 * @param woken called for each word, also for one's own
 */
export function openWakeUps({ connection }: Bus, outbox: string, gather_ms: number, woken: () => void): WakeUps {
  const subject = `${SUBJECT_PREFIX}.${outbox}`;
  const subscription = connection.subscribe(subject, { callback: (error) => (error === null ? woken() : undefined) });
  let pause: NodeJS.Timeout | undefined;
  let isAsked = false;
  const send = (): void => {
    if (pause !== undefined) {
      isAsked = true;
      return;
    }
    isAsked = false;
    if (!connection.isClosed() && !connection.isDraining()) connection.publish(subject);
    pause = setTimeout(() => {
      pause = undefined;
      if (isAsked) send();
    }, gather_ms);
  };
  const stop = (): void => {
    clearTimeout(pause);
    subscription.unsubscribe();
  };
  return { send, stop };
}
