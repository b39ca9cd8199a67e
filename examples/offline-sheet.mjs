#!/usr/bin/env node
// A meeting without a connection: `node examples/offline-sheet.mjs`. The treasurer writes the sheet on the phone, keeps it
// for two weeks, and sends it over a link that loses every second answer. The sheet counts once. The script starts a server
// with the test clock; an app needs only the functions at the end.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { appoint, approve, foundGroup, insist, makePeople, prepare, startCycle } from './demo/group.ts';
import { say } from './demo/narrator.ts';
import { startServer } from './demo/server.ts';

const DUE = 10_000;
const TWO_WEEKS_MS = 14 * 24 * 60 * 60 * 1000;
/** Between two attempts; an app waits longer, and the longer the more often it has failed. */
const RETRY_MS = 100;

const phone = mkdtempSync(join(tmpdir(), 'phone-'));
const server = await startServer({ CLOCK: 'test' });
try {
  const { five, bank } = await makePeople(server, 'clock:advance');
  const [president, treasurer] = five;
  const group = await foundGroup(five, 'Without a connection', { type: 'tontine' });
  await prepare(five, bank);
  await appoint(group);
  const { meetings } = await startCycle(group, 5, { order: 'join' });
  const [meeting] = meetings;

  // At the table: no connection. A UUID of the phone's makes every repetition one and the same sheet.
  const lines = five.map((person, index) => ({
    line_id: String(index),
    kind: 'contribution',
    member_id: group.memberIds.get(person),
    amount: DUE,
  }));
  const attendance = lines.map(({ member_id }) => ({ member_id, status: 'present' }));
  keep({ path: `${meeting}/sheets/${randomUUID()}`, body: { lines, attendance, counted_cash: DUE * lines.length } });
  say('The treasurer writes the sheet: five members pay 10000 XAF each');

  await bank.post('//clock', { advance_to: new Date(Date.now() + TWO_WEEKS_MS).toISOString() });
  say('Two weeks later, the phone has a connection that loses every second answer');

  const link = await openLossyLink(server.origin);
  const submitted = await sendKept(link.origin, treasurer.token, await treasurer.sealedPin());
  link.close();
  say(`The sheet is ${submitted.status}, after ${link.requests} requests and ${link.lost} lost answers`);

  await approve(group, president, submitted.approval_id);
  const { data: transfers } = await president.get(`${group.path}/ledger?kind=meeting_sheet`);
  const { cash } = await president.get(`${group.path}/balances`);
  insist(transfers.length === 1 && cash === DUE * lines.length, `${transfers.length} transfers, ${cash} XAF in cash`);
  say(`The president approves it: one transfer in the ledger, ${cash} XAF in the cash box`);
} finally {
  await server.stop();
  rmSync(phone, { recursive: true });
}

/** Keeps a sheet on the phone. */
function keep(sheet) {
  writeFileSync(join(phone, 'sheet.json'), JSON.stringify(sheet));
}

/** Sends the kept sheet and submits it, each request until it is answered. */
async function sendKept(origin, token, pin) {
  const { path, body } = JSON.parse(readFileSync(join(phone, 'sheet.json'), 'utf8'));
  // The same content again changes nothing.
  const { sheet_hash } = await answered(origin, token, 'PUT', path, body);
  // The same request with the same key is answered as the first time. A PIN's ciphertext is good for one submission.
  const request = { pin, sheet_hash };
  return answered(origin, token, 'POST', `${path}/submit`, request, { 'Idempotency-Key': randomUUID() });
}

/** Repeats a request until it is answered. */
async function answered(origin, token, method, path, body, headers = {}) {
  for (;;) {
    const response = await fetch(`${origin}/association-service/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    // The server asks for a repetition too if it is busy, or does not know the outcome yet.
    const isLater = response === undefined || response.status >= 500 || response.status === 429;
    if (!isLater && response.ok) return response.json();
    if (!isLater) throw new Error(`${method} ${path} gave ${response.status}: ${await response.text()}`);
    await sleep(RETRY_MS);
  }
}

function pick(headers, ...names) {
  return Object.fromEntries(names.filter((name) => name in headers).map((name) => [name, headers[name]]));
}

/** Opens a link to the server that loses the first answer and every second one after it: the server has done the work. */
async function openLossyLink(target) {
  const link = { requests: 0, lost: 0 };
  const proxy = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = await fetch(target + request.url, {
      method: request.method,
      headers: pick(request.headers, 'authorization', 'content-type', 'idempotency-key'),
      body: Buffer.concat(chunks),
    });
    link.requests += 1;
    if (link.requests % 2 === 1) {
      link.lost += 1;
      response.destroy();
      return;
    }
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return Object.assign(link, { origin: `http://127.0.0.1:${proxy.address().port}`, close: () => proxy.close() });
}
