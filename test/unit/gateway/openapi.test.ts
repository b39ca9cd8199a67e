import { expect } from 'chai';
import { PROPOSAL_TYPES } from '../../../lib/contracts/approvals.ts';
import { ERRORS } from '../../../lib/errors/codes.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { codesOf } from '../../../services/gateway/openapi/operation.rules.ts';
import { openApiDocument } from '../../../services/gateway/openapi/document.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';
import { ApiDocument, unnamedTypes } from '../../harness/api-document.ts';
import type { Media, Operation } from '../../harness/api-document.ts';
import { lint } from '../../harness/lint-document.ts';

const codes = Object.fromEntries(ROUTES.map((route) => [route.endpoint.name, codesOf(route)]));

describe('the OpenAPI document', function () {
  this.timeout(60_000);
  const document = openApiDocument(ROUTES);
  const api = new ApiDocument(document);

  it('has nothing that a linter complains about', async () => {
    expect(await lint(document)).to.deep.equal([]);
  });

  it('is noticed by the linter when it is wrong', async () => {
    const { info, ...rest } = document as { info: object };
    expect(await lint({ ...rest, info: { ...info, license: undefined } })).to.not.deep.equal([]);
  });

  it('has an operation for each route, each with a name of its own', () => {
    expect(api.operations).to.have.lengthOf(ROUTES.length);
    expect(new Set(api.operations.map(({ id }) => id)).size).to.equal(ROUTES.length);
    expect(new Set(api.operations.map(({ summary }) => summary)).size).to.equal(ROUTES.length);
  });

  it('shows an example for each request and each answer, and each fits its schema', () => {
    const wrong = api.operations.flatMap((operation) => [
      ...requestExamples(operation),
      ...Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content).flatMap(([type, media]) => answerExamples(api, operation, status, type, media)),
      ),
    ]);
    expect(wrong).to.deep.equal([]);

    function requestExamples(operation: Operation): string[] {
      const media = operation.requestBody?.content['application/json'];
      if (media === undefined) return [];
      const complaints = api
        .examplesOf(media)
        .flatMap((example) => (example === undefined ? ['no example'] : api.requestComplaints(operation, example)));
      return complaints.map((complaint) => `${operation.id}: ${complaint}`);
    }
  });

  it('shows the problem of each code in the words of the table', () => {
    const { examples } = (document as { components: { examples: Record<string, { value: object }> } }).components;
    for (const [code, { value }] of Object.entries(examples)) {
      const { status, en } = ERRORS[code as ErrorCode];
      expect(value, code).to.include({ code, status, title: en.title, detail: en.detail });
    }
  });

  it('describes every field and parameter', () => {
    expect(api.undescribed()).to.deep.equal([]);
  });

  it('has a name for each object and enumeration, closes requests, and leaves answers open', () => {
    expect(unnamedTypes(document)).to.deep.equal([]);
    const { schemas } = (document as { components: { schemas: Record<string, { properties?: object }> } }).components;
    for (const [name, schema] of Object.entries(schemas).filter(([, { properties }]) => properties !== undefined)) {
      expect('additionalProperties' in schema, name).to.equal(/(Input|Request|SealedPin)$/.test(name));
    }
  });

  it('closes every answer, so that a field that is not documented shows', () => {
    const [operation] = api.operations.filter(({ id }) => id === 'getMeeting');
    const { example } = operation!.responses['200']!.content!['application/json']!;
    expect(api.answerComplaints(operation!, 200, 'application/json', example)).to.deep.equal([]);
    expect(api.answerComplaints(operation!, 200, 'application/json', { ...(example as object), secret: 1 })).to.not.be
      .empty;
  });

  it('says which payload each type of proposal has, with an example of each', () => {
    const [propose] = api.operations.filter(({ id }) => id === 'propose');
    const { examples = {} } = propose!.requestBody!.content['application/json']!;
    expect(Object.keys(examples)).to.have.members([...PROPOSAL_TYPES]);
    const title = 'A proposal';
    const fits = (type: string, payload: object) =>
      api.requestComplaints(propose!, { type, title, payload }).length === 0;
    expect(fits('motion', { text: 'Thanks' })).to.equal(true);
    expect(fits('expulsion', { text: 'Thanks' })).to.equal(false);
    expect(fits('party', {})).to.equal(false);
    for (const payload of [{}, { rules: {} }, { rules: { approvals: {} } }]) {
      expect(fits('rules_change', payload), JSON.stringify(payload)).to.equal(false);
    }
  });

  it('asks for a body where at least one of its members has to be there', () => {
    const [change] = api.operations.filter(({ id }) => id === 'changeOwnMembership');
    expect(change!.requestBody).to.include({ required: true });
    expect(api.requestComplaints(change!, {})).to.not.be.empty;
    expect(api.requestComplaints(change!, { hands: 2 })).to.deep.equal([]);
  });

  it('names the codes that follow from the shape, and those that are special', () => {
    expect(codes['membership.pin_keys']).to.deep.equal(['rate_limited', 'validation_failed']);
    expect(codes['membership.leave']).to.have.members([
      ...['token_missing', 'token_invalid', 'token_expired', 'rate_limited', 'validation_failed', 'not_found'],
      ...['idempotency_key_reused', 'idempotency_in_flight', 'association_closed'],
      ...['member_has_obligations', 'president_cannot_leave'],
    ]);
    expect(codes['contribution.settle']).to.include.members(['role_not_allowed', 'meeting_underfunded']);
    expect(codes['contribution.settle']).to.not.include('pin_invalid');
    expect(codes['membership.set_pin']).to.include('pin_locked').and.not.include('pin_not_set');
  });

  it('names each code of the table somewhere, but for those that no operation gives', () => {
    const named = new Set(Object.values(codes).flat());
    const unnamed = (Object.keys(ERRORS) as ErrorCode[]).filter(
      (code) => !named.has(code) && ERRORS[code].status < 500,
    );
    expect(unnamed).to.have.members([
      // Before there is a route, or where there is none.
      ...['method_not_allowed', 'malformed_request', 'expectation_failed', 'headers_too_large', 'request_timeout'],
      // Between services alone.
      'transfer_conflict',
    ]);
  });
});

function answerExamples(api: ApiDocument, operation: Operation, status: string, type: string, media: Media): string[] {
  const place = `${operation.id} ${status} ${type}`;
  // A PDF cannot be shown in JSON.
  if (type === 'application/pdf') return [];
  const shown = api.examplesOf(media);
  if (shown.length === 0 || shown.includes(undefined)) return [`${place}: no example`];
  if (!type.endsWith('json') || type.includes('ndjson')) return [];
  return shown.flatMap((example) =>
    api.answerComplaints(operation, status, type, example).map((complaint) => `${place}: ${complaint}`),
  );
}
