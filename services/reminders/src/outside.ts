/** What the service reads of other services: only public actions, in its own name. */
import { contribution, governance, membership, problemCode, type Answer } from '@association-service/contracts';
import { call, type CanCall } from '@association-service/contracts/moleculer';

/** One page of what a meeting means for its members. */
export type MeetingPage = Answer<typeof contribution.meetingSummary>;
export type WaitingVotes = Answer<typeof governance.waitingVotes>;
export type Roster = Answer<typeof membership.roster>;

/** Each function returns undefined if there is no such thing, and throws if the service cannot be reached. */
export interface Outside {
  roster(association_id: string): Promise<Roster | undefined>;
  meetingPage(
    association_id: string,
    meeting_id: string,
    after_member_id: string | null,
  ): Promise<MeetingPage | undefined>;
  waitingVotes(association_id: string, approval_id: string): Promise<WaitingVotes | undefined>;
}

export function outsideBy(via: CanCall): Outside {
  return {
    roster: (association_id) => orUndefined(call(via, membership.roster, { association_id })),
    meetingPage: (association_id, meeting_id, after_member_id) =>
      orUndefined(
        call(via, contribution.meetingSummary, {
          association_id,
          meeting_id,
          ...(after_member_id === null ? {} : { after_member_id }),
        }),
      ),
    waitingVotes: (association_id, approval_id) =>
      orUndefined(call(via, governance.waitingVotes, { association_id, approval_id })),
  };
}

async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (problemCode(error) === 'not_found') return undefined;
    throw error;
  }
}
