import { expect } from 'chai';
import { lockedPackages } from '../../harness/locked-packages.ts';

/** Licenses that a project under Apache-2.0 may distribute or use, by SPDX identifier, and what they require. */
const ALLOWED: Record<string, string> = {
  MIT: 'permissive: keep the notice',
  'MIT-0': 'permissive, without conditions',
  ISC: 'permissive: keep the notice',
  'Apache-2.0': 'permissive: keep the notice, and NOTICE if there is one',
  'BSD-2-Clause': 'permissive: keep the notice',
  'BSD-3-Clause': 'permissive: keep the notice, no endorsement',
  '0BSD': 'permissive, without conditions',
  'BlueOak-1.0.0': 'permissive: keep the notice',
  Unlicense: 'public domain',
  'CC0-1.0': 'public domain',
  'PSF-2.0': 'permissive: keep the notice; of code that was ported from Python',
  'Python-2.0': 'permissive: keep the notice; of code that was ported from Python',
};

/** Packages whose manifest names no SPDX license, and the license that their LICENSE file has. */
const READ: Record<string, string> = {
  'png-js@2.0.0': 'MIT',
  'nub@0.0.0': 'MIT',
  // The Bitstream Vera license: permissive; the fonts may be embedded, and not sold by themselves.
  'dejavu-fonts-ttf@2.37.3': 'MIT',
};

describe('licenses of dependencies', () => {
  const packages = lockedPackages();

  it('are permissive', () => {
    const refused = packages
      .map(({ id, license }) => ({ id, license: READ[id] ?? license ?? 'none' }))
      .filter(({ license }) => !alternatives(license).some((each) => each in ALLOWED))
      .map(({ id, license }) => `${id}: ${license}`);
    expect(refused, 'read the LICENSE file of each, and add it above or replace the package').to.deep.equal([]);
  });

  it('are read from LICENSE files only for packages that are still installed', () => {
    const ids = packages.map(({ id }) => id);
    expect(Object.keys(READ).filter((id) => !ids.includes(id))).to.deep.equal([]);
  });
});

/** Returns the licenses of an expression such as `(MIT OR CC0-1.0)`, of which one may be chosen. */
function alternatives(expression: string): string[] {
  return expression.replace(/^\(|\)$/g, '').split(' OR ');
}
