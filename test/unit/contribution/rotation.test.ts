import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  sortByJoining,
  coversEveryHand,
  planRotation,
  planSavings,
} from '../../../services/contribution/cycles/rotation.rules.ts';
import type { CycleMember, Rotation, RotationOrder } from '../../../services/contribution/cycles/rotation.rules.ts';

const member = (member_id: string, hands: number, second = 0): CycleMember => ({
  member_id,
  hands,
  joined_at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
});

/** Members with hands, joined in any order, some at the same instant. */
const someMembers = fc
  .uniqueArray(fc.uuid(), { minLength: 1, maxLength: 12 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) => fc.tuple(fc.integer({ min: 1, max: 20 }), fc.nat(5)).map(([h, s]) => member(id, h, s))),
    ),
  );
const handsOf = (members: readonly CycleMember[]) => members.reduce((sum, each) => sum + each.hands, 0);

describe('rotation', () => {
  it('orders members by the time they joined, with the hands of each member one after another', () => {
    const members = [member('c', 1, 3), member('b', 2, 1), member('a', 1, 1)];
    const { hands, rounds } = planRotation(members, { by: 'join' }, 1) as Rotation;
    expect(hands.map((hand) => hand.member_id)).to.deep.equal(['a', 'b', 'b', 'c']);
    expect(hands.map((hand) => hand.round)).to.deep.equal([1, 2, 3, 4]);
    expect(rounds).to.equal(4);
  });

  it('refuses a wrong member order, then fewer than two hands, then hands that do not fill the rounds', () => {
    const wrong = { by: 'manual' as const, member_order: [] };
    const join = { by: 'join' as const };
    const cases: [CycleMember[], RotationOrder, beneficiaries: number, refused: string][] = [
      [[member('a', 1)], wrong, 2, 'member_order_mismatch'],
      [[member('a', 1)], join, 2, 'not_enough_members'],
      [[], join, 1, 'not_enough_members'],
      [[member('a', 3)], join, 2, 'hands_not_divisible'],
    ];
    for (const [members, order, beneficiaries, refused] of cases) {
      expect(planRotation(members, order, beneficiaries)).to.deep.equal({ refused });
    }
    // One member with two hands is enough.
    expect(planRotation([member('a', 2)], join, 1)).to.have.property('rounds', 2);
  });

  it('accepts a manual order only if it names each member exactly once per hand', () => {
    const members = [member('a', 1), member('b', 2)];
    expect(coversEveryHand(members, ['b', 'a', 'b'])).to.equal(true);
    for (const order of [
      ['a', 'b'],
      ['a', 'a', 'b'],
      ['a', 'b', 'b', 'b'],
      ['a', 'b', 'c'],
      ['a', 'b', 'b', 'c'],
      // The name of a property that every object inherits.
      ['a', 'b', 'constructor'],
      [],
    ]) {
      expect(coversEveryHand(members, order), order.join()).to.equal(false);
    }
  });

  it('plans a savings cycle with its rounds and without turns', () => {
    expect(planSavings([member('a', 2), member('b', 1)], 5)).to.deep.equal({ hands: [], hands_total: 3, rounds: 5 });
    expect(planSavings([member('a', 2)], 1)).to.have.property('rounds', 1);
    expect(planSavings([member('a', 1)], 5)).to.deep.equal({ refused: 'not_enough_members' });
    expect(planSavings([], 5)).to.deep.equal({ refused: 'not_enough_members' });
  });

  it('assigns exactly one turn to every hand, and the same number of hands to every round', () => {
    const someOrder = fc.oneof(fc.constantFrom('join', 'manual'), fc.uint8Array({ minLength: 32, maxLength: 32 }));
    fc.assert(
      fc.property(someMembers, fc.integer({ min: 1, max: 10 }), someOrder, (members, beneficiaries, by) => {
        const member_order = members
          .flatMap((each) => Array.from({ length: each.hands }, () => each.member_id))
          .reverse();
        const order: RotationOrder =
          by === 'join' ? { by } : typeof by === 'string' ? { by: 'manual', member_order } : { by: 'draw', seed: by };
        const total = handsOf(members);
        const rotation = planRotation(members, order, beneficiaries);
        fc.pre(total >= 2 && total % beneficiaries === 0);
        const { hands, hands_total, rounds } = rotation as Rotation;
        expect(hands_total).to.equal(total);
        expect(rounds * beneficiaries).to.equal(total);
        if (order.by === 'manual') expect(hands.map((hand) => hand.member_id)).to.deep.equal(member_order);
        expect(hands.map((hand) => hand.position)).to.deep.equal(hands.map((_, index) => index + 1));
        for (const each of members) {
          expect(hands.filter((hand) => hand.member_id === each.member_id)).to.have.length(each.hands);
        }
        for (let round = 1; round <= rounds; round += 1) {
          expect(hands.filter((hand) => hand.round === round)).to.have.length(beneficiaries);
        }
        expect(hands.map((hand) => hand.round)).to.deep.equal(hands.map((hand) => hand.round).sort((a, b) => a - b));
      }),
    );
  });

  it('depends on the times of joining, not on the order in which members are given', () => {
    fc.assert(
      fc.property(someMembers, (members) => {
        expect(planRotation(members.toReversed(), { by: 'join' }, 1)).to.deep.equal(
          planRotation(members, { by: 'join' }, 1),
        );
        const sorted = sortByJoining(members);
        sorted.slice(1).forEach((each, index) => {
          const before = sorted[index]!;
          expect([before.joined_at, before.member_id] <= [each.joined_at, each.member_id]).to.equal(true);
        });
      }),
    );
  });
});
