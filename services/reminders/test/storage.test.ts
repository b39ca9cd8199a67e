import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startTestServers, type TestServers } from '@association-service/contracts/testing';
import { REMINDER_TYPES } from '../src/message-types.rules.ts';
import { DONE_STATES } from '../src/messages/message-states.rules.ts';
import { CHANNELS } from '../src/preferences/preferences.rules.ts';
import { readPerson } from '../src/preferences/preferences.store.ts';
import { prune } from '../src/upkeep.ts';
import { choose, foundGroup, type GroupOfThree } from './harness/group.ts';
import { event, openWorld, type World } from './harness/world.ts';

describe('what is stored', () => {
  let servers: TestServers;
  let world: World;
  let group: GroupOfThree;

  before(async () => {
    servers = await startTestServers();
  });
  after(() => servers.stop());
  after(() => world.close());
  beforeEach(async () => {
    await world?.close();
    world = await openWorld({ url: await servers.createDatabase() });
    group = await foundGroup(world);
  });

  const chosen = async (user_id: string) => {
    const [row] = await world.db.rows('SELECT types, channels FROM preferences WHERE user_id = $1', [user_id]);
    const { preferences } = await readPerson(world.db, user_id);
    return { row, types: preferences.types, channels: preferences.channels };
  };

  it('of a person who has left out no type and no channel is no list, so that they get those of later releases', async () => {
    const { amina } = group;
    const all = { types: [...REMINDER_TYPES], channels: [...CHANNELS] };
    const unchosen = { row: { types: null, channels: null }, ...all };
    assert.deepEqual(await chosen(amina.user_id), unchosen);
    await choose(world, amina, { types: ['pot_paid'], channels: ['sms'] });
    const some = { types: ['pot_paid'], channels: ['sms'] };
    assert.deepEqual(await chosen(amina.user_id), { row: some, ...some });
    await choose(world, amina, { types: [], channels: [] });
    const none = { types: [], channels: [] };
    assert.deepEqual(await chosen(amina.user_id), { row: none, ...none });
    // As clients do that send back what they have read.
    await choose(world, amina, all);
    assert.deepEqual(await chosen(amina.user_id), unchosen);
  });

  it('of members who have left is deleted a year later', async () => {
    const { association_id, amina, bola, chidi } = group;
    const at = (day: string) => new Date(`${day}T12:00:00Z`);
    await world.handle(
      event('member.left', association_id, { ...amina }, at('2026-09-10')),
      event('member.expelled', association_id, { ...bola }, at('2026-09-20')),
    );
    const members = async (day: string) => {
      world.clock.now = at(day);
      await prune(world.parts, new AbortController().signal);
      const rows = await world.db.rows<{ user_id: string }>('SELECT user_id FROM members ORDER BY user_id');
      return rows.map(({ user_id }) => user_id);
    };
    assert.deepEqual(await members('2027-09-10'), [amina.user_id, bola.user_id, chidi.user_id]);
    assert.deepEqual(await members('2027-09-11'), [bola.user_id, chidi.user_id]);
    assert.deepEqual(await members('2030-01-01'), [chidi.user_id]);
  });

  it('of messages has the states that the service knows, and an index of those that are done', async () => {
    const literals = (text: string | undefined) => [...(text ?? '').matchAll(/'(\w+)'/g)].map(([, word]) => word);
    const [check] = await world.db.rows<{ text: string }>(
      `SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conname = 'messages_status_check'`,
    );
    assert.deepEqual(literals(check?.text), ['waiting', 'sending', ...DONE_STATES]);
    const [index] = await world.db.rows<{ text: string }>(
      `SELECT indexdef AS text FROM pg_indexes WHERE indexname = 'messages_done_of_user'`,
    );
    assert.deepEqual(literals(index?.text), [...DONE_STATES]);
  });
});
