import { expect } from 'chai';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import { HttpClient } from '../harness/http.ts';
import { inParallel } from '../harness/in-parallel.ts';
import { lookalikesOf } from './subjects/lookalikes.ts';

describe('users whose ids look alike', function () {
  this.timeout(60_000);
  let cluster: Deployment;

  before(async () => {
    cluster = await sharedCluster();
  });

  it('are different users: none sees the wallet or the settings, or deletes the PIN, of another', async () => {
    // The suffix separates the users of repeated runs, and is not changed by any normalization.
    const victim_id = `Zoé.Straße\u212b1ﬁ@example-${String(process.pid)}`;
    const ids = [victim_id, ...lookalikesOf(victim_id)];
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids.length).to.be.at.least(57);
    const client = (user: string, scope?: string) =>
      new HttpClient(cluster.origin, cluster.token(user, scope === undefined ? {} : { scope }));
    const victim = client(victim_id);
    await victim.setPin();
    await victim.send('PATCH', '/me/notifications', { language: 'fr', types: ['turn_tomorrow'] });

    // Each user's wallet is new, and theirs by the exact id.
    const wallets = await inParallel(ids, async (user) => {
      const wallet = await client(user).created('/wallets', { currency: 'XAF' });
      expect(wallet.user_id).to.equal(user);
      return wallet.id as string;
    });
    expect(new Set(wallets).size).to.equal(ids.length);

    const desk = client('subjects-desk', 'pins:reset');
    await inParallel(ids.slice(1), async (user) => {
      const { data } = await client(user).ok('/wallets/my');
      expect((data as { user_id: string }[]).map((wallet) => wallet.user_id)).to.deep.equal([user]);
      expect((await client(user).get(`/wallets/${wallets[0]!}`)).status).to.equal(404);
      expect((await client(user).ok('/me/notifications')).language, user).to.equal('en');
      const reset = await desk.send('DELETE', `/users/${encodeURIComponent(user)}/pin`);
      expect(reset.status, user).to.equal(204);
    });
    const { status, text } = await victim.send('PUT', '/me/pin', { pin: await victim.sealedPin() });
    expect(status, 'the PIN of the victim is still set').to.equal(422);
    expect(text).to.contain('/current_pin');
  });
});
