#!/usr/bin/env node
// Verifies an exported ledger without the server or this project: `verify-ledger.mjs [file]`, or from stdin.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/**
 * Returns the RFC 8785 form: members sorted by UTF-16 code units, strings and numbers as JSON.stringify writes them.
 */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

function fail(line, reason) {
  console.error(`NOT VALID at line ${line}: ${reason}`);
  process.exit(1);
}

function transferIn(line, at) {
  try {
    const transfer = JSON.parse(line);
    if (transfer.legs.every((leg) => typeof leg.account === 'string')) return transfer;
  } catch {
    // It is no JSON, or lacks legs.
  }
  return fail(at, 'not a transfer');
}

/** Yields the lines of a stream. Lines end only at \n: U+2028 and similar characters may be part of a text. */
async function* lines(stream) {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    yield* parts;
  }
  yield rest;
}

const input = process.argv[2] === undefined ? process.stdin : createReadStream(process.argv[2]);
const balances = new Map();
const ids = new Set();
let seq = 0;
let head = '0'.repeat(64);
let association;
for await (const line of lines(input)) {
  if (line.trim() === '') continue;
  const at = seq + 1;
  const { hash, ...transfer } = transferIn(line, at);
  association ??= transfer.association_id;
  if (transfer.association_id !== association) fail(at, 'another association');
  if (transfer.seq !== at) fail(at, `seq is ${transfer.seq}`);
  if (ids.has(transfer.id)) fail(at, `transfer ${transfer.id} appears twice`);
  if (transfer.prev_hash !== head) fail(at, 'prev_hash is not the hash of the previous transfer');
  const digest = createHash('sha256').update(canonical(transfer)).digest('hex');
  if (digest !== hash) fail(at, 'hash does not match the content');
  const sums = { money: 0n, cash: 0n };
  for (const { account, amount_minor } of transfer.legs) {
    if (!Number.isSafeInteger(amount_minor)) fail(at, `leg of ${account} is not an integer`);
    sums[account.startsWith('cash_') ? 'cash' : 'money'] += BigInt(amount_minor);
    const balance = (balances.get(account) ?? 0n) + BigInt(amount_minor);
    balances.set(account, balance);
    // Wallets also have movements in other chains, so only the association's own accounts can be checked.
    const mayGoNegative = account === 'funding' || account === 'cash_funding' || account.startsWith('wallet:');
    if (balance < 0n && !mayGoNegative) fail(at, `${account} falls to ${balance}`);
  }
  if (sums.money !== 0n || sums.cash !== 0n) fail(at, 'legs do not sum to zero');
  ids.add(transfer.id);
  seq = at;
  head = hash;
}
if (seq === 0) {
  console.error('NOT VERIFIED: there are no transfers');
  process.exit(2);
}
console.log(`VALID: ${seq} transfers, head ${head}`);
for (const [account, balance] of [...balances].sort()) console.log(`  ${account} ${balance}`);
