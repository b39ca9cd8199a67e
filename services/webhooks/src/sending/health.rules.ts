/** When an endpoint counts as failing, and when it is disabled. */
import { FAILING_MAX_MS } from '../limits.rules.ts';
import type { OwnFault } from '../states.rules.ts';

export interface Health {
  /** The first failure since the last success. */
  failing_since: Date | null;
}

/** What the attempts of one moment say about an endpoint. */
export interface Signs {
  succeeded: boolean;
  /** Whether it has answered 410. */
  isGone: boolean;
}

export interface Verdict extends Health {
  disable: OwnFault | undefined;
}

/** Decides on an endpoint after attempts. One success among them is enough to count as working, but not after a 410. */
export function healthAfter({ failing_since }: Health, { succeeded, isGone }: Signs, now: Date): Verdict {
  if (isGone) return { failing_since: failing_since ?? now, disable: 'gone' };
  if (succeeded) return { failing_since: null, disable: undefined };
  const since = failing_since ?? now;
  const isTooLong = now.getTime() - since.getTime() >= FAILING_MAX_MS;
  return { failing_since: since, disable: isTooLong ? 'failing' : undefined };
}
