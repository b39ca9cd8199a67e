import { expect } from 'chai';
import fc from 'fast-check';
import { displayNameOf } from '../../../services/membership/domain/display-name.ts';

describe('a display name from a token', () => {
  it('is the name, trimmed; null where there is none', () => {
    expect(displayNameOf('  Awa Ndiaye ')).to.equal('Awa Ndiaye');
    expect(displayNameOf(null)).to.equal(null);
    expect(displayNameOf(' \u0000\n ')).to.equal(null);
  });

  it('always fits a member: at most 120 code points, none of which PostgreSQL cannot hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
        const shown = displayNameOf(name);
        if (shown === null) return;
        expect(Array.from(shown).length).to.be.within(1, 120);
        expect(shown).to.equal(shown.trim());
        expect(shown.isWellFormed() && !shown.includes('\u0000')).to.equal(true);
      }),
    );
  });
});
