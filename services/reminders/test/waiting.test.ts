import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startTestServers, type TestServers } from '@association-service/contracts/testing';
import { readOldestAgeSeconds } from '../src/upkeep.ts';
import { choose, foundGroup, type GroupOfThree } from './harness/group.ts';
import { startMailServer, type MailServer } from './harness/outbox.ts';
import { event, openWorld, type World } from './harness/world.ts';

/** Operators must see for how long something waits that should have been handled, also while it is tried again and again. */
describe('the age of what waits', () => {
  let servers: TestServers;
  let mail: MailServer;
  let world: World;
  let group: GroupOfThree;

  before(async () => {
    [servers, mail] = await Promise.all([startTestServers(), startMailServer()]);
  });
  after(() => Promise.all([servers.stop(), mail.stop()]));
  after(() => world.close());
  beforeEach(async () => {
    await world?.close();
    mail.rules = {};
    const channels = { smtp: { url: mail.url, from: 'no-reply@tontine.example' }, sms: undefined };
    world = await openWorld({ url: await servers.createDatabase(), channels });
    group = await foundGroup(world);
    await group.schedule(world, '2026-10-05', group.chidi);
    await world.run();
  });

  /** Runs the jobs at these times, and returns the age at the end. */
  const ageAt = async (...times: string[]) => {
    for (const time of times) {
      world.clock.now = new Date(time);
      await world.run();
    }
    return readOldestAgeSeconds(world.parts);
  };

  it('is 0 while nothing is due, and once all is handled', async () => {
    assert.equal(await ageAt('2026-10-01T22:59:59Z'), 0);
    assert.equal(await ageAt('2026-10-01T23:00:00Z'), 0);
  });

  it('is that of an occasion whose recipients cannot be found out', async () => {
    world.outside.isAway = true;
    const tries = ['2026-10-01T23:00:00Z', '2026-10-01T23:00:10Z', '2026-10-01T23:01:10Z', '2026-10-01T23:06:10Z'];
    assert.equal(await ageAt(...tries), 370);
    // It is tried again five minutes later at most.
    world.outside.isAway = false;
    assert.equal(await ageAt('2026-10-01T23:11:10Z'), 0);
  });

  it('is that of a message of which it cannot be known whether it still holds', async () => {
    const quiet_hours = { from: '21:00', to: '07:00', time_zone: null };
    for (const person of [group.amina, group.bola]) await choose(world, person, { quiet_hours });
    assert.equal(await ageAt('2026-10-01T23:00:00Z', '2026-10-02T05:59:59Z'), 0);
    world.outside.isAway = true;
    assert.equal(await ageAt('2026-10-02T06:00:00Z', '2026-10-02T06:00:10Z'), 10);
    const asked = world.outside.calls.length;
    assert.equal(await ageAt('2026-10-02T06:00:19Z'), 19);
    assert.equal(world.outside.calls.length, asked);
    world.outside.isAway = false;
    assert.equal(await ageAt('2026-10-02T06:00:30Z'), 0);
  });

  it('is that of a meeting whose occasions cannot be planned', async () => {
    world.outside.isAway = true;
    const data = { meeting_id: randomUUID(), due_on: '2026-12-05' };
    await world.handle(event('meeting.scheduled', randomUUID(), data, world.clock.now));
    assert.equal(await ageAt('2026-09-01T08:02:00Z', '2026-09-01T08:10:00Z'), 600);
    world.outside.isAway = false;
    assert.equal(await ageAt('2026-09-01T08:10:01Z'), 0);
  });

  it('is not that of a message that the mail server has not taken, which is counted as a failed attempt', async () => {
    mail.rules = { refuse_recipient: 451 };
    assert.equal(await ageAt('2026-10-01T23:00:00Z', '2026-10-01T23:00:10Z', '2026-10-01T23:01:00Z'), 0);
    assert.ok(world.counted.includes('failed email'));
  });

  it('ends when it is too late to tell, which is counted', async () => {
    world.outside.isAway = true;
    await ageAt('2026-10-01T23:00:00Z', '2026-10-04T22:59:59Z');
    assert.deepEqual(world.counted, []);
    // From then on, the due of the day is what waits.
    assert.equal(await ageAt('2026-10-04T23:00:00Z', '2026-10-04T23:06:00Z'), 360);
    assert.deepEqual(world.counted.toSorted(), ['dropped due_soon too_late', 'dropped turn_tomorrow too_late']);
    assert.ok(world.logged.some((line) => line.includes('an occasion was dropped') && line.includes('too_late')));
  });
});
