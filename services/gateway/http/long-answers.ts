import { problem } from '../../../lib/errors/problem.ts';
import type { Request } from './request.ts';

/** An app may ask for those of several associations, or in several formats, at the same time. */
const OF_USER_MAX = 8;

/** Each waits for one call at a time, so that four fifths of CALLS_MAX (160) are left for others while no disk hangs. */
const ALL_MAX = 32;

/** After a refusal. An export of 10 000 transfers takes a few seconds. */
const RETRY_AFTER_S = 5;

/** An answer of so many lines takes the services about as long as a usual request does. */
const LINES_OF_A_REQUEST = 50;

/** The exports and statements that are being made. One takes as much work as hundreds of other requests. */
export interface LongAnswers {
  /**
   * Makes one.
   * @throws rate_limited while the user has the maximum number of them; overloaded while the gateway has
   */
  make(user_id: string, work: () => Promise<void>): Promise<void>;
}

export function limitLongAnswers(): LongAnswers {
  const ofUser = new Map<string, number>();
  let all = 0;
  return {
    async make(user_id, work) {
      const own = ofUser.get(user_id) ?? 0;
      if (own >= OF_USER_MAX) throw problem('rate_limited', { retry_after_s: RETRY_AFTER_S });
      if (all >= ALL_MAX) throw problem('overloaded');
      all += 1;
      ofUser.set(user_id, own + 1);
      try {
        await work();
      } finally {
        all -= 1;
        const left = (ofUser.get(user_id) ?? 1) - 1;
        if (left === 0) ofUser.delete(user_id);
        else ofUser.set(user_id, left);
      }
    },
  };
}

/** Counts what a long answer takes beyond a usual request for the rate limit of its user. */
export function spendLines({ $spend }: Pick<Request, '$spend'>, lines: number): void {
  $spend?.(Math.floor(lines / LINES_OF_A_REQUEST));
}
