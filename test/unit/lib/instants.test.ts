import { expect } from 'chai';
import fc from 'fast-check';
import { instantText } from '../../../lib/db/instants.ts';

describe('an instant that is read as text', () => {
  it('is truncated to the milliseconds of the stored instant', () => {
    expect(instantText('2026-10-01 09:12:45.031999')).to.equal('2026-10-01T09:12:45.031Z');
  });

  it('has the form of Date.toISOString', () => {
    const instants = fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, (instant) => {
        // PostgreSQL writes no zeros at the end of a fraction, and no fraction of zeros.
        const [whole = '', fraction = ''] = instant.toISOString().slice(0, -1).replace('T', ' ').split('.');
        const digits = fraction.replace(/0+$/, '');
        const stored = digits === '' ? whole : `${whole}.${digits}`;
        expect(instantText(stored)).to.equal(instant.toISOString());
      }),
    );
  });
});
