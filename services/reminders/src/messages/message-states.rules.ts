/** The states in which a message is done: its person sees it, and it is deleted when it is old. In others it may still be sent. */
export const DONE_STATES = ['sent', 'skipped', 'failed', 'unknown'] as const;
export type DoneState = (typeof DONE_STATES)[number];

/** As SQL literals: with parameters, PostgreSQL could not use the index of messages that are done. */
export const DONE = DONE_STATES.map((state) => `'${state}'`).join(', ');
