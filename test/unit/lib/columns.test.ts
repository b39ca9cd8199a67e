import { expect } from 'chai';
import { jsonColumn, plainColumn } from '../../../lib/db/columns.ts';

describe('columns as parameters', () => {
  it('are the text of an array, with NULL where there is no value', () => {
    expect(plainColumn(['a:b/c', null, 12n, true])).to.equal('{a:b/c,NULL,12,true}');
    expect(plainColumn([])).to.equal('{}');
  });

  it('take no value that an array would have to quote', () => {
    for (const value of ['a b', '"', '{', '}', '\\', "'", 'é', '\u0000', '\n']) {
      expect(() => plainColumn(['a', value]), JSON.stringify(value)).to.throw(RangeError);
    }
  });

  it('keep JSON texts apart by what no JSON text has', () => {
    const texts = [JSON.stringify({ a: '\u001f,"' }), null, '2'];
    expect(jsonColumn(texts).split('\u001f')).to.deep.equal([texts[0], '', '2']);
  });
});
