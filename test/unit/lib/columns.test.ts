import { expect } from 'chai';
import { jsonColumn, plainColumn } from '../../../lib/db/columns.ts';

describe('columns as parameters', () => {
  it('are written as the text of an array, with NULL for a missing value', () => {
    expect(plainColumn(['a:b/c', null, 12n, true])).to.equal('{a:b/c,NULL,12,true}');
    expect(plainColumn([])).to.equal('{}');
  });

  it('refuse values that an array would have to quote', () => {
    for (const value of ['a b', '"', '{', '}', '\\', "'", 'é', '\u0000', '\n']) {
      expect(() => plainColumn(['a', value]), JSON.stringify(value)).to.throw(RangeError);
    }
  });

  it('separate JSON texts by a character that no JSON text contains', () => {
    const texts = [JSON.stringify({ a: '\u001f,"' }), null, '2'];
    expect(jsonColumn(texts).split('\u001f')).to.deep.equal([texts[0], '', '2']);
  });
});
