import type { Random } from '../../harness/random.ts';
import type { Json } from '../../harness/http.ts';
import { LostAnswer, type Scene } from './scene.ts';

/** Amounts that fit several times into a due, fill it, and exceed it. */
const AMOUNTS = [50, 150, 300, 600];
/** One answer in so many is lost. */
const LOST_ONE_IN = 12;

/** What a person does next. Each is one or two requests; a refusal is as valid as a success. */
type Act = (scene: Scene, random: Random) => Promise<unknown>;

const meetingOf = ({ rounds, kitties }: Scene, random: Random): string =>
  random.oneIn(4) ? kitties.at(-1)! : random.pick(rounds.slice(0, 3));

/** Sends a keyed write. If its answer is lost, it is mostly repeated with the same key, as an honest client does. */
async function write(
  person: Pick<Scene['people'][0], 'send'>,
  random: Random,
  path: string,
  makeBody: () => Promise<Json> | Json,
): Promise<Json> {
  const key = `k-${String(random.below(2 ** 31))}-${String(random.below(2 ** 31))}`;
  const isLost = random.oneIn(LOST_ONE_IN);
  const isRepeated = !random.oneIn(3);
  try {
    return (await person.send('POST', path, await makeBody(), { key, isLost })).body;
  } catch (error) {
    if (!(error instanceof LostAnswer)) throw error;
    return isRepeated ? (await person.send('POST', path, await makeBody(), { key })).body : {};
  }
}

const contribute: Act = async (scene, random) => {
  const [payer, payee] = [random.pick(scene.people), random.pick(scene.people)];
  const meeting = meetingOf(scene, random);
  const amount = random.pick(AMOUNTS);
  const { wallet_id } = payer.member;
  await write(payer, random, `${scene.group.path}/meetings/${meeting}/contribute`, async () => {
    return { wallet_id, amount, for_member_id: payee.member.member_id, pin: await payer.seal() };
  });
};

const fund: Act = async (scene, random) => {
  const { wallet_id } = random.pick(scene.people).member;
  const what = random.oneIn(3) ? 'withdrawals' : 'deposits';
  // Few references, so that some are used again.
  const body = { amount: random.pick(AMOUNTS), reference: `r-${String(random.below(40))}` };
  await write(scene.bank, random, `/wallets/${wallet_id}/${what}`, () => body);
};

const read: Act = async (scene, random) => {
  const person = random.pick(scene.people);
  const meeting = `${scene.group.path}/meetings/${meetingOf(scene, random)}`;
  const approval = scene.approvals.length === 0 ? [] : [`/approvals/${random.pick(scene.approvals)}`];
  const paths = [
    `/wallets/${person.member.wallet_id}`,
    `${meeting}/dues`,
    meeting,
    `${scene.group.path}/meetings`,
    ...approval.map((path) => `${scene.group.path}/governance${path}`),
  ];
  await person.send('GET', random.pick(paths));
};

const settle: Act = async (scene, random) => {
  const person = random.pick(scene.people.slice(0, 2));
  const meeting = random.oneIn(5) ? scene.kitties.at(-1)! : random.pick(scene.rounds.slice(0, 2));
  await write(person, random, `${scene.group.path}/meetings/${meeting}/settle`, () => ({}));
};

/** Pays what is outstanding for one member, so that rounds can be settled. */
const payOff: Act = async (scene, random) => {
  const payer = random.pick(scene.people);
  const meeting = `${scene.group.path}/meetings/${scene.rounds[random.below(2)]!}`;
  const { body } = await payer.send('GET', `${meeting}/dues`);
  const due = (body.data as Json[]).find(({ outstanding }) => (outstanding as number) > 0);
  if (due === undefined) return;
  const { wallet_id } = payer.member;
  await write(payer, random, `${meeting}/contribute`, async () => {
    return { wallet_id, amount: due.outstanding, for_member_id: due.member_id, pin: await payer.seal() };
  });
};

/** Ends a meeting outside the cycle, and opens the next one. */
const changeKitty: Act = async (scene, random) => {
  const [president] = scene.people;
  const kitty = scene.kitties.at(-1)!;
  await write(president!, random, `${scene.group.path}/meetings/${kitty}/cancel`, () => ({}));
  if (scene.kitties.at(-1) !== kitty) return;
  const { body } = await president!.send('POST', `${scene.group.path}/meetings`, {});
  scene.kitties.push(body.id as string);
};

const recordCash: Act = async (scene, random) => {
  const person = random.pick(scene.people.slice(0, 3));
  const from = random.pick(scene.people);
  const meeting_id = meetingOf(scene, random);
  const amount = random.pick(AMOUNTS);
  const { approval_id } = await write(person, random, `${scene.group.path}/cash-contribution`, async () => {
    return { member_id: from.member.member_id, amount, reason: 'Handed over', meeting_id, pin: await person.seal() };
  });
  if (typeof approval_id === 'string') scene.approvals.push(approval_id);
};

const request: Act = async (scene, random) => {
  const person = random.pick(scene.people.slice(0, 3));
  const { path } = scene.group;
  if (random.oneIn(2)) {
    const body = { type: 'motion', title: 'As discussed', payload: { text: 'A feast' } };
    const { approval } = await write(person, random, `${path}/governance/proposals`, () => body);
    if (approval !== undefined) scene.approvals.push((approval as Json).id as string);
    return;
  }
  const to = random.pick(scene.people).member.member_id;
  const body = { beneficiary_member_id: to, amount: random.pick(AMOUNTS), reason: 'Help' };
  const { approval_id } = await write(person, random, `${path}/distributions`, () => body);
  if (typeof approval_id === 'string') scene.approvals.push(approval_id);
};

const vote: Act = async (scene, random) => {
  const approval_id = scene.approvals.slice(-6).at(-1 - random.below(6));
  if (approval_id === undefined) return;
  const person = random.pick(scene.people.slice(0, 3));
  const decision = random.oneIn(4) ? 'reject' : 'approve';
  await write(person, random, `${scene.group.path}/governance/${decision}`, async () => {
    return { approval_id, pin: await person.seal() };
  });
};

const cancelRequest: Act = async (scene, random) => {
  const approval = scene.approvals.at(-1);
  if (approval === undefined) return;
  const person = random.pick(scene.people.slice(0, 3));
  await write(person, random, `${scene.group.path}/governance/approvals/${approval}/cancel`, () => ({}));
};

/** Each act with how often it is chosen. */
const ACTS: [Act, number][] = [
  [contribute, 10],
  [fund, 5],
  [read, 6],
  [settle, 2],
  [payOff, 3],
  [changeKitty, 1],
  [recordCash, 2],
  [request, 2],
  [vote, 6],
  [cancelRequest, 1],
];
const CHOICES = ACTS.flatMap(([act, weight]) => new Array<Act>(weight).fill(act));

/** Does what is next. */
export function act(scene: Scene, random: Random): Promise<unknown> {
  return random.pick(CHOICES)(scene, random);
}
