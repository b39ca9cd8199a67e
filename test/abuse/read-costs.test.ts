import { expect } from 'chai';
import { operationIdOf } from '../../services/gateway/openapi/operation.rules.ts';
import { startCountedServices, type CountedServices } from '../harness/counted-services.ts';
import { nameOf, READS, readCases } from './read-costs/cases.ts';
import { EXCEPTIONS } from './read-costs/exceptions.ts';
import { PAGE_ROWS, ReadMeter, type Measured } from './read-costs/read-meter.ts';
import { makeWorld } from './read-costs/world.ts';

/** Rows of one table that a read may read: a few for each item of a page, and a few for the authorization. */
const ROWS_MAX = 5 * PAGE_ROWS;

const OPERATIONS = READS.map(({ endpoint }) => operationIdOf(endpoint.name));
const LISTS = READS.filter(({ endpoint }) => 'cursor' in endpoint.query).map(({ endpoint }) =>
  operationIdOf(endpoint.name),
);

/** The exception that is about these rows. */
const exceptionFor = ({ read, table }: Measured) =>
  EXCEPTIONS.find((each) => each.operation === read.operation && each.table === table);

describe('the rows that PostgreSQL reads for a read', function () {
  this.timeout(300_000);
  let services: CountedServices;
  let meter: ReadMeter;

  before(async () => {
    services = await startCountedServices();
    const world = await makeWorld(services);
    meter = await ReadMeter.open(services, world);
    for (const read of readCases(world.values)) await meter.measure(read);
  });
  after(async () => {
    await meter.close();
    await services.stop();
  });

  it('are counted for every operation, and for the last page of every list', () => {
    expect(OPERATIONS.filter((operation) => !meter.answered.has(operation))).to.deep.equal([]);
    expect(LISTS.filter((operation) => !meter.paged.has(operation))).to.deep.equal([]);
  });

  it('depend neither on the filter, nor on the page, nor on the number of rows that exist', () => {
    const excessive = meter.measured.filter((each) => each.rows > (exceptionFor(each)?.rows_max ?? ROWS_MAX));
    const complaints = excessive.map(
      ({ read, page, table, rows }) => `${nameOf(read)}, ${page} page: ${String(rows)} rows of ${table}`,
    );
    expect(complaints).to.deep.equal([]);
  });

  it('are more than a few for each item only where the exceptions say why', () => {
    const needed = new Set(meter.measured.filter(({ rows }) => rows > ROWS_MAX).map(exceptionFor));
    expect(EXCEPTIONS.filter((each) => !needed.has(each))).to.deep.equal([]);
  });

  it('are read by queries alone', () => {
    expect(meter.otherStatements).to.deep.equal([]);
  });
});
