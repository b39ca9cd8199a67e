import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { Contracts } from '../../harness/compatibility/contracts.ts';
import { differences } from '../../harness/compatibility/differences.ts';
import { linesOf, unexplained, type Exception } from '../../harness/compatibility/rules.ts';
import { lastContracts } from '../../harness/releases.ts';
import { ALLOWED, BREAKING, member, paths, schema, SETTLE } from './compatibility-changes.ts';

const last = lastContracts();
const TODAY = '2027-01-01';

/** Returns what a change of the last release's contracts would break. */
function after(change: (now: Contracts) => void, was = last): ReturnType<typeof differences> {
  const now = structuredClone(was);
  change(now);
  expect(isDeepStrictEqual(now, was), 'the change changes nothing').to.equal(false);
  return differences(was, now, TODAY);
}

describe('the comparison of two releases', () => {
  it('finds no difference between a release and itself', () => {
    expect(differences(last, structuredClone(last), TODAY)).to.deep.equal([]);
  });

  for (const [what, rule, change] of BREAKING) {
    it(`refuses that ${what}`, () => {
      expect(new Set(after(change).map((each) => each.rule))).to.include(rule);
    });
  }

  for (const [what, change] of ALLOWED) {
    it(`allows ${what}`, () => {
      expect(linesOf(after(change))).to.deep.equal([]);
    });
  }

  it('allows that an operation ends on the day that was announced, and not that this day is brought forward', () => {
    const announced = structuredClone(last);
    const { [SETTLE]: facts } = announced.internal.operations;
    const end = (now: Contracts) => delete paths(now)[SETTLE.split(' ')[1]!]!.post;
    facts!.sunset = TODAY;
    expect(after(end, announced)).to.deep.equal([]);
    facts!.sunset = '2027-01-02';
    expect(after(end, announced)).to.have.lengthOf(1);
    const earlier = after((now) => (now.internal.operations[SETTLE]!.sunset = TODAY), announced);
    expect(earlier.map(({ rule }) => rule)).to.deep.equal(['sunset']);
  });

  it('compares the names, values and number of members that may have any names', () => {
    const open = structuredClone(last);
    const texts = { propertyNames: { maxLength: 40 }, additionalProperties: { type: 'string' }, maxProperties: 20 };
    for (const name of ['CreateAssociationRequest', 'Association'])
      schema(open, name).properties.texts = { type: 'object', ...texts };
    const changed = (name: string, changes: object) =>
      after((now) => void Object.assign(member(schema(now, name), 'texts'), changes), open).map(({ rule }) => rule);
    const asked = (changes: object) => new Set(changed('CreateAssociationRequest', changes));
    expect(asked({ propertyNames: { maxLength: 39 } })).to.deep.equal(new Set(['request']));
    expect(asked({ additionalProperties: { type: 'number' } })).to.deep.equal(new Set(['request']));
    expect(asked({ maxProperties: 19 })).to.deep.equal(new Set(['request']));
    expect(asked({ propertyNames: { maxLength: 41 }, maxProperties: 21 })).to.deep.equal(new Set());
    expect(changed('Association', { additionalProperties: { type: 'number' } })).to.include('answer');
    expect(changed('Association', { maxProperties: 21 })).to.deep.equal([]);
  });

  it('says in one line what differs, where, and which rule it breaks', () => {
    expect(linesOf(after((now) => (member(schema(now, 'Member'), 'hands').minimum = 0)))).to.deep.equal([
      'GET /associations/{association_id}/members and 4 more: /components/schemas/Member/properties/hands: minimum 1 became 0. ' +
        'A member or header of an answer or event is not removed and keeps its type, format and smallest value.',
    ]);
  });

  it('says between which processes a call fails', () => {
    const change = (now: Contracts) => {
      now.internal.commands['membership.roster']!.input.properties = { association_id: {}, x: {} };
    };
    expect(linesOf(after(change))).to.include(
      'membership.roster: /commands/membership.roster/input/properties/x: sent to an earlier process, is not accepted. ' +
        'A command between services keeps its name and input. Its answer gains optional members only.',
    );
  });

  it('refuses keywords of JSON Schema that it does not compare', () => {
    expect(() => after((now) => Object.assign(schema(now, 'Wallet'), { not: {} }))).to.throw('does not know not');
  });
});

describe('an exception', () => {
  const exception: Exception = { lines: /^a: b$/, reason: 'A security fix.', changelog: 'B is refused' };

  it('explains a difference that the changelog names', () => {
    expect(unexplained(['a: b'], [exception], '- B is\n  refused.')).to.deep.equal([]);
  });

  it('is refused without its difference or its entry', () => {
    expect(unexplained(['a: c'], [exception], '')).to.deep.equal([
      'a: c',
      'no longer a difference: ^a: b$',
      'not in CHANGELOG.md: ^a: b$',
    ]);
  });
});
