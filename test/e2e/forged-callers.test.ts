import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ServiceBroker } from 'moleculer';
import { uuidv7 } from 'uuidv7';
import { brokerOptions } from '../../moleculer.config.ts';
import { keyObjectsOf, signingKeys } from '../../lib/config/caller-keys.ts';
import { developmentCallerKey, loadOrCreateSecrets } from '../../lib/config/secrets.ts';
import { withLogin } from '../../lib/config/server-urls.ts';
import { DATABASE_SERVICES, type DatabaseService } from '../../lib/config/service-names.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import type { Caller } from '../../lib/contracts/action.ts';
import { CALLS } from '../../lib/contracts/calls.ts';
import { problemCode } from '../../lib/errors/problem.ts';
import { STATEMENT_VALID_MS } from '../../lib/service/check-caller.ts';
import type { CallMeta } from '../../lib/service/call-context.ts';
import { callerStatements } from '../../services/gateway/tokens/state-caller.ts';
import { APART_WITH_FURTHER, inDatabase, startCluster, type Cluster } from '../harness/cluster.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';
import { contribute, done, openedMeeting } from '../harness/requests.ts';
import { ROOT } from '../harness/process.ts';
import { everythingStored, untilQuiet } from '../harness/stored.ts';

const OTHERS = JSON.parse(await readFile(join(ROOT, 'deploy/nats/other-services.json'), 'utf8')) as {
  name: string;
  calls?: string[];
  called_by?: string[];
}[];

/** The services to which NATS lets a login send requests. */
function reachableFrom(login: DatabaseService): string[] {
  const called = OTHERS.filter(({ called_by = [] }) => called_by.includes(login)).map(({ name }) => name);
  const calls = login in CALLS ? CALLS[login as keyof typeof CALLS] : OTHERS.find(({ name }) => name === login)?.calls;
  return [...(calls ?? []), ...called];
}

/** A call that a service makes with its own login, for a user who has not called. */
interface Attack {
  action: string;
  /** New ids in each call, so that none is refused as a repeat. */
  input: () => object;
  /** If it is a command: the action that a genuine request of the user may include it in. */
  within?: string;
}

/** The services trust NATS logins only to call; each call for a user needs the gateway's statement (ADR 29). */
describe('a service with its own login at NATS', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let group: TestGroup;
  let meeting_id: string;
  let keys: ReturnType<typeof signingKeys>;
  const brokers = new Map<DatabaseService, ServiceBroker>();

  before(async () => {
    cluster = await startCluster({ processes: APART_WITH_FURTHER, logins: true });
    group = await foundGroup(cluster, { size: 3, funding: 50_000, roles: ['president', 'treasurer'] });
    meeting_id = await openedMeeting(group.members[0]!);
    const secrets = await loadOrCreateSecrets(cluster.dataDir);
    keys = signingKeys((service) => keyObjectsOf([developmentCallerKey(secrets, service)]));
    await Promise.all(DATABASE_SERVICES.map(async (login) => brokers.set(login, await nodeOf(login))));
  });
  after(async () => {
    await Promise.all([...brokers.values()].map((broker) => broker.stop()));
    await cluster.stop();
  });

  /** Starts a node with the password of a service. */
  async function nodeOf(login: DatabaseService): Promise<ServiceBroker> {
    const file = join(cluster.dataDir, 'nats-passwords', `nats-${login}-password`);
    const password = (await readFile(file, 'utf8')).trim();
    const settings = { ...loadSettings({ LOG_LEVEL: 'fatal' }), nodeId: `${login}.attacker` };
    const broker = new ServiceBroker(brokerOptions(settings, withLogin(cluster.natsUrl, { user: login, password })));
    await broker.start();
    await broker.waitForServices(reachableFrom(login), 10_000);
    return broker;
  }

  const victim = (): Caller => ({
    user_id: group.members[0]!.user,
    name: null,
    scopes: ['wallets:fund', 'pins:reset'],
  });
  const attacker = (): Caller => ({ ...victim(), user_id: group.members[2]!.user });

  const request = (action: string, path: object, body: object = {}): Attack => ({
    action,
    input: () => ({ path, query: {}, body }),
  });

  /** One of each kind: what takes money, changes rows, counts attempts at a PIN, or shows what is private. */
  function attacks(): Attack[] {
    const { id: association_id, members } = group;
    const [{ user, wallet_id }, , other] = members as [(typeof members)[0], unknown, (typeof members)[0]];
    const inGroup = { association_id };
    const claim = () => ({ user_id: user, key: uuidv7(), fingerprint: 'f'.repeat(64) });
    const legs = [
      { account: `wallet:${wallet_id}`, amount_minor: -1_000 },
      { account: `wallet:${other.wallet_id}`, amount_minor: 1_000 },
    ];
    const transfer = { ...inGroup, kind: 'contribution', currency: 'XAF', legs, reference: null, member_id: null };
    const command = (action: string, input: () => object, within = 'contribution.contribute'): Attack => {
      return { action, input, within };
    };
    return [
      request(
        'membership.create_association',
        {},
        {
          name: 'Taken',
          type: 'tontine',
          currency: 'XAF',
          contribution_amount: 1_000,
          contribution_frequency: 'monthly',
        },
      ),
      request('membership.reset_pin', { user_id: user }),
      request('membership.create_invitation', inGroup),
      request('contribution.schedule_meeting', inGroup, { title: 'Taken' }),
      request('contribution.settle', { ...inGroup, meeting_id }),
      request('treasury.withdraw', { wallet_id }, { amount: 1_000, reference: 'taken' }),
      request('treasury.my_wallets', {}),
      request('treasury.ledger', inGroup),
      request('governance.propose', inGroup, { type: 'motion', title: 'Taken', payload: { text: 'Taken' } }),
      command('membership.authorize', () => ({ ...inGroup, user_id: user, permission: 'read' })),
      command('membership.bind_idempotency_key', claim),
      command('membership.free_idempotency_key', claim),
      command('treasury.transfer', () => ({ ...transfer, id: uuidv7(), payer_user_id: user })),
      command('treasury.list_wallets', () => ({ user_id: user }), 'membership.overview'),
      request('reminders.get_preferences', {}),
      request('reminders.change_preferences', {}, { language: 'fr' }),
      request('reminders.list_sent', {}),
    ];
  }

  /** What a service can state that is wrong, with its own key and with statements that it has received. */
  function forgeries(login: DatabaseService, { action, within: request }: Attack): Record<string, CallMeta> {
    const called = action.split('.')[0] as DatabaseService;
    const within = request ?? action;
    const state = (caller: Caller, asked: string, signing = keys, age_ms = 0) => ({
      caller: victim(),
      statements: callerStatements(signing, { clock: () => new Date(Date.now() - age_ms), newId: uuidv7 })(
        caller,
        asked,
      ),
    });
    const own: typeof keys = (service) => keys(service === called ? login : service);
    const genuine = state(victim(), within);
    const signed = genuine.statements[called] ?? '';
    return {
      'no statement': {},
      'a plain caller': { caller: victim() },
      'a statement with its own key': state(victim(), within, own),
      'a statement for itself': { ...genuine, statements: { [called]: genuine.statements[login] ?? signed.slice(1) } },
      'a statement that was changed': { ...genuine, statements: { [called]: `${signed.slice(0, -1)} }` } },
      'a statement for another action': state(victim(), `${called}.health`),
      'an old statement': state(victim(), within, keys, STATEMENT_VALID_MS + 60_000),
      // As the caller of a public action, the other user may do what they may do.
      ...(request === undefined ? {} : { "another user's statement": state(attacker(), within) }),
    };
  }

  const outcomeOf = async (login: DatabaseService, { action, input }: Attack, meta: CallMeta): Promise<string> =>
    brokers
      .get(login)!
      .call(action, input(), { meta })
      .then(
        () => 'done',
        (error: unknown) => problemCode(error) ?? (error as Error).message,
      );

  for (const login of DATABASE_SERVICES) {
    it(`can do nothing for a user: ${login}`, async () => {
      const before_rows = await untilQuiet(cluster);
      const outcomes: Record<string, string> = {};
      const reachable = attacks().filter(({ action }) => reachableFrom(login).includes(action.split('.')[0]!));
      for (const attack of reachable) {
        for (const [name, meta] of Object.entries(forgeries(login, attack))) {
          outcomes[`${attack.action} with ${name}`] = await outcomeOf(login, attack, meta);
        }
      }
      expect(reachable).to.have.length.above(3);
      const refused = Object.keys(outcomes).map((name) => [name, 'internal_error'] as const);
      expect(outcomes).to.deep.equal(Object.fromEntries(refused));
      expect(await everythingStored(cluster)).to.deep.equal(before_rows);
    });
  }

  it('cannot lock the PIN of a user by guessing', async () => {
    const [founder] = group.members;
    for (let guess = 0; guess < 6; guess += 1) {
      const pin = await founder!.http.sealedPin('9999');
      const input = { association_id: group.id, user_id: founder!.user, permission: 'contribute', pin };
      const attack: Attack = { action: 'membership.authorize', input: () => input, within: 'contribution.contribute' };
      expect(await outcomeOf('contribution', attack, { caller: victim() })).to.equal('internal_error');
    }
    await done(contribute(founder!, meeting_id, 1_000));
  });

  it('is logged with the calling node, and never with a statement', () => {
    const lines = cluster.running('treasury').output().split('\n');
    const refused = lines.filter((line) => line.includes('a call without a valid statement of its caller was refused'));
    expect(refused.join('\n')).to.include('contribution.attacker').and.to.include('forged');
    expect(lines.join('\n')).to.not.include('issued_at_ms');
  });

  it('creates one object from one request of a user, if it sends the request again', async () => {
    const meetings = () =>
      inDatabase(cluster, 'contribution', async (client) => {
        const { rows } = await client.query<{ meetings: number }>('SELECT count(*)::int AS meetings FROM meetings');
        return rows[0]!.meetings;
      });
    const attack = request('contribution.schedule_meeting', { association_id: group.id }, { title: 'Once' });
    const state = callerStatements(keys, { clock: () => new Date(), newId: uuidv7 });
    const meta = { statements: state(victim(), attack.action) };
    const existing = await meetings();
    expect(await outcomeOf('treasury', attack, meta)).to.equal('done');
    await outcomeOf('membership', attack, meta);
    expect(await meetings()).to.equal(existing + 1);
  });

  it('does what the user has asked for with the statement of their request', async () => {
    const done_by: Record<string, string> = {};
    for (const attack of attacks()) {
      const login = DATABASE_SERVICES.find((each) => reachableFrom(each).includes(attack.action.split('.')[0]!))!;
      const within = attack.within ?? attack.action;
      const state = callerStatements(keys, { clock: () => new Date(), newId: uuidv7 });
      done_by[attack.action] = await outcomeOf(login, attack, { statements: state(victim(), within) });
    }
    expect(new Set(Object.values(done_by)), JSON.stringify(done_by)).to.deep.equal(new Set(['done']));
  });
});
