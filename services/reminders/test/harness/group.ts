/** A savings group of three people whose days a test lives through. */
import { randomUUID } from 'node:crypto';
import type { AnyEvent } from '@association-service/contracts';
import type { MeetingPage } from '../../src/outside.ts';
import type { Preferences } from '../../src/preferences/preferences.rules.ts';
import { DEFAULT_PREFERENCES } from '../../src/preferences/preferences.rules.ts';
import { lockPerson, storeAddress, storePreferences } from '../../src/preferences/preferences.store.ts';
import { event, type World } from './world.ts';

export interface Person {
  user_id: string;
  member_id: string;
  email: string | null;
  phone: string | null;
}

export interface GroupOfThree {
  association_id: string;
  /** Amina reads English mails, Bola French ones and SMS, Chidi nothing. */
  amina: Person;
  bola: Person;
  chidi: Person;
  /** Announces a meeting, for which everyone owes 10 000. */
  schedule(world: World, due_on: string, beneficiary?: Person): Promise<string>;
  /** What of a meeting other services answer. */
  page(world: World, meeting_id: string): MeetingPage;
  pay(world: World, meeting_id: string, ...payers: Person[]): void;
}

const CONTRIBUTION_MINOR = 10_000;

/** Stores what a person has chosen, with confirmed addresses. */
export async function choose(
  { db }: Pick<World, 'db'>,
  { user_id, email, phone }: Person,
  chosen: Partial<Preferences>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPerson(tx, user_id);
    await storePreferences(tx, user_id, { ...DEFAULT_PREFERENCES, ...chosen });
    const settled = { code_id: null, code_expires_at: null, wrong_tries: 0 };
    if (email !== null) await storeAddress(tx, user_id, 'email', { address: email, in_use: email, ...settled });
    if (phone !== null) await storeAddress(tx, user_id, 'sms', { address: phone, in_use: phone, ...settled });
  });
}

/** Founds the group, in the time zone of Douala (UTC+1). */
export async function foundGroup(world: World, name = 'Njangi of Bonamoussadi'): Promise<GroupOfThree> {
  const association_id = randomUUID();
  const person = (user: string, email: string | null, phone: string | null): Person => ({
    user_id: `${user}-${randomUUID().slice(0, 8)}`,
    member_id: randomUUID(),
    email,
    phone,
  });
  const amina = person('amina', `amina-${randomUUID().slice(0, 8)}@example.com`, null);
  const bola = person('bola', `bola-${randomUUID().slice(0, 8)}@example.com`, `+2376${digits(8)}`);
  const chidi = person('chidi', null, null);
  const everyone = [amina, bola, chidi];
  const at = world.clock.now;
  const joined = ({ user_id, member_id }: Person): AnyEvent =>
    event('member.joined', association_id, { user_id, member_id }, at);
  await world.handle(
    event('association.created', association_id, { name, currency: 'XAF', time_zone: 'Africa/Douala' }, at),
    ...everyone.map(joined),
  );
  await choose(world, amina, {});
  await choose(world, bola, { language: 'fr' });
  const group: GroupOfThree = {
    association_id,
    amina,
    bola,
    chidi,
    async schedule(of, due_on, beneficiary = amina) {
      const meeting_id = randomUUID();
      of.outside.meetings.set(meeting_id, [
        {
          meeting_id,
          cycle_id: null,
          round: 1,
          title: null,
          due_on,
          status: 'open',
          currency: 'XAF',
          dues: everyone.map(({ member_id }) => ({
            member_id,
            outstanding_minor: CONTRIBUTION_MINOR,
            arrears_minor: 0,
          })),
          beneficiaries: [{ member_id: beneficiary.member_id, expected_minor: 3 * CONTRIBUTION_MINOR }],
          payouts: [],
          next_member_id: null,
        },
      ]);
      await of.handle(event('meeting.scheduled', association_id, { meeting_id, due_on }, of.clock.now));
      return meeting_id;
    },
    page: (of, meeting_id) => {
      const page = of.outside.meetings.get(meeting_id)?.[0];
      if (page === undefined) throw new Error('no such meeting');
      return page;
    },
    pay(of, meeting_id, ...payers) {
      for (const due of group.page(of, meeting_id).dues) {
        if (payers.some(({ member_id }) => member_id === due.member_id)) due.outstanding_minor = 0;
      }
    },
  };
  return group;
}

const digits = (count: number) => Array.from({ length: count }, () => String(Math.floor(Math.random() * 10))).join('');
