import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { getCycle, listCycles, startCycle, type Cycle } from '../../../lib/contracts/contribution.ts';
import { bindCycle } from '../../../lib/contracts/membership.ts';
import { RECOVERING, TODAY, useContribution, type Group } from '../../harness/contribution.ts';
import { eventually } from '../../harness/eventually.ts';
import { atOnce, outcomeOf, refusalOf } from '../../harness/refusal.ts';

const DRAW_VERIFIER = join(import.meta.dirname, '..', '..', '..', 'examples', 'verify-draw.mjs');

describe('contribution: drawn orders and savings', () => {
  const harness = useContribution();
  const { membership } = harness;

  const savings = (hands: number[], amount_minor = 10_000) =>
    harness.group(
      hands,
      { type: 'savings', contribution_amount_minor: amount_minor },
      // Savings cycles ignore this rule: they have no beneficiaries.
      { beneficiaries_per_meeting: 2 },
    );
  const draw = (group: Group) => harness.startCycle(group, { order: 'draw' });
  const onlyCycle = async ({ association_id, president }: Group): Promise<Cycle> => {
    const { data } = await harness.as(president.user_id, listCycles, {
      path: { association_id },
      query: { limit: 50 },
    });
    expect(data).to.have.length(1);
    return data[0]!;
  };
  /** Checks a drawn cycle with the public verifier, which sees only what the API answers. */
  const expectValid = (cycle: Cycle, hands: string) => {
    const { stdout } = spawnSync(process.execPath, [DRAW_VERIFIER], { input: JSON.stringify(cycle), encoding: 'utf8' });
    expect(stdout).to.equal(`VALID: ${hands}, drawn by ${cycle.seed!}\n`);
  };

  describe('order `draw`', () => {
    it('orders the hands of the bound members by the published seed', async () => {
      const hands = [1, 3, 2];
      const group = harness.group(hands, {}, { beneficiaries_per_meeting: 2 });
      const cycle = await draw(group);
      expect(cycle).to.include({ order: 'draw', rounds: 3 });
      expectValid(cycle, '6 hands of 3 members');
      const bound = group.people.flatMap(({ member_id }, index) => Array<string>(hands[index]!).fill(member_id));
      expect(cycle.hands.map((hand) => hand.member_id)).to.have.members(bound);
      const path = { association_id: group.association_id, cycle_id: cycle.id };
      expect(await harness.as(group.president.user_id, getCycle, { path })).to.deep.equal(cycle);
    });

    it('draws a new seed for every cycle, and only after the members are bound', async () => {
      const seeds = new Set<string>();
      for (let run = 0; run < 5; run += 1) {
        const group = harness.group([1, 1]);
        membership.next(bindCycle, 'request_lost');
        expect(await outcomeOf(draw(group))).to.equal('outcome_unknown');
        const stored = await harness.sql('SELECT seed FROM cycles WHERE association_id = $1', group.association_id);
        expect(stored).to.deep.equal([{ seed: null }]);
        await harness.recover(() => onlyCycle(group));
        seeds.add((await onlyCycle(group)).seed!);
      }
      expect(seeds.size).to.equal(5);
    });

    it('draws only one seed when several processes recover the same start', async () => {
      const group = harness.group([1, 1, 1, 1, 1]);
      membership.next(bindCycle, 'answer_lost');
      expect(await outcomeOf(draw(group))).to.equal('outcome_unknown');
      const processes = await Promise.all(atOnce(3, () => harness.startProcess(RECOVERING)));
      const cycle = await eventually(() => onlyCycle(group));
      await Promise.all(processes.map((each) => each.stop()));
      expect(await onlyCycle(group)).to.deep.equal(cycle);
      expectValid(cycle, '5 hands of 5 members');
    });

    it('is guarded by the database: a drawn cycle needs a hexadecimal seed, and other cycles must not have a seed', async () => {
      const drawn = await draw(harness.group([1, 1]));
      const joined = await harness.startCycle(harness.group([1, 1]));
      for (const [id, seed, constraint] of [
        [drawn.id, null, 'cycles_seed_of_running_draw'],
        [joined.id, '0'.repeat(64), 'cycles_seed_of_running_draw'],
        [drawn.id, 'G'.repeat(64), 'cycles_seed_hex'],
      ]) {
        const update = harness.sql('UPDATE cycles SET seed = $1 WHERE id = $2', seed, id);
        expect(await outcomeOf(update)).to.equal(constraint);
      }
    });
  });

  describe('savings cycles', () => {
    it('have the requested number of rounds and no beneficiaries', async () => {
      const group = savings([1, 2]);
      const cycle = await harness.startCycle(group, { rounds: 3 });
      expect(cycle).to.deep.include({ order: null, seed: null, hands: [], rounds: 3, status: 'running' });
      const meetings = await harness.meetings(group);
      expect(meetings.map((meeting) => [meeting.round, meeting.due_on])).to.deep.equal([
        [1, '2026-03-10'],
        [2, '2026-04-10'],
        [3, '2026-05-10'],
      ]);
      for (const meeting of meetings) {
        expect(meeting).to.deep.include({ expected_amount: 30_000, beneficiaries: [] });
      }
      const dues = await harness.dues(group.president, meetings[0]!);
      const members = group.people.map(({ member_id }) => member_id);
      expect(dues.map(({ member_id, due }) => [member_id, due])).to.deep.equal([
        [members[0], 10_000],
        [members[1], 20_000],
      ]);
      const [started] = await harness.events(group.association_id, 'cycle.started');
      expect(started!.data).to.deep.include({ number: 1, rounds: 3 });
    });

    it('require `rounds` and reject `order`, while a tontine requires `order` and rejects `rounds`', async () => {
      const tontine = harness.group([1, 1]);
      const group = savings([1, 1]);
      const member_order = group.people.map((person) => person.member_id);
      const start = ({ association_id, president }: Group, given: object) =>
        harness.as(president.user_id, startCycle, { path: { association_id }, body: { starts_on: TODAY, ...given } });
      const cases: [Group, given: object, errors: string[]][] = [
        [group, {}, ['/rounds required']],
        [group, { rounds: 2, order: 'join' }, ['/order not_allowed']],
        [group, { order: 'draw' }, ['/order not_allowed', '/rounds required']],
        [group, { rounds: 2, member_order }, ['/member_order not_allowed']],
        [group, { rounds: 2, order: 'manual', member_order }, ['/order not_allowed', '/member_order not_allowed']],
        [tontine, {}, ['/order required']],
        [tontine, { rounds: 2 }, ['/order required', '/rounds not_allowed']],
        [tontine, { order: 'join', rounds: 2 }, ['/rounds not_allowed']],
        [tontine, { order: 'draw', member_order }, ['/member_order not_allowed']],
      ];
      for (const [by, given, wanted] of cases) {
        const { code, extras } = await refusalOf(start(by, given));
        expect(code, JSON.stringify(given)).to.equal('validation_failed');
        const errors = extras['errors'] as { pointer: string; code: string }[];
        expect(errors.map((error) => `${error.pointer} ${error.code}`)).to.deep.equal(wanted);
      }
      for (const rounds of [0, 367, 1.5]) {
        expect(await outcomeOf(start(group, { rounds })), String(rounds)).to.equal('VALIDATION_ERROR');
      }
      expect(await harness.cycleStatuses(group.association_id)).to.deep.equal([]);
      expect((await start(group, { rounds: 366 })).rounds).to.equal(366);
    });

    it('are refused with fewer than two hands, or when the savings could exceed the largest balance', async () => {
      const alone = savings([1]);
      expect(await outcomeOf(harness.startCycle(alone, { rounds: 3 }))).to.equal('not_enough_members');
      expect(membership.boundTo(alone.association_id)).to.equal(undefined);
      // 2^53 − 1 = 9 007 199 254 740 991: nine rounds of 999 999 999 999 998 fit, ten do not.
      const rich = savings([1, 1], 499_999_999_999_999);
      expect(await outcomeOf(harness.startCycle(rich, { rounds: 10 }))).to.equal('balance_limit_exceeded');
      expect((await harness.startCycle(rich, { rounds: 9 })).status).to.equal('running');
    });
  });
});
