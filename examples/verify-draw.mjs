#!/usr/bin/env node
// Repeats the draw of a cycle from the answer of GET /associations/:id/cycles/:cycle_id, without the server or this
// project: `verify-draw.mjs [file]`, or from stdin. docs/draw.md explains how a draw works and what this proves.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';

function fail(reason) {
  console.error(`NOT VALID: ${reason}`);
  process.exit(1);
}

/** Yields the blocks HMAC-SHA256(seed, label || 8-byte counter) as big-endian 32-bit words. */
function* wordsOf(seed) {
  for (let block = 0n; ; block += 1n) {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(block);
    const bytes = createHmac('sha256', seed).update('association-service/draw/v1').update(counter).digest();
    for (let at = 0; at < bytes.length; at += 4) yield bytes.readUInt32BE(at);
  }
}

/** Returns the hands in the order that the seed determines. */
function draw(seed, hands) {
  const order = hands.toSorted();
  const words = wordsOf(seed);
  for (let last = order.length - 1; last > 0; last -= 1) {
    const usable = Math.floor(2 ** 32 / (last + 1)) * (last + 1);
    let word = words.next().value;
    while (word >= usable) word = words.next().value;
    const chosen = word % (last + 1);
    [order[last], order[chosen]] = [order[chosen], order[last]];
  }
  return order;
}

function readCycle(file) {
  try {
    return JSON.parse(readFileSync(file ?? 0, 'utf8'));
  } catch (error) {
    return fail(`no cycle to read: ${error.message}`);
  }
}

const cycle = readCycle(process.argv[2]) ?? {};
if (cycle.order !== 'draw') fail(`the cycle's order is ${cycle.order ?? 'none'}, not draw`);
if (!/^[0-9a-f]{64}$/.test(cycle.seed)) fail('the seed is not 32 bytes in hex');
if (!Array.isArray(cycle.hands) || cycle.hands.length < 2) fail('there are no hands to draw');
const each = cycle.rules?.beneficiaries_per_meeting;
if (!Number.isSafeInteger(each) || each < 1) fail('the rules do not say how many hands a round has');
const members = cycle.hands.map((hand) => hand?.member_id);
if (!members.every((member) => typeof member === 'string')) fail('a hand has no member');

draw(Buffer.from(cycle.seed, 'hex'), members).forEach((member, index) => {
  const { position, member_id, round } = cycle.hands[index];
  const place = index + 1;
  if (position !== place) fail(`hand ${place} is said to be in position ${position}`);
  if (member_id !== member) fail(`position ${place} was drawn by ${member}, not by ${member_id}`);
  if (round !== Math.ceil(place / each)) fail(`position ${place} does not have its turn in round ${round}`);
});
if (cycle.rounds !== members.length / each) fail(`${members.length} hands do not make ${cycle.rounds} rounds`);
console.log(`VALID: ${members.length} hands of ${new Set(members).size} members, drawn by ${cycle.seed}`);
