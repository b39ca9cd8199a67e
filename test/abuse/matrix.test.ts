import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { ApiDocument, type Operation } from '../harness/api-document.ts';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import type { HttpAnswer } from '../harness/http.ts';
import { inParallel } from '../harness/in-parallel.ts';
import { contribute, done, propose, putSheet } from '../harness/requests.ts';
import { everythingStored, untilQuiet } from '../harness/stored.ts';
import { keyOf, NOTHING } from '../e2e/conformance/walk.ts';
import { makeGlobalWebhook, makeWebhook, SELDOM } from '../e2e/conformance/webhooks.ts';
import {
  ANSWERS,
  ANY_USER,
  ANY_WALLET,
  answerToForeignId,
  CHOSEN_BY_CLIENTS,
  NAMED_BY_DRAFTS,
  EXPECTED,
  NAMED_IDS,
  OPEN,
  PUBLIC,
  WITHOUT_TOKEN,
} from './matrix/expected.ts';
import { idFields } from './matrix/members.ts';
import { sendWanted, type Ids, type Wanted } from './matrix/requests.ts';
import { makeWorld, missingColumns, type Caller, type World } from './matrix/world.ts';

/** A request and the answer that it must get, as a value of ANSWERS. */
interface Case extends Wanted {
  expected: string;
}

const MALFORMED = 'nothing';
/** The settled round, whose objects the association's other meetings do not have. */
const ABOUT_SETTLED = ['settle', 'getSettlement', 'getContribution'];

describe('every operation for every caller and object', function () {
  this.timeout(120_000);
  let cluster: Deployment;
  let w: World;
  let document: object;
  let operations: Map<string, Operation>;

  before(async () => {
    cluster = await sharedCluster();
    w = await makeWorld(cluster);
    document = (await (await fetch(`${cluster.origin}/openapi.json`)).json()) as object;
    operations = new Map(new ApiDocument(document).operations.map((operation) => [operation.id, operation]));
  });

  after(async () => {
    // One that an accepted request has added would go on getting events of other tests.
    const { data } = await w.own.operator.ok('/webhooks?limit=200');
    const added = (data as { id: string; url: string }[]).filter(({ url }) => url === SELDOM.url);
    for (const { id } of added) await w.own.operator.send('DELETE', `/webhooks/${id}`);
  });

  it('is in the table, with every caller and every id that a request can name', () => {
    const rows = [...EXPECTED.keys()].map(operationOf);
    expect([...new Set(rows)].toSorted()).to.deep.equal([...operations.keys()].toSorted());
    expect(missingColumns(w)).to.deep.equal([]);
    const tested = NAMED_IDS.map(({ operation, field }) => `${operationOf(operation)} ${field}`);
    expect([...tested, ...ANY_USER, ...CHOSEN_BY_CLIENTS, ...NAMED_BY_DRAFTS].toSorted()).to.deep.equal(
      idFields(document),
    );
  });

  it('gets the answer of the table, and refused requests change no row', async () => {
    const cases = [...usualCases(), ...casesOfAssociations(), ...casesOfIds()];
    const [writes, others] = [cases.filter(isAcceptedWrite), cases.filter((each) => !isAcceptedWrite(each))];
    const before = await untilQuiet(cluster);
    const wrong = await complaintsAbout(others);
    expect(wrong, wrong.slice(0, 50).join('\n')).to.deep.equal([]);
    const after = await everythingStored(cluster);
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    expect(changed.map((table) => `${table}: ${before[table]!} before, ${after[table]!} after`)).to.deep.equal([]);

    const rejected = await complaintsAbout(await Promise.all(writes.map(withFreshObject)));
    expect(rejected, rejected.join('\n')).to.deep.equal([]);
  });

  /** Every caller sends every operation about the objects of the association. */
  function usualCases(): Case[] {
    return [...EXPECTED.keys()].flatMap((row) => w.callers.map((caller) => caseOf(row, caller, w.own.ids)));
  }

  /** Every caller names an association that does not exist, and every caller who may not an association that is public. */
  function casesOfAssociations(): Case[] {
    const rows = [...EXPECTED.keys()].filter((row) => operationFor(row).path.includes('{association_id}'));
    return rows.flatMap((row) =>
      w.callers.flatMap((caller) => {
        const unknown = [NOTHING, MALFORMED].map((association_id) =>
          caseOf(row, caller, { ...w.own.ids, association_id }, '404'),
        );
        const isMember = caller.name.endsWith('of another');
        return isMember ? unknown : [...unknown, caseOf(row, caller, w.other.ids, PUBLIC[row] ?? '404')];
      }),
    );
  }

  /** Every caller names an object of another association, one that does not exist, and another member's wallet. */
  function casesOfIds(): Case[] {
    return NAMED_IDS.flatMap((named) => {
      const { operation: row, field } = named;
      return w.callers.flatMap((caller) => {
        const expected = answerToForeignId(EXPECTED.get(row)![caller.column]!, named);
        const isAnyWallet = ANY_WALLET.some(({ column, operation }) => column === caller.column && operation === row);
        const unknown = [NOTHING, MALFORMED];
        return (isAnyWallet ? unknown : [...unknown, ...foreignIds(row, field, caller)]).map((id) => ({
          ...caseOf(row, caller, w.own.ids, expected),
          named: { ...named, id },
        }));
      });
    });
  }

  /** Returns ids of the other association, of other members' wallets, and of endpoints of all associations or of one. */
  function foreignIds(row: string, field: string, { wallet_id }: Caller): string[] {
    if (['webhook_id', 'delivery_id'].includes(field)) {
      const isGlobal = keyOf(operationFor(row).path, field) !== field;
      const ofEndpoints = isGlobal ? [w.own.ids[field]!, w.other.ids[field]!] : [w.other.ids[field]!];
      // Each endpoint of all associations can be named, but not with the delivery of another one.
      const named = field === 'webhook_id' && isGlobal ? [] : [w.other.ids[`global_${field}`]!];
      return [...ofEndpoints, ...named];
    }
    const { treasurer, secretary } = w.own;
    const wallets = [w.other.ids.wallet_id!, treasurer.wallet_id, secretary.wallet_id];
    if (field.endsWith('wallet_id')) return wallets.filter((id) => id !== wallet_id);
    const id = w.other.ids[field.includes('member') ? 'member_id' : field];
    return id === undefined ? [] : [id];
  }

  function caseOf(row: string, caller: Caller, ids: Ids, answer = EXPECTED.get(row)?.[caller.column]): Case {
    const operation = operationFor(row);
    const refusal = WITHOUT_TOKEN[caller.column as keyof typeof WITHOUT_TOKEN];
    const isRefused = refusal !== undefined && !OPEN.includes(row);
    const meeting_id = ABOUT_SETTLED.includes(row) ? settledMeeting(ids) : ids.meeting_id!;
    const expected = isRefused ? refusal : ANSWERS[answer ?? 'yes'];
    return { row, operation, caller, ids: { ...ids, meeting_id }, expected };
  }

  function settledMeeting({ meeting_id }: Ids): string {
    return meeting_id === w.own.ids.meeting_id ? w.own.settledMeeting : w.other.settledMeeting;
  }

  function operationFor(row: string): Operation {
    return operations.get(operationOf(row))!;
  }

  /** Makes the object that an accepted request uses up. */
  async function withFreshObject(each: Case): Promise<Case> {
    const { president, secretary } = w.own;
    if (['acceptInvitation', 'withdrawInvitation'].includes(each.row)) {
      const { code, id } = await president.http.created(`${president.path}/invitations`, {});
      return { ...each, ids: { ...each.ids, code: code as string, invitation_id: id as string } };
    }
    if (each.row === 'requestCorrection') {
      const { id } = await done(contribute(w.own.member, w.own.kitty, 1));
      return { ...each, ids: { ...each.ids, transfer_id: id as string } };
    }
    if (['deleteWebhook', 'replayWebhookEvents'].includes(each.row))
      return { ...each, ids: { ...each.ids, ...(await makeWebhook(president.http, `${president.path}/webhooks`)) } };
    if (each.row === 'deleteGlobalWebhook') {
      const { webhook_id } = await makeGlobalWebhook(w.own.operator);
      return { ...each, ids: { ...each.ids, global_webhook_id: webhook_id } };
    }
    if (each.row === 'putSheet') return { ...each, ids: { ...each.ids, sheet_id: randomUUID() } };
    if (each.row === 'submitSheet') {
      const sheet = await done(putSheet(secretary, each.ids.meeting_id!, randomUUID(), { lines: [], counted_cash: 0 }));
      const { id, sheet_hash } = sheet as { id: string; sheet_hash: string };
      return { ...each, ids: { ...each.ids, sheet_id: id, sheet_hash } };
    }
    if (!['approve', 'reject', 'cancelApproval'].includes(each.row)) return each;
    const { approval } = await done(propose(secretary, 'motion', { text: 'We sing.' }));
    return { ...each, ids: { ...each.ids, approval_id: (approval as { id: string }).id } };
  }

  async function complaintsAbout(cases: Case[]): Promise<string[]> {
    const complaints = await inParallel(cases, async (each) => {
      const { row, caller, named, expected } = each;
      const what = `${caller.name}: ${row} ${named === undefined ? '' : `${named.field} ${named.id}`}`;
      try {
        const complaint = complaintAbout(await sendWanted(each, w.seal), expected);
        return complaint === undefined ? [] : [`${what}: ${expected} expected, but ${complaint}`];
      } catch (error) {
        return [`${what}: ${expected} expected, but ${(error as Error).message}`];
      }
    });
    return complaints.flat();
  }
});

/** Returns the operation of a row, which may have a query. */
function operationOf(row: string): string {
  return row.split('?')[0]!;
}

function isAcceptedWrite({ operation, expected }: Case): boolean {
  return operation.method !== 'GET' && expected === ANSWERS.yes;
}

/** Returns what is wrong with an answer; undefined if it is as expected. */
function complaintAbout({ status, headers, body, text }: HttpAnswer, expected: string): string | undefined {
  if (expected === ANSWERS.yes && status < 300) return undefined;
  if (expected === ANSWERS.none && status === 200 && (body.data as unknown[]).length === 0) return undefined;
  const got = `${String(status)} ${String(body.code)}`;
  if (got !== expected) return `${String(status)} ${text}`;
  return headers.get('content-type') === 'application/problem+json' ? undefined : 'not problem+json';
}
