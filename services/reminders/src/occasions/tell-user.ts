import { implementCommand } from '@association-service/contracts/moleculer';
import { tell } from '../contracts.ts';
import { NEWS_LIFE_MS } from '../messages/messages.rules.ts';
import type { Parts } from '../parts.ts';
import { storeOccasion } from './occasions.store.ts';

/** Stores what another service wants to tell a user. A repeat with the same id changes nothing. */
export const tellUser = ({ db, clock, newId, reached }: Pick<Parts, 'db' | 'clock' | 'newId' | 'reached'>) =>
  implementCommand(tell, async ({ notice_id, user_id, association_id, kind, url_host }) => {
    const now = clock();
    await storeOccasion(db, {
      occasion_id: newId(),
      key: `${kind}:${notice_id}`,
      type: kind,
      association_id,
      meeting_id: null,
      member_id: null,
      user_id,
      facts: { url_host },
      due_at: now,
      expires_at: new Date(now.getTime() + NEWS_LIFE_MS),
    });
    await reached('reminders.told');
    return {};
  });
