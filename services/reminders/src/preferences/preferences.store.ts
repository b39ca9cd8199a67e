/** The SQL of the tables `preferences` and `addresses`. */
import type { Sql, SqlTransaction } from '@association-service/contracts/subscriber';
import { REMINDER_TYPES, type ReminderType } from '../message-types.rules.ts';
import type { Language } from '../texts/languages.rules.ts';
import { CHANNELS, DEFAULT_PREFERENCES, type Channel, type Preferences } from './preferences.rules.ts';

/** An address, and the code that can confirm it. */
export interface StoredAddress {
  /** As last set. */
  address: string;
  /** The confirmed one; null if none is. */
  in_use: string | null;
  code_id: string | null;
  code_expires_at: Date | null;
  wrong_tries: number;
}

export interface Person {
  preferences: Preferences;
  addresses: Partial<Record<Channel, StoredAddress>>;
}

interface PreferenceRow {
  user_id: string;
  language: Language;
  channels: Channel[] | null;
  types: ReminderType[] | null;
  quiet_from: string | null;
  quiet_to: string | null;
  quiet_zone: string | null;
}

const PREFERENCE_COLUMNS = 'user_id, language, channels, types, quiet_from, quiet_to, quiet_zone';
const ADDRESS_COLUMNS = 'user_id, channel, address, in_use, code_id, code_expires_at, wrong_tries';

function preferencesOf({ language, channels, types, quiet_from, quiet_to, quiet_zone }: PreferenceRow): Preferences {
  const isQuiet = quiet_from !== null && quiet_to !== null;
  const quiet_hours = isQuiet ? { from: quiet_from, to: quiet_to, time_zone: quiet_zone } : null;
  return { language, channels: channels ?? [...CHANNELS], types: types ?? [...REMINDER_TYPES], quiet_hours };
}

/** Returns null for a list of all there are: those who have left out none also get what a later release adds. */
function unlessAll<T extends string>(all: readonly T[], chosen: readonly T[]): readonly T[] | null {
  return all.every((each) => chosen.includes(each)) ? null : chosen;
}

/** Reads what people have chosen; those who have chosen nothing have the defaults. */
export async function readPeople(db: Sql, user_ids: readonly string[]): Promise<Map<string, Person>> {
  const [chosen, addresses] = await Promise.all([
    db.rows<PreferenceRow>(`SELECT ${PREFERENCE_COLUMNS} FROM preferences WHERE user_id = ANY($1)`, [user_ids]),
    db.rows<StoredAddress & { user_id: string; channel: Channel }>(
      `SELECT ${ADDRESS_COLUMNS} FROM addresses WHERE user_id = ANY($1)`,
      [user_ids],
    ),
  ]);
  const people = new Map<string, Person>(
    user_ids.map((user_id) => [user_id, { preferences: DEFAULT_PREFERENCES, addresses: {} }]),
  );
  for (const row of chosen) people.set(row.user_id, { preferences: preferencesOf(row), addresses: {} });
  for (const { user_id, channel, ...address } of addresses) {
    const person = people.get(user_id);
    if (person !== undefined) person.addresses[channel] = address;
  }
  return people;
}

/** Reads what one person has chosen. */
export async function readPerson(db: Sql, user_id: string): Promise<Person> {
  const people = await readPeople(db, [user_id]);
  return people.get(user_id) ?? { preferences: DEFAULT_PREFERENCES, addresses: {} };
}

/** Locks what a person has chosen until the transaction ends: changes of it happen one after another. */
export async function lockPerson(tx: SqlTransaction, user_id: string): Promise<void> {
  const { language } = DEFAULT_PREFERENCES;
  await tx.run('INSERT INTO preferences (user_id, language) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    user_id,
    language,
  ]);
  await lockKnownPerson(tx, user_id);
}

/** Locks what a person has chosen, as lockPerson() does. Who has chosen nothing has nothing to lock. */
export async function lockKnownPerson(tx: SqlTransaction, user_id: string): Promise<void> {
  await tx.run('SELECT 1 FROM preferences WHERE user_id = $1 FOR UPDATE', [user_id]);
}

export async function storePreferences(tx: SqlTransaction, user_id: string, chosen: Preferences): Promise<void> {
  const { language, channels, types, quiet_hours } = chosen;
  await tx.run(
    `UPDATE preferences SET language = $2, channels = $3, types = $4, quiet_from = $5, quiet_to = $6, quiet_zone = $7
     WHERE user_id = $1`,
    [
      user_id,
      language,
      unlessAll(CHANNELS, channels),
      unlessAll(REMINDER_TYPES, types),
      quiet_hours?.from ?? null,
      quiet_hours?.to ?? null,
      quiet_hours?.time_zone ?? null,
    ],
  );
}

export async function storeAddress(
  tx: SqlTransaction,
  user_id: string,
  channel: Channel,
  { address, in_use, code_id, code_expires_at, wrong_tries }: StoredAddress,
): Promise<void> {
  await tx.run(
    `INSERT INTO addresses (${ADDRESS_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (user_id, channel) DO UPDATE SET
       address = excluded.address, in_use = excluded.in_use, code_id = excluded.code_id,
       code_expires_at = excluded.code_expires_at, wrong_tries = excluded.wrong_tries`,
    [user_id, channel, address, in_use, code_id, code_expires_at, wrong_tries],
  );
}

export async function deleteAddress(tx: SqlTransaction, user_id: string, channel: Channel): Promise<void> {
  await tx.run('DELETE FROM addresses WHERE user_id = $1 AND channel = $2', [user_id, channel]);
}
