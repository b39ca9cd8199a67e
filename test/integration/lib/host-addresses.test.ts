import { expect } from 'chai';
import pg from 'pg';
import { rememberAddresses, socketsTo } from '../../../lib/db/host-addresses.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/databases.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('a connection to a database by its name', () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase('addresses', () => Promise.resolve());
  });
  after(() => database.release());

  it('is opened while DNS fails, once one has been opened', async () => {
    let knows = false;
    const { hostname } = new URL(database.url);
    const find = rememberAddresses(() =>
      knows ? Promise.resolve([{ address: hostname, family: 4 }]) : Promise.reject(new Error('ENOTFOUND')),
    );
    const url = new URL(database.url);
    url.hostname = 'postgres.example';
    const connect = async () => {
      const client = new pg.Client({ connectionString: url.href, stream: socketsTo(find) });
      await client.connect();
      await client.end();
    };

    expect(await outcomeOf(connect())).to.equal('ENOTFOUND');
    knows = true;
    await connect();
    knows = false;
    await connect();
  });
});
