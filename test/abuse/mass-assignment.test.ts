import { expect } from 'chai';
import { DATABASE_SERVICES } from '../../lib/config/service-names.ts';
import { allowedCaller, makeWorld, type World } from '../e2e/conformance/world.ts';
import { pathOf } from '../e2e/conformance/walk.ts';
import { ApiDocument, type Operation } from '../harness/api-document.ts';
import { inDatabase, sharedCluster, type Deployment } from '../harness/cluster.ts';
import type { HttpAnswer, Json } from '../harness/http.ts';
import { inParallel } from '../harness/in-parallel.ts';
import { everythingStored, untilQuiet } from '../harness/stored.ts';
import { bodyMembers, knownNames } from './matrix/members.ts';
import { bodyOf } from './matrix/requests.ts';

/** Names that mean something to JavaScript, to object mappers or to other frameworks. */
const TRICKS = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'valueOf', 'toJSON'],
  ...['$where', '$set', '$$strict', '$ref', '_id', '_method', 'admin', 'is_admin', 'scopes', 'sub', 'meta', 'ctx'],
  ...['associationId', 'userId', 'Role', 'STATUS', 'role[]', 'rules.approvals', 'payload[member_id]', '', ' role'],
];

/** An answer names at most 100 wrong fields. */
const BATCH = 90;

/** An object in a body that members can be added to. */
interface Place {
  operation: Operation;
  /** The names of the objects around it, outermost first. */
  inside: string[];
  body: Json;
}

describe('a field that a request must not have', function () {
  this.timeout(120_000);
  let cluster: Deployment;
  let w: World;
  let document: object;
  let operations: Operation[];
  let names: string[];

  before(async () => {
    cluster = await sharedCluster();
    w = await makeWorld(cluster);
    document = (await (await fetch(`${cluster.origin}/openapi.json`)).json()) as object;
    ({ operations } = new ApiDocument(document));
    names = [...new Set([...knownNames(document), ...(await columnNames()), ...TRICKS])];
    expect(names.length).to.be.at.least(200);
  });

  it('is refused by name in every object of every body, and nothing is written', async () => {
    const places = await bodyPlaces();
    await expectNoneAccepted(
      places.flatMap(({ operation, inside, body }) => {
        const allowed = new Set(bodyMembers(document, operation));
        const prefix = inside.map((name) => `${name}.`).join('');
        return batchesOf(names.filter((name) => !allowed.has(prefix + name))).map((batch) => ({
          what: `${operation.id} ${prefix}`,
          named: batch.map((name) => `/${[...inside, name].map(escaped).join('/')}`),
          send: () => send(operation, '', withMembers(body, inside, batch)),
        }));
      }),
    );
  });

  it('is refused by name as a parameter of every operation, and nothing is written', async () => {
    await expectNoneAccepted(
      operations.flatMap((operation) => {
        const allowed = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
        return batchesOf(names.filter((name) => name !== '' && !allowed.includes(name))).map((batch) => ({
          what: `${operation.id} query`,
          named: batch,
          send: () =>
            send(operation, `?${new URLSearchParams(batch.map((name): [string, string] => [name, '1'])).toString()}`),
        }));
      }),
    );
  });

  /** Returns the columns of all services: what a careless write could set. */
  async function columnNames(): Promise<string[]> {
    const found = DATABASE_SERVICES.map((service) =>
      inDatabase(cluster, service, async (client) => {
        const { rows } = await client.query<{ name: string }>(
          `SELECT DISTINCT column_name AS name FROM information_schema.columns WHERE table_schema = 'public'`,
        );
        return rows.map(({ name }) => name);
      }),
    );
    return (await Promise.all(found)).flat();
  }

  /** Returns every object of a body, in writes that would succeed without the added fields. */
  async function bodyPlaces(): Promise<Place[]> {
    const { http, wallet_id } = w.president;
    const caller = { name: 'president', column: 'president', http, wallet_id, hasPin: true };
    const ids = { ...w.ids, member_id: w.member.member_id };
    const seal = () => Promise.resolve('sealed');
    // The content of a GET or DELETE has no meaning (RFC 9110, section 9.3), and is not read.
    const writes = operations.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method));
    const usual = writes.map(async (operation): Promise<Place> => {
      const body = (await bodyOf({ row: operation.id, operation, caller, ids }, seal)) ?? {};
      return { operation, inside: [], body };
    });
    const founding = await usual[writes.findIndex(({ id }) => id === 'createAssociation')]!;
    const inFounding = (inside: string[], rules: Json): Place => ({
      ...founding,
      inside,
      body: { ...founding.body, rules },
    });
    const propose = writes.find(({ id }) => id === 'propose')!;
    const inProposal = (type: string, payload: Json, ...inside: string[]): Place => {
      return { operation: propose, inside: ['payload', ...inside], body: { type, title: 'Proposed', payload } };
    };
    const { member_id } = w.member;
    const changed = writes.findIndex(({ id }) => id === 'changePreferences');
    return [
      ...(await Promise.all(usual)),
      { ...(await usual[changed]!), inside: ['quiet_hours'] },
      inFounding(['rules'], {}),
      inFounding(['rules', 'approvals'], { approvals: {} }),
      inProposal('role_change', { member_id, role: 'treasurer' }),
      inProposal('rules_change', { max_members: 50 }),
      inProposal('rules_change', { rules: { shortfall: 'block' } }, 'rules'),
      inProposal('rules_change', { rules: { approvals: { motion: 1 } } }, 'rules', 'approvals'),
      inProposal('expulsion', { member_id }),
      inProposal('closure', {}),
      inProposal('motion', { text: 'We sing.' }),
    ];
  }

  function send(operation: Operation, query: string, body?: Json): Promise<HttpAnswer> {
    return allowedCaller(w, operation).send(operation.method, `${pathOf(operation, w.ids)}${query}`, body);
  }

  async function expectNoneAccepted(
    cases: { what: string; named: string[]; send: () => Promise<HttpAnswer> }[],
  ): Promise<void> {
    const before = await untilQuiet(cluster);
    const wrong = await inParallel(cases, async ({ what, named, send: ask }) => {
      const { status, body, text } = await ask();
      const refused = ((body.errors ?? []) as { pointer: string; code: string }[])
        .filter(({ code }) => code === 'unknown')
        .map(({ pointer }) => pointer);
      const missing = named.filter((pointer) => !refused.includes(pointer));
      return status === 422 && missing.length === 0 ? [] : [`${what}: ${missing.join(', ')}: ${text.slice(0, 300)}`];
    });
    expect(wrong.flat(), wrong.flat().join('\n')).to.deep.equal([]);
    expect(await everythingStored(cluster)).to.deep.equal(before);
  }
});

/** Returns the body with these members added to the object at `inside`. */
function withMembers(body: Json, [outer, ...inner]: string[], added: string[]): Json {
  // Unlike an assignment, fromEntries() and a spread make `__proto__` a member like any other.
  if (outer === undefined) return { ...body, ...Object.fromEntries(added.map((name) => [name, 'president'])) };
  return { ...body, [outer]: withMembers(body[outer] as Json, inner, added) };
}

function batchesOf(names: string[]): string[][] {
  const count = Math.ceil(names.length / BATCH);
  return Array.from({ length: count }, (_, index) => names.slice(index * BATCH, (index + 1) * BATCH));
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
