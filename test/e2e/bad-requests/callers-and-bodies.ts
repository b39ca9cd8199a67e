import jwt from 'jsonwebtoken';
import { refused } from './world.ts';
import type { BadRequest, World } from './world.ts';

const NEW_ASSOCIATION = {
  name: 'A',
  type: 'tontine',
  currency: 'XAF',
  contribution_amount: 1000,
  contribution_frequency: 'monthly',
};

/** Who asks, and whether the body can be read at all. */
export function callersAndBodies(w: World): BadRequest[] {
  const expired = jwt.sign({}, 'x'.repeat(43), { subject: 'a', expiresIn: -10 });
  const foreign = jwt.sign({}, 'x'.repeat(43), { subject: 'a', expiresIn: 60 });
  const unsigned = jwt.sign({}, '', { subject: 'a', expiresIn: 60, algorithm: 'none' });
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  return [
    // Who asks
    ...refused([['no token', 'anonymous', 'GET /associations/my', '401 token_missing']]),
    {
      rule: 'another scheme',
      as: 'anonymous',
      send: 'GET /associations/my',
      headers: { Authorization: 'Basic YTpi' },
      status: 401,
      code: 'token_missing',
    },
    {
      rule: 'a token that is none',
      as: 'anonymous',
      send: 'GET /associations/my',
      headers: bearer('abc'),
      status: 401,
      code: 'token_invalid',
    },
    {
      rule: 'a token of another key',
      as: 'anonymous',
      send: 'GET /associations/my',
      headers: bearer(foreign),
      status: 401,
      code: 'token_invalid',
    },
    {
      rule: 'an unsigned token',
      as: 'anonymous',
      send: 'GET /associations/my',
      headers: bearer(unsigned),
      status: 401,
      code: 'token_invalid',
    },
    {
      rule: 'an expired token of another key',
      as: 'anonymous',
      send: 'GET /associations/my',
      headers: bearer(expired),
      status: 401,
      code: 'token_invalid',
    },
    {
      rule: 'a token that has expired',
      as: 'anonymous',
      send: 'GET /wallets/my',
      headers: bearer(w.cluster.token('a', { exp: 1 })),
      status: 401,
      code: 'token_expired',
    },
    {
      rule: 'a token without expiry',
      as: 'anonymous',
      send: 'GET /wallets/my',
      headers: bearer(w.cluster.token('a', { exp: null })),
      status: 401,
      code: 'token_invalid',
    },
    {
      rule: 'a user id of 129 characters',
      as: 'anonymous',
      send: 'GET /wallets/my',
      headers: bearer(w.cluster.token('u'.repeat(129))),
      status: 401,
      code: 'token_invalid',
    },
    ...refused([
      ['no token wins over a bad body', 'anonymous', 'POST /associations', '401 token_missing', '{'],
      // Bodies
      ['a body cut short', 'member', 'POST /associations', '400 malformed_json', '{"name":'],
      ['a list for a body', 'member', 'POST /associations', '400 malformed_json', '[]'],
      ['a number for a body', 'member', 'POST /associations', '400 malformed_json', '7'],
      [
        'bytes that are not UTF-8',
        'member',
        'POST /associations',
        '400 malformed_json',
        Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d),
      ],
      [
        'a body over 64 KiB',
        'member',
        'POST /associations',
        '413 body_too_large',
        { ...NEW_ASSOCIATION, description: 'x'.repeat(70_000) },
      ],
    ]),
    {
      rule: 'a form',
      as: 'member',
      send: 'POST /associations',
      body: 'name=a',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      rule: 'plain text',
      as: 'member',
      send: 'POST /associations',
      body: '{}',
      headers: { 'Content-Type': 'text/plain' },
      status: 415,
      code: 'unsupported_media_type',
    },
    ...refused([
      ['an unknown path', 'member', 'GET /nothing', '404 not_found'],
      ['another method', 'member', 'DELETE /associations', '405 method_not_allowed'],
    ]),
  ];
}
