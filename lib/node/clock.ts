/** Returns the current instant. Domain rules get instants from it, never from the system. */
export type Clock = () => Date;
