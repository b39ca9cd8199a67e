import { expect } from 'chai';
import type { Deprecation } from '../../../lib/contracts/action.ts';
import { myAssociations } from '../../../lib/contracts/membership.ts';
import { openApiDocument } from '../../../services/gateway/openapi/document.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';
import { useGateway, type Reply } from '../../harness/gateway.ts';
import { lint } from '../../harness/lint-document.ts';

/** A policy of docs/versions.md. */
const NOTICE_MIN_MONTHS = 6;

const DEPRECATED: Deprecation = { since: '2023-07-01', link: '/docs#/Associations/getAssociation' };
const ENDING: Deprecation = { ...DEPRECATED, sunset: '2024-01-01' };
const PAGE = '</docs#/Associations/getAssociation>';

/** Announces the end of an operation that is not deprecated. */
function announce(deprecated: Deprecation | undefined): void {
  Object.assign(myAssociations, { deprecated });
}

const announced = ({ headers }: Reply) => [headers.deprecation, headers.sunset, headers.link];

describe('a deprecated operation', () => {
  const gateway = useGateway();
  afterEach(() => {
    announce(undefined);
  });

  it('says so in each answer, with the page that says what to use instead', async () => {
    announce(DEPRECATED);
    const expected = ['@1688169600', undefined, `${PAGE}; rel="deprecation"`];
    expect(announced(await gateway.send('GET /associations/my'))).to.deep.equal(expected);
    for (const [line, status] of [
      ['GET /associations/my?unknown=1', 422],
      ['GET /associations/my', 401],
    ] as const) {
      const reply = await gateway.send(line, status === 401 ? { token: false } : {});
      expect([reply.status, ...announced(reply)]).to.deep.equal([status, ...expected]);
    }
  });

  it('says when it ends', async () => {
    announce(ENDING);
    const reply = await gateway.send('HEAD /associations/my');
    const end = 'Mon, 01 Jan 2024 00:00:00 GMT';
    expect(announced(reply)).to.deep.equal(['@1688169600', end, `${PAGE}; rel="deprecation sunset"`]);
  });

  it('links to the next page too', async () => {
    announce(DEPRECATED);
    gateway.answer = () => ({ data: [], next_cursor: 'abc' });
    const { headers } = await gateway.send('GET /associations/my');
    expect(headers.link).to.equal(
      `${PAGE}; rel="deprecation", </association-service/api/v1/associations/my?cursor=abc>; rel="next"`,
    );
  });

  it('lets pages of other origins read this', async () => {
    announce(ENDING);
    const { headers } = await gateway.send('GET /associations/my', { headers: { Origin: 'https://app.example' } });
    const readable = String(headers['access-control-expose-headers']).split(', ');
    expect(readable).to.include.members(['Deprecation', 'Sunset', 'Link']);
  });

  it('is the only one that says so', async () => {
    announce(ENDING);
    expect(announced(await gateway.send('GET /associations'))).to.deep.equal([undefined, undefined, undefined]);
  });

  it('is marked in the OpenAPI document, which is still valid', async () => {
    announce(ENDING);
    const document = openApiDocument(ROUTES);
    const { paths } = document as { paths: Record<string, Record<string, { responses: Record<string, object> }>> };
    const operation = paths['/associations/my']!.get!;
    expect(operation).to.include({ deprecated: true });
    expect(operation)
      .to.have.property('description')
      .that.matches(/^\*\*Deprecated since 2023-07-01\.\*\* It ends on 2024-01-01\./);
    expect(operation.responses['200']).to.have.property('headers').that.includes.keys('Deprecation', 'Sunset', 'Link');
    expect(await lint(document)).to.deep.equal([]);
  }).timeout(120_000);
});

describe('the deprecated operations', () => {
  it('are announced long enough before their end', () => {
    for (const { endpoint } of ROUTES) {
      const { since, sunset } = endpoint.deprecated ?? {};
      if (since === undefined || sunset === undefined) continue;
      const earliest = new Date(since);
      earliest.setUTCMonth(earliest.getUTCMonth() + NOTICE_MIN_MONTHS);
      expect(sunset >= earliest.toISOString().slice(0, 10), endpoint.name).to.equal(true);
    }
  });
});
