import { implement } from '@association-service/contracts/moleculer';
import { getPreferences } from '../contracts.ts';
import type { Parts } from '../parts.ts';
import { readPerson } from './preferences.store.ts';
import { preferencesView } from './preferences.view.ts';

export const readOwnPreferences = ({ db }: Pick<Parts, 'db'>) =>
  implement(getPreferences, async (_input, { user_id }) => preferencesView(await readPerson(db, user_id)));
