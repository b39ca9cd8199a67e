import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientSchema } from '../../../clients/typescript/generate.ts';

const SCHEMA = join(import.meta.dirname, '..', '..', '..', 'clients', 'typescript', 'src', 'schema.ts');

describe("The client's types", () => {
  it('are generated from the current OpenAPI document (npm run client:generate)', async () => {
    expect((await readFile(SCHEMA, 'utf8')) === (await clientSchema())).to.equal(true);
  });
});
