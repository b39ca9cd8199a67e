import { expect } from 'chai';
import { chapter, type Endpoint } from '../../../lib/contracts/action.ts';
import * as t from '../../../lib/contracts/fields.ts';
import type { Field } from '../../../lib/schema/fields.ts';
import { route, type DeclaredRoute, type Method } from '../../../lib/contracts/service-api.ts';
import { checkedApi, DeclarationFault } from '../../../services/gateway/further-apis/declared-api.rules.ts';
import { openApiDocument } from '../../../services/gateway/openapi/document.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';
import { API as REMINDERS } from '../../../services/reminders/src/contracts.ts';
import { API as WEBHOOKS } from '../../../services/webhooks/src/contracts.ts';

const wage = t.record('Wage', { id: t.ownId(t.EXAMPLE.member_id), amount: t.money('The amount.', 10) });
const listWages = chapter('Wages')({
  name: 'payroll.list_wages',
  summary: 'List wages',
  path: t.inAssociation,
  query: t.pageQuery,
  answer: t.pageOf(wage),
});
const setWage = chapter('Wages')({
  name: 'payroll.set_wage',
  summary: 'Set a wage',
  path: { ...t.inAssociation, member_id: t.memberId() },
  body: { amount: t.amount('The amount.', 10) },
  answer: wage,
});
const PATH = '/associations/:association_id/wages';
const TAGS = { Wages: 'What a group pays.' };
const ERRORS = {
  wage_fixed: {
    status: 409,
    en: { title: 'Wage fixed', detail: 'The wage cannot be changed.' },
    fr: { title: 'Salaire fixé', detail: 'Le salaire ne peut être modifié.' },
  },
};
const API = {
  tags: TAGS,
  errors: ERRORS,
  routes: [route('GET', PATH, listWages), route('PUT', `${PATH}/:member_id`, setWage)],
};

/** As it arrives over NATS. */
const sent = (api: unknown): unknown => JSON.parse(JSON.stringify(api));
const check = (api: unknown, taken: readonly DeclaredRoute[] = ROUTES) => checkedApi('payroll', sent(api), taken);
const only = (method: Method, path: string, endpoint: object, tags: object = TAGS) => ({
  tags,
  routes: [route(method, path, endpoint as Endpoint)],
});

/** Lists in lists, each with a name. */
function nested(levels: number): Field {
  let field: Field = t.boolean();
  for (let level = 0; level < levels; level += 1) field = { ...t.list(field), component: `Level${String(level)}` };
  return field;
}

describe('the routes that a further service declares', () => {
  it('are described like all others, from what was sent', () => {
    const { tags, routes } = check(API);
    const further = { tags, routes: routes.map((each) => ({ ...each, answer: 'json' as const })) };
    const document = openApiDocument(ROUTES, further) as {
      paths: Record<string, Record<string, { operationId: string }>>;
      tags: { name: string }[];
      components: { schemas: Record<string, unknown> };
    };
    expect(document.paths['/associations/{association_id}/wages']?.['get']?.operationId).to.equal('listWages');
    expect(document.tags.at(-1)).to.deep.equal({ name: 'Wages', description: 'What a group pays.' });
    expect(document.components.schemas).to.include.keys('Wage', 'SetWageRequest', 'Association');
  });

  it('may be below a path that is reserved for the service', () => {
    for (const [name, api] of [
      ['webhooks', WEBHOOKS],
      ['reminders', REMINDERS],
    ] as const) {
      expect(checkedApi(name, sent(api), ROUTES).routes).to.have.length(api.routes.length);
      expect(() => checkedApi('payroll', sent(api), ROUTES)).to.throw(DeclarationFault);
      for (const { path } of api.routes) {
        const moved = only('GET', path, {
          ...listWages,
          path: api.routes.find((each) => each.path === path)?.endpoint.path,
        });
        expect(() => check(moved), path).to.throw(DeclarationFault, `reserved for ${name}`);
      }
    }
  });

  const REFUSED: Record<string, [api: unknown, reason: RegExp]> = {
    nothing: [null, /no list/],
    'no list of routes': [{ tags: TAGS, routes: {} }, /no list/],
    'more routes than any service needs': [
      { tags: TAGS, routes: Array.from({ length: 201 }, () => ({})) },
      /at most 200/,
    ],
    'a route of this project': [
      only('GET', '/associations/my', { ...listWages, path: {} }),
      /can match what GET \/associations\/my/,
    ],
    'a route that can match what one of this project matches': [
      only('GET', '/associations/:association_id', listWages),
      /can match what GET \/associations\/my matches|can match what GET \/associations\/:association_id/,
    ],
    'the same route twice': [{ ...API, routes: [API.routes[0], API.routes[0]] }, /can match/],
    'an action of another service': [
      only('GET', PATH, { ...listWages, name: 'treasury.list_wages' }),
      /another service/,
    ],
    'the name of an operation of this project': [
      only('GET', PATH, { ...listWages, name: 'payroll.list_members' }),
      /has the name of that of GET \/associations\/:association_id\/members/,
    ],
    'another schema under a name of this project': [
      only('GET', PATH, { ...listWages, answer: t.record('Association', { wage: t.boolean() }) }),
      /another schema Association/,
    ],
    'a tag of this project': [only('GET', PATH, { ...listWages, tag: 'Members' }, { Members: 'x' }), /tag Members/],
    'a tag without a description': [only('GET', PATH, { ...listWages, tag: 'Other' }), /a tag that is not declared/],
    'a path that is none': [only('GET', 'wages', listWages), /path that is not well-formed/],
    'a path with another escape': [only('GET', `${PATH}/%2e%2e`, listWages), /path that is not well-formed/],
    'a method that is none': [only('TRACE' as Method, PATH, listWages), /no method of HTTP/],
    'a path whose parameters are not its fields': [
      only('GET', '/wages/:wage_id', listWages),
      /other parameters than its contract: :association_id/,
    ],
    'a field of an unknown kind': [
      only('GET', PATH, { ...listWages, answer: { spec: { kind: 'magic' } } }),
      /a field of a kind/,
    ],
    'no answer': [only('GET', PATH, { ...listWages, answer: undefined }), /a field of a kind/],
    'a body beyond the limit': [
      only('PUT', `${PATH}/:member_id`, { ...setWage, body_max_kib: 513 }),
      /more than 512 KiB/,
    ],
    'a body limit that is no number': [
      only('PUT', `${PATH}/:member_id`, { ...setWage, body_max_kib: 'all' }),
      /more than 512 KiB/,
    ],
    'a path of webhooks': [only('GET', '/webhooks/totals', { ...listWages, path: {} }), /reserved for webhooks/],
    'a path that can be one of reminders': [
      only('GET', '/me/:wage_id', { ...listWages, path: { wage_id: t.id() } }),
      /reserved for reminders/,
    ],
    'a schema named as those of errors': [
      only('GET', PATH, { ...listWages, answer: t.record('NotFoundProblem', { wage: t.boolean() }) }),
      /a schema NotFoundProblem, as those of errors are named/,
    ],
    'more text than any service needs': [
      { ...API, tags: { Wages: 'x'.repeat(262_144) } },
      /more than 262144 characters/,
    ],
    'deeper schemas than any service needs': [
      only('GET', PATH, { ...listWages, answer: nested(50) }),
      /nested deeper than 50/,
    ],
    'a code that is not declared': [
      only('GET', PATH, { ...listWages, refuses: ['payroll_closed'] }),
      /refuses with payroll_closed, which is not declared/,
    ],
    'codes that are no list': [only('GET', PATH, { ...listWages, refuses: 'x' }), /codes that are no list/],
    'a permission that does not exist': [
      only('GET', PATH, { ...listWages, permission: 'run_payroll' }),
      /a permission that does not exist/,
    ],
    'an error without French': [{ ...API, errors: { wage_fixed: { ...ERRORS.wage_fixed, fr: undefined } } }, /errors/],
    'an error that is a fault': [{ ...API, errors: { wage_fixed: { ...ERRORS.wage_fixed, status: 500 } } }, /errors/],
  };
  for (const [name, [api, reason]] of Object.entries(REFUSED)) {
    it(`are refused with ${name}`, () => {
      expect(() => check(api)).to.throw(DeclarationFault, reason);
    });
  }
});
