import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { DEFECTS } from '../../faults/defects.ts';
import { edited } from '../../faults/seed-defect.ts';
import { root } from '../../harness/project-files.ts';

describe('the deliberate defects of the chaos harness', () => {
  it('are at least fifteen', () => {
    expect(Object.keys(DEFECTS)).to.have.length.of.at.least(15);
  });

  for (const [name, { edits }] of Object.entries(DEFECTS)) {
    it(`can make the product ${name.replaceAll('_', ' ')}`, () => {
      for (const edit of edits) {
        const text = readFileSync(join(root, edit.file), 'utf8');
        expect(edited(text, edit)).to.not.equal(text);
      }
    });
  }
});
