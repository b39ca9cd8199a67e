import { expect } from 'chai';
import pg from 'pg';
import '../../../lib/db/pg-types.ts';

/** The OID in PostgreSQL's catalogue, which the driver's enumeration lacks. */
const UUID_ARRAY = 2951 as (typeof pg.types.builtins)['UUID'];

describe('columns: arrays of ids', () => {
  const read = pg.types.getTypeParser(UUID_ARRAY) as (text: string) => unknown;
  const one = '01890a5d-ac96-774b-bcce-b302099a8057';
  const two = '01890a5d-ac96-774b-bcce-b302099a8058';

  it('are read in the form that PostgreSQL writes, including empty arrays and nulls', () => {
    expect(read('{}')).to.deep.equal([]);
    expect(read(`{${one}}`)).to.deep.equal([one]);
    expect(read(`{${one},NULL,${two}}`)).to.deep.equal([one, null, two]);
  });
});
