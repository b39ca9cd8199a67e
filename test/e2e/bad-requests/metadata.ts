import { invalid, type BadRequest, type World } from './world.ts';

/** A member called `__proto__`, which no object literal can have. */
const PROTOTYPE = JSON.parse('{"__proto__": "x"}') as object;

/** Metadata that is refused, and the pointers that name what is wrong with it. */
const BAD: [rule: string, metadata: unknown, ...pointers: string[]][] = [
  ['a text', 'x', '/metadata'],
  ['null', null, '/metadata'],
  ['a list', [], '/metadata'],
  ['21 members', Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`m${String(index)}`, ''])), '/metadata'],
  ['an empty name', { '': 'x' }, '/metadata/'],
  ['a name of 41 code points', { ['é'.repeat(41)]: 'x' }, `/metadata/${'é'.repeat(41)}`],
  ['the name __proto__', PROTOTYPE, '/metadata/__proto__'],
  ['a line break in a name', { 'a\nb': 'x' }, '/metadata/a\nb'],
  ['U+0000 in a name', { 'a\u0000': 'x' }, '/metadata/a\u0000'],
  ['a lone surrogate in a name', { '\ud800': 'x' }, '/metadata/\ud800'],
  ['a text of 501 code points', { note: 'é'.repeat(501) }, '/metadata/note'],
  ['U+0000 in a text', { note: 'a\u0000' }, '/metadata/note'],
  ['a lone surrogate in a text', { note: '\udfff' }, '/metadata/note'],
  ['a number', { total: 5 }, '/metadata/total'],
  ['an object in an object', { inner: {} }, '/metadata/inner'],
  ['null as a text', { note: null }, '/metadata/note'],
  ['names with the characters of pointers and paths', { 'a/b~c.d[0]': 5 }, '/metadata/a~1b~0c.d[0]'],
  ['two wrong members', { a: 1, b: 'x', c: 2 }, '/metadata/a', '/metadata/c'],
];

/** Returns a request with bad metadata for each operation that takes some. */
export function metadata(w: World): BadRequest[] {
  const { path, members } = w.group;
  const [, , , plain] = members;
  const { member_id, wallet_id } = plain!;
  const funding = { amount: 5, reference: 'described' };
  const association = { name: 'A', type: 'tontine', currency: 'XAF', contribution_amount: 1_000 };
  const writes: [as: BadRequest['as'], send: string, body: object][] = [
    ['member', 'POST /associations', { ...association, contribution_frequency: 'monthly' }],
    ['member', `POST ${path}/meetings/${w.meeting}/contribute`, { wallet_id, amount: 1_000, pin: 'x' }],
    ['secretary', `POST ${path}/cash-contribution`, { member_id, amount: 5, reason: 'r', pin: 'x' }],
    ['president', `POST ${path}/distributions`, { beneficiary_member_id: member_id, amount: 5, reason: 'r' }],
    ['bank', `POST /wallets/${wallet_id}/deposits`, funding],
    ['bank', `POST /wallets/${wallet_id}/withdrawals`, funding],
  ];
  return writes.flatMap(([as, send, body]) =>
    invalid(
      as,
      send,
      BAD.map(([rule, given, ...pointers]) => [`metadata: ${rule}`, { ...body, metadata: given }, ...pointers]),
    ),
  );
}
