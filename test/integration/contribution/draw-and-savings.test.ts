import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { getCycle, listCycles, listDues } from '../../../lib/contracts/contribution.ts';
import type { Cycle } from '../../../lib/contracts/contribution.ts';
import { drawOrder } from '../../../services/contribution/cycles/draw.rules.ts';
import { RECOVERING, until, useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

const DRAW_VERIFIER = join(import.meta.dirname, '..', '..', '..', 'examples', 'verify-draw.mjs');

describe('contribution: drawn orders and savings', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  function savings(hands: number[], amount_minor = 10_000, rules = {}) {
    const association_id = world.membership.found({ type: 'savings', contribution_amount_minor: amount_minor }, rules);
    const people = hands.map((count) => world.join(association_id, { hands: count }));
    return { association_id, people, president: people[0]! };
  }

  describe('order `draw`', () => {
    it('draws the hands of the bound members by the seed that it shows', async () => {
      const { association_id, people, president } = world.tontine([1, 3, 2], 2);
      const { body: cycle } = await service.startCycle(president.user_id, association_id, { order: 'draw' });
      expect(cycle.order).to.equal('draw');
      expect(cycle.seed).to.match(/^[0-9a-f]{64}$/);
      expect(cycle.rounds).to.equal(3);
      const members = people.map(({ member_id }, index) => ({ member_id, hands: [1, 3, 2][index] ?? 0 }));
      expect(cycle.hands.map((hand) => hand.member_id)).to.deep.equal(
        drawOrder(Buffer.from(cycle.seed ?? '', 'hex'), members),
      );
      expect(cycle.hands.map((hand) => hand.round)).to.deep.equal([1, 1, 2, 2, 3, 3]);
      const path = { association_id, cycle_id: cycle.id };
      expect((await service.call(getCycle, president.user_id, { path })).body).to.deep.equal(cycle);
      const meetings = await service.meetings(president.user_id, association_id);
      expect(meetings.flatMap((meeting) => meeting.beneficiaries.map((each) => each.hands))).to.satisfy(
        (hands: number[]) => hands.reduce((sum, count) => sum + count, 0) === 6,
      );
    });

    it('is found valid by the stand-alone verifier, from the public answer alone', async () => {
      const { association_id, president } = world.tontine([2, 1, 1]);
      const { body: cycle } = await service.startCycle(president.user_id, association_id, { order: 'draw' });
      const { status, stdout } = spawnSync(process.execPath, [DRAW_VERIFIER], {
        input: JSON.stringify(cycle),
        encoding: 'utf8',
      });
      expect({ status, stdout }).to.deep.equal({
        status: 0,
        stdout: `VALID: 4 hands of 3 members, drawn by ${String(cycle.seed)}\n`,
      });
    });

    it('draws anew for every cycle, and no seed is there before the members are bound', async () => {
      const seeds = new Set<string>();
      for (let round = 0; round < 5; round += 1) {
        const { association_id, president } = world.tontine([1, 1]);
        world.membership.lostBinds.push('before');
        expect((await service.startCycle(president.user_id, association_id, { order: 'draw' })).status).to.equal(503);
        const stored = await world.rows<{ seed: string | null }>('SELECT seed FROM cycles WHERE association_id = $1', [
          association_id,
        ]);
        expect(stored).to.deep.equal([{ seed: null }]);
        let cycles: Cycle[] = [];
        await world.recover('the cycle runs', async () => {
          const query = { limit: 50 };
          cycles = (await service.call(listCycles, president.user_id, { path: { association_id }, query })).body.data;
          return cycles.length === 1;
        });
        seeds.add(cycles[0]?.seed ?? '');
      }
      expect(seeds.size).to.equal(5);
    });

    it('keeps one seed when several processes recover the same start', async () => {
      const { association_id, president } = world.tontine([1, 1, 1, 1, 1]);
      world.membership.lostBinds.push('after');
      expect((await service.startCycle(president.user_id, association_id, { order: 'draw' })).status).to.equal(503);
      const processes = await Promise.all(Array.from({ length: 3 }, () => world.start(RECOVERING)));
      await until(
        'the cycle runs',
        async () => (await service.meetings(president.user_id, association_id)).length === 5,
      );
      await Promise.all(processes.map((each) => each.stop()));
      const query = { limit: 50 };
      const { body } = await service.call(listCycles, president.user_id, { path: { association_id }, query });
      const [cycle] = body.data;
      const members = [...new Set(cycle?.hands.map((hand) => hand.member_id))].map((member_id) => ({
        member_id,
        hands: 1,
      }));
      expect(members).to.have.length(5);
      expect(cycle?.hands.map((hand) => hand.member_id)).to.deep.equal(
        drawOrder(Buffer.from(cycle?.seed ?? '', 'hex'), members),
      );
    });

    it('lets the database refuse a drawn cycle without a seed, and a seed where nothing was drawn', async () => {
      const drawn = world.tontine([1, 1]);
      const joined = world.tontine([1, 1]);
      const { body: draw } = await service.startCycle(drawn.president.user_id, drawn.association_id, { order: 'draw' });
      const { body: join } = await service.startCycle(joined.president.user_id, joined.association_id);
      const set = (seed: string, id: string) => world.rows(`UPDATE cycles SET seed = ${seed} WHERE id = $1`, [id]);
      const refused = (attempt: Promise<unknown>) =>
        attempt.then(
          () => 'not refused',
          (error: unknown) => (error as { constraint: string }).constraint,
        );
      expect(await refused(set('NULL', draw.id))).to.equal('cycles_seed_of_running_draw');
      expect(await refused(set(`'${'0'.repeat(64)}'`, join.id))).to.equal('cycles_seed_of_running_draw');
      expect(await refused(set(`'${'G'.repeat(64)}'`, draw.id))).to.equal('cycles_seed_hex');
    });
  });

  describe('savings', () => {
    it('get as many rounds as asked for, and no turns', async () => {
      const { association_id, people, president } = savings([1, 2], 10_000, { beneficiaries_per_meeting: 2 });
      const reply = await service.startSavings(president.user_id, association_id, { rounds: 3 });
      expect(reply.status).to.equal(201);
      expect(reply.body).to.deep.include({ order: null, seed: null, hands: [], rounds: 3, status: 'running' });
      const meetings = await service.meetings(president.user_id, association_id);
      expect(meetings.map((meeting) => [meeting.round, meeting.due_on])).to.deep.equal([
        [1, '2026-03-10'],
        [2, '2026-04-10'],
        [3, '2026-05-10'],
      ]);
      for (const meeting of meetings) {
        expect(meeting).to.deep.include({ expected_amount: 30_000, beneficiaries: [] });
      }
      const path = { association_id, meeting_id: meetings[0]!.id };
      const { body } = await service.call(listDues, president.user_id, { path, query: { limit: 50 } });
      expect(body.data.map((due) => [due.member_id, due.due])).to.deep.equal([
        [people[0]?.member_id, 10_000],
        [people[1]?.member_id, 20_000],
      ]);
      expect((await world.events(association_id))[0]?.data).to.deep.include({ number: 1, rounds: 3 });
    });

    it('take rounds and no order, as a tontine takes an order and no rounds', async () => {
      const tontine = world.tontine([1, 1]);
      const { association_id, people, president } = savings([1, 1]);
      const member_order = people.map((person) => person.member_id);
      const cases: [Person & { association_id: string }, object, string[]][] = [
        [{ ...president, association_id }, {}, ['/rounds required']],
        [{ ...president, association_id }, { rounds: 2, order: 'join' }, ['/order not_allowed']],
        [{ ...president, association_id }, { order: 'draw' }, ['/order not_allowed', '/rounds required']],
        [{ ...president, association_id }, { rounds: 2, member_order }, ['/member_order not_allowed']],
        [
          { ...president, association_id },
          { rounds: 2, order: 'manual', member_order },
          ['/order not_allowed', '/member_order not_allowed'],
        ],
        [{ ...tontine.president, ...tontine }, {}, ['/order required']],
        [{ ...tontine.president, ...tontine }, { rounds: 2 }, ['/order required', '/rounds not_allowed']],
        [{ ...tontine.president, ...tontine }, { order: 'join', rounds: 2 }, ['/rounds not_allowed']],
        [{ ...tontine.president, ...tontine }, { order: 'draw', member_order }, ['/member_order not_allowed']],
      ];
      for (const [by, body, complaints] of cases) {
        const reply = await service.startSavings(by.user_id, by.association_id, body);
        expect(reply.code, JSON.stringify(body)).to.equal('validation_failed');
        const errors = reply.extras.errors as { pointer: string; code: string }[];
        expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).to.deep.equal(complaints);
      }
      for (const rounds of [0, 367, 1.5]) {
        const reply = await service.startSavings(president.user_id, association_id, { rounds });
        expect(reply.status, String(rounds)).to.be.within(400, 422);
      }
      const cycles = 'SELECT id FROM cycles WHERE association_id = $1';
      expect(await world.rows(cycles, [association_id])).to.deep.equal([]);
      expect((await service.startSavings(president.user_id, association_id, { rounds: 366 })).body.rounds).to.equal(
        366,
      );
    });

    it('are refused with fewer than two hands, and where the treasury could not hold them', async () => {
      const alone = savings([1]);
      const start = (group: typeof alone, rounds: number) =>
        service.startSavings(group.president.user_id, group.association_id, { rounds });
      expect((await start(alone, 3)).code).to.equal('not_enough_members');
      expect(world.membership.boundTo(alone.association_id)).to.equal(undefined);
      // 2^53 − 1 = 9 007 199 254 740 991: nine rounds of 999 999 999 999 998 fit, ten do not.
      const rich = savings([1, 1], 499_999_999_999_999);
      expect((await start(rich, 10)).code).to.equal('balance_limit_exceeded');
      expect((await start(rich, 9)).status).to.equal(201);
    });
  });
});
