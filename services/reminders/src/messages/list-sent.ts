import { implement, listName, pageThrough, type Cursors } from '@association-service/contracts/moleculer';
import { listSent } from '../contracts.ts';
import type { Parts } from '../parts.ts';
import { readDone } from './messages.store.ts';
import { sentView } from './sent.view.ts';

export const listSentToCaller = ({ db, cursors }: Pick<Parts, 'db'> & { cursors: Cursors }) =>
  implement(listSent, async ({ query }, { user_id }) =>
    pageThrough(
      cursors,
      listName(`/me/notifications/sent#${user_id}`, query),
      query,
      (after, limit) => readDone(db, user_id, after, limit),
      ({ position, message_id }) => [position, message_id],
      sentView,
    ),
  );
