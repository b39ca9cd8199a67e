import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { PROPOSAL_TYPES } from '../../../lib/contracts/approvals.ts';
import { exampleEvent } from '../../../lib/contracts/event-schema.ts';
import { EVENT_SCHEMAS, type EventType } from '../../../lib/contracts/events.ts';
import { errorEntry, ERRORS, type ErrorCode } from '../../../lib/errors/codes.ts';
import { codesOf } from '../../../services/gateway/openapi/operation.rules.ts';
import { asyncApiDocument } from '../../../services/gateway/asyncapi/document.ts';
import { ALL_ROUTES, ownDocument } from '../../harness/own-document.ts';
import { REMINDER_ERRORS } from '../../../services/reminders/src/errors.ts';
import { WEBHOOK_ERRORS } from '../../../services/webhooks/src/errors.ts';
import { ApiDocument, closed, unnamedTypes, type Media, type Operation } from '../../harness/api-document.ts';

const require = createRequire(import.meta.url);

/** Those of this project. In the same process, other test files declare codes of services that they make up. */
const CODES = Object.keys({ ...ERRORS, ...WEBHOOK_ERRORS, ...REMINDER_ERRORS }) as ErrorCode[];
const TYPES = Object.keys(EVENT_SCHEMAS) as EventType[];
const codes = Object.fromEntries(ALL_ROUTES.map((route) => [route.endpoint.name, codesOf(route)]));

describe('the OpenAPI document', () => {
  const document = ownDocument;
  const api = new ApiDocument(document);

  it('has an operation for each route, with a unique id and a unique summary', () => {
    expect(api.operations).to.have.lengthOf(ALL_ROUTES.length);
    expect(new Set(api.operations.map(({ id }) => id)).size).to.equal(ALL_ROUTES.length);
    expect(new Set(api.operations.map(({ summary }) => summary)).size).to.equal(ALL_ROUTES.length);
  });

  it('shows an example of each request and each answer, which matches its schema', () => {
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

  it('shows for each code the status, title and detail of the table of errors', () => {
    const { examples } = (document as { components: { examples: Record<string, { value: object }> } }).components;
    for (const [code, { value }] of Object.entries(examples)) {
      const { status, en } = errorEntry(code as ErrorCode);
      expect(value, code).to.include({ code, status, title: en.title, detail: en.detail });
    }
  });

  it('describes every field and parameter', () => {
    expect(api.undescribed()).to.deep.equal([]);
  });

  it('names each object and enumeration, closes the objects of requests, and leaves those of answers open', () => {
    expect(unnamedTypes(document)).to.deep.equal([]);
    const { schemas } = (document as { components: { schemas: Record<string, { properties?: object }> } }).components;
    for (const [name, schema] of Object.entries(schemas).filter(([, { properties }]) => properties !== undefined)) {
      expect('additionalProperties' in schema, name).to.equal(/(Input|Request|SealedPin)$/.test(name));
    }
  });

  it('describes the payload of each type of proposal, with an example', () => {
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

  it('requires a body if at least one of its members is required', () => {
    const [change] = api.operations.filter(({ id }) => id === 'changeOwnMembership');
    expect(change!.requestBody).to.include({ required: true });
    expect(api.requestComplaints(change!, {})).to.not.be.empty;
    expect(api.requestComplaints(change!, { hands: 2 })).to.deep.equal([]);
  });

  it('lists for each operation the codes of its kind and its own codes', () => {
    expect(codes['membership.pin_keys']).to.deep.equal(['rate_limited', 'validation_failed']);
    expect(codes['membership.leave']).to.have.members([
      'token_missing',
      'token_invalid',
      'token_expired',
      'rate_limited',
      'validation_failed',
      'not_found',
      'idempotency_key_reused',
      'idempotency_in_flight',
      'association_closed',
      'member_has_obligations',
      'president_cannot_leave',
    ]);
    expect(codes['contribution.settle']).to.include.members(['role_not_allowed', 'meeting_underfunded']);
    expect(codes['contribution.settle']).to.not.include('pin_invalid');
    expect(codes['membership.set_pin']).to.include('pin_locked').and.not.include('pin_not_set');
  });

  it('lists If-Match, its refusal and the new ETag for every PATCH, and for other writes that honour it', () => {
    const { operations } = new ApiDocument(ownDocument);
    const honouring = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'If-Match'));
    const expected = operations.filter(({ method, id }) => method === 'PATCH' || id === 'putSheet');
    expect(expected.length).to.be.at.least(3);
    expect(honouring).to.deep.equal(expected);
    expect(operations.filter(({ responses }) => responses['412'] !== undefined)).to.deep.equal(expected);
    for (const { responses } of expected) {
      for (const status of Object.keys(responses).filter((each) => each.startsWith('2'))) {
        expect(responses[status]?.headers).to.include.keys('ETag');
      }
    }
  });

  it('lists each code of the table of errors, except those that no operation returns', () => {
    const named = new Set(Object.values(codes).flat());
    const unnamed = CODES.filter((code) => !named.has(code) && errorEntry(code).status < 500);
    expect(unnamed).to.have.members([
      // Refusals before a route is found.
      'method_not_allowed',
      'malformed_request',
      'expectation_failed',
      'headers_too_large',
      'request_timeout',
      // Used between services only.
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

describe('the AsyncAPI document', () => {
  const document = asyncApiDocument();

  it('is valid AsyncAPI 3.0', () => {
    const schema = require('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object;
    const ajv = new Ajv({ strict: false, logger: false });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    expect(validate(document), JSON.stringify(validate.errors?.slice(0, 5))).to.equal(true);
  });

  it('names each object and enumeration, and leaves all objects open', () => {
    expect(unnamedTypes(document)).to.deep.equal([]);
    expect(JSON.stringify(document)).to.not.contain('"additionalProperties":false');
  });

  it('has a channel for each type of event, with an example that matches its schema', () => {
    const { channels, components } = document as Record<'channels' | 'components', Record<string, object>>;
    expect(Object.keys(channels)).to.have.members(TYPES);
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(closed({ $id: 'document', components }));
    for (const type of TYPES) {
      const validate = ajv.compile({ $ref: `document#/components/messages/${type}/payload` });
      expect(validate(exampleEvent(type)), `${type}: ${JSON.stringify(validate.errors)}`).to.equal(true);
    }
  });
});
