/**
 * A group of five, over HTTP only: founds a tontine, appoints officers, runs a whole cycle, takes cash, helps a member
 * from the treasury, and has the ledger of it all verified by a script that knows nothing of this project.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Person } from './demo/person.ts';
import type { Json } from './demo/person.ts';
import { findOrStartServer } from './demo/server.ts';
import type { Server } from './demo/server.ts';

const NAMES = ['Amina', 'Bih', 'Chantal', 'Divine', 'Emeka'];
const FUNDING = 50_000;
const CONTRIBUTION = 10_000;

interface Group {
  id: string;
  path: string;
  president: Person;
  treasurer: Person;
  secretary: Person;
  people: Person[];
  bank: Person;
}

let step = 0;
function say(text: string): void {
  step += 1;
  console.log(`${String(step).padStart(2)}. ${text}`);
}

function id(answer: Json): string {
  return answer.id as string;
}

async function found(server: Server): Promise<Group> {
  // Names of their own for each run, so that it can be repeated on a server that keeps its data.
  const run = randomBytes(3).toString('hex');
  const people = await Promise.all(
    NAMES.map((name, index) => Person.withToken(server, name, `${name.toLowerCase()}-${run}`, `${String(index)}2468`)),
  );
  const bank = await Person.withToken(server, 'The bank', `bank-${run}`, '0000', 'wallets:fund');
  const [president, treasurer, secretary] = people as [Person, Person, Person, Person, Person];
  const association = await president.post('/associations', {
    name: 'Njangi of the five',
    type: 'tontine',
    currency: 'XAF',
    contribution_amount: CONTRIBUTION,
    contribution_frequency: 'monthly',
    max_members: 5,
  });
  say(`${president.name} founds "${String(association.name)}": 5 members, ${CONTRIBUTION} XAF a month`);
  const path = `/associations/${id(association)}`;
  const invitation = await president.post(`${path}/invitations`, { max_uses: 4 });
  for (const person of people.slice(1)) await person.post(`/invitations/${String(invitation.code)}/accept`);
  const members = (await president.get(`${path}/members`)).data as Json[];
  people.forEach((person, index) => (person.member_id = id(members[index] ?? {})));
  say(`The other four accept her invitation: ${members.map((member) => String(member.display_name)).join(', ')}`);
  return { id: id(association), path, president, treasurer, secretary, people, bank };
}

async function prepare({ people, bank }: Group): Promise<void> {
  for (const person of people) {
    await person.setPin();
    const [wallet] = (await person.get('/wallets/my')).data as Json[];
    person.wallet_id = id(wallet ?? {});
    const deposit = { amount: FUNDING, reference: `opening-${person.wallet_id}` };
    await bank.post(`/wallets/${person.wallet_id}/deposits`, deposit);
  }
  say(`Everybody sets a PIN; the bank puts ${FUNDING} XAF into each wallet`);
}

async function appoint({ path, president, treasurer, secretary }: Group): Promise<void> {
  const propose = (title: string, member_id: string, role: string) =>
    president.post(`${path}/governance/proposals`, { type: 'role_change', title, payload: { member_id, role } });
  const first = await propose('A treasurer', treasurer.member_id, 'treasurer');
  say(`${president.name}, alone on the board, makes ${treasurer.name} treasurer: ${statusOf(first.approval)}`);
  const second = await propose('A secretary', secretary.member_id, 'secretary');
  const approval = await treasurer.postWithPin(`${path}/governance/approve`, {
    approval_id: id(second.approval as Json),
  });
  say(`${treasurer.name} approves ${secretary.name} as secretary: ${statusOf(approval)}`);
}

function statusOf(approval: unknown): string {
  const { status, execution } = approval as { status: string; execution: { status: string } };
  return `${status}, ${execution.status}`;
}

async function runCycle({ path, president, treasurer, people }: Group): Promise<void> {
  const before = await Promise.all(people.map((person) => person.balance()));
  const started = new Date();
  // Five months ago, so that every round is due today.
  started.setUTCMonth(started.getUTCMonth() - people.length, 1);
  const cycle = await president.post(`${path}/cycles`, {
    starts_on: started.toISOString().slice(0, 10),
    order: 'join',
  });
  say(`A cycle of ${String(cycle.rounds)} rounds starts`);
  const meetings = (await president.get(`${path}/meetings?cycle_id=${id(cycle)}`)).data as Json[];
  for (const meeting of meetings) {
    const place = `${path}/meetings/${id(meeting)}`;
    await Promise.all(
      people.map((person) =>
        person.postWithPin(`${place}/contribute`, { wallet_id: person.wallet_id, amount: CONTRIBUTION }),
      ),
    );
    const settlement = await treasurer.post(`${place}/settle`);
    const [payout] = settlement.payouts as { member_id: string; amount: number }[];
    const winner = people.find((person) => person.member_id === payout?.member_id);
    say(
      `Round ${String(meeting.round)}: all pay, ${String(winner?.name)} takes the pot of ${String(payout?.amount)} XAF`,
    );
  }
  const after = await Promise.all(people.map((person) => person.balance()));
  if (after.some((balance, index) => balance !== before[index]))
    throw new Error(`${before.join()} became ${after.join()}`);
  say(`The cycle nets to zero: everybody has ${after.join(', ')} XAF, as before`);
}

async function fillTreasury({ path, president, treasurer, secretary, people }: Group): Promise<void> {
  const kitty = await president.post(`${path}/meetings`, { title: 'Kitty' });
  for (const person of people) {
    const body = { wallet_id: person.wallet_id, amount: 2_000 };
    await person.postWithPin(`${path}/meetings/${id(kitty)}/contribute`, body);
  }
  await treasurer.post(`${path}/meetings/${id(kitty)}/settle`);
  say('Everybody puts 2000 XAF into the kitty, outside the cycle');
  const [, , , giver] = people as [Person, Person, Person, Person];
  const cash = await secretary.postWithPin(`${path}/cash-contribution`, {
    member_id: giver.member_id,
    amount: 15_000,
    reason: 'Proceeds of the bake sale',
  });
  const approval = await treasurer.postWithPin(`${path}/governance/approve`, { approval_id: cash.approval_id });
  say(
    `${secretary.name} records 15000 XAF in cash from ${giver.name}; ${treasurer.name} approves: ${statusOf(approval)}`,
  );
}

async function help({ path, president, treasurer, secretary, people }: Group): Promise<void> {
  const helped = people.at(-1);
  const distribution = await president.post(`${path}/distributions`, {
    beneficiary_member_id: helped?.member_id,
    amount: 12_000,
    reason: 'Hospital bill',
  });
  for (const officer of [treasurer, secretary]) {
    await officer.postWithPin(`${path}/governance/approve`, { approval_id: distribution.approval_id });
  }
  const paid = await president.get(`${path}/distributions/${id(distribution)}`);
  const legs = (paid.payouts as { amount: number; method: string }[]).map((leg) => `${leg.amount} by ${leg.method}`);
  say(`Two officers approve 12000 XAF for ${String(helped?.name)}: ${String(paid.status)}, ${legs.join(' and ')}`);
}

async function verify({ path, people }: Group): Promise<void> {
  const [, , , member] = people as [Person, Person, Person, Person];
  const balances = await member.get(`${path}/balances`);
  say(`${member.name}, a plain member, reads the balances: ${JSON.stringify(balances)}`);
  const folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  try {
    const file = join(folder, 'ledger.ndjson');
    await writeFile(file, await member.text(`${path}/ledger/export`));
    const script = join(import.meta.dirname, 'verify-ledger.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script, file]);
    const head = await member.get(`${path}/ledger/head`);
    if (!stdout.includes(`${String(head.seq)} transfers, head ${String(head.hash)}`)) {
      throw new Error(`The export does not end at the head that the service shows: ${JSON.stringify(head)}`);
    }
    say(`She exports the ledger and verifies it without the service:\n${stdout.trim()}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const server = await findOrStartServer();
try {
  const group = await found(server);
  await prepare(group);
  await appoint(group);
  await runCycle(group);
  await fillTreasury(group);
  await help(group);
  await verify(group);
} finally {
  await server.stop();
}
