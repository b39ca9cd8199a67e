/**
 * Creates an association, lets a second member join, and pays a contribution to a meeting.
 *   ORIGIN=http://127.0.0.1:3000 node clients/typescript/example.ts "$(npm run -s token -- awa)" "$(npm run -s token -- ben)" "$(npm run -s token -- bank --scope wallets:fund)"
 */
import { answered, associationClient, each, ProblemError } from './src/index.ts';

const origin = process.env.ORIGIN ?? 'http://127.0.0.1:3000';
const [awa, ben, bank] = process.argv.slice(2).map((token) => associationClient({ origin, token, language: 'fr' }));
if (awa === undefined || ben === undefined || bank === undefined) throw new Error('Give three tokens: see the README.');

const { id: association_id } = answered(
  await awa.POST('/associations', {
    body: {
      name: 'Njangi du jeudi',
      type: 'solidarity',
      currency: 'XAF',
      is_public: true,
      contribution_amount: 5_000,
      contribution_frequency: 'monthly',
    },
  }),
);
const path = { association_id };
answered(await ben.POST('/associations/{association_id}/join', { params: { path }, body: {} }));

const wallet = answered(await ben.POST('/wallets', { body: { currency: 'XAF' } }));
answered(
  await bank.POST('/wallets/{wallet_id}/deposits', {
    params: { path: { wallet_id: wallet.id } },
    body: { amount: 20_000, reference: `example ${association_id}` },
  }),
);

// The first run sets Ben's PIN. In later runs it is already set.
const set = await ben.PUT('/me/pin', { body: { pin: await ben.sealedPin('4711') } });
console.log(set.response.ok ? 'PIN set' : 'PIN was set before');

const meeting = answered(
  await awa.POST('/associations/{association_id}/meetings', { params: { path }, body: { title: 'Novembre' } }),
);
const contribution = answered(
  await ben.POST('/associations/{association_id}/meetings/{meeting_id}/contribute', {
    params: { path: { ...path, meeting_id: meeting.id } },
    // A ciphertext is valid for one operation only.
    body: { wallet_id: wallet.id, amount: 5_000, pin: await ben.sealedPin('4711') },
  }),
);
console.log(`Ben's contribution is ${contribution.status}: ${String(contribution.amount)} ${contribution.currency}`);

const members = each((cursor) =>
  awa
    .GET('/associations/{association_id}/members', { params: { path, query: cursor === undefined ? {} : { cursor } } })
    .then(answered),
);
for await (const member of members) console.log(`- ${member.user_id}, ${member.role}`);

try {
  answered(
    await ben.POST('/associations/{association_id}/meetings/{meeting_id}/settle', {
      params: { path: { ...path, meeting_id: meeting.id } },
      body: {},
    }),
  );
} catch (error) {
  if (!(error instanceof ProblemError)) throw error;
  console.log(`Ben may not settle: ${error.code} — ${error.problem.detail}`);
}
