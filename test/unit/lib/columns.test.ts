import { expect } from 'chai';
import { json, Parameters, plain, quoted, type Columns } from '../../../lib/db/columns.ts';

type Value = string | bigint | boolean | null;
const PLAIN = plain<Value>('text', (value) => value);

describe('columns as parameters', () => {
  it('are written as the text of an array, with NULL for a missing value', () => {
    expect(PLAIN.valueOf(['a:b/c', null, 12n, true])).to.equal('{a:b/c,NULL,12,true}');
    expect(PLAIN.valueOf([])).to.equal('{}');
  });

  it('refuse values that an array would have to quote', () => {
    for (const value of ['a b', '"', '{', '}', '\\', "'", 'é', '\u0000', '\n']) {
      expect(() => PLAIN.valueOf(['a', value]), JSON.stringify(value)).to.throw(RangeError);
    }
  });

  it('separate JSON texts by a character that no JSON text contains', () => {
    const texts = [JSON.stringify({ a: '\u001f,"' }), null, '2'];
    const column = json<string | null>((text) => text);
    expect(String(column.valueOf(texts)).split('\u001f')).to.deep.equal([texts[0], '', '2']);
  });

  it('are numbered in the order in which the text of a statement adds them', () => {
    interface Input {
      at: string;
      people: { id: string; name: string }[];
    }
    const columns: Columns<Input['people'][number]> = {
      id: plain('uuid', ({ id }) => id),
      name: quoted('text', ({ name }) => name),
    };
    const parameters = new Parameters<Input>();
    expect(parameters.value('timestamptz', ({ at }) => at)).to.equal('$1::timestamptz');
    expect(parameters.rows(columns, ({ people }) => people)).to.deep.equal({
      source: 'unnest($2::uuid[], $3::text[])',
      names: 'id, name',
    });
    expect(parameters.value('text', () => 'z')).to.equal('$4::text');
    const people = [
      { id: '1', name: 'Ama "A"' },
      { id: '2', name: 'Bih' },
    ];
    expect(parameters.of({ at: 'now', people })).to.deep.equal(['now', '{1,2}', ['Ama "A"', 'Bih'], 'z']);
  });
});
