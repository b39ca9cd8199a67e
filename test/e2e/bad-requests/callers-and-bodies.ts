import jwt from 'jsonwebtoken';
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
    { rule: 'no token', as: 'anonymous', send: 'GET /associations/my', status: 401, code: 'token_missing' },
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
    {
      rule: 'no token wins over a bad body',
      as: 'anonymous',
      send: 'POST /associations',
      body: '{',
      status: 401,
      code: 'token_missing',
    },

    // Bodies
    {
      rule: 'a body cut short',
      as: 'member',
      send: 'POST /associations',
      body: '{"name":',
      status: 400,
      code: 'malformed_json',
    },
    {
      rule: 'a list for a body',
      as: 'member',
      send: 'POST /associations',
      body: '[]',
      status: 400,
      code: 'malformed_json',
    },
    {
      rule: 'a number for a body',
      as: 'member',
      send: 'POST /associations',
      body: '7',
      status: 400,
      code: 'malformed_json',
    },
    {
      rule: 'bytes that are not UTF-8',
      as: 'member',
      send: 'POST /associations',
      body: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d),
      status: 400,
      code: 'malformed_json',
    },
    {
      rule: 'a body over 64 KiB',
      as: 'member',
      send: 'POST /associations',
      body: { ...NEW_ASSOCIATION, description: 'x'.repeat(70_000) },
      status: 413,
      code: 'body_too_large',
    },
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
    { rule: 'an unknown path', as: 'member', send: 'GET /nothing', status: 404, code: 'not_found' },
    { rule: 'another method', as: 'member', send: 'DELETE /associations', status: 405, code: 'method_not_allowed' },
  ];
}
