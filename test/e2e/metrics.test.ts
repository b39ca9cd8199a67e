import { expect } from 'chai';
import { APART_WITH_FURTHER, inDatabase, startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';
import { contribute, done, openedMeeting } from '../harness/requests.ts';
import { makeWebhook } from './conformance/webhooks.ts';

describe('the metrics and health of each process', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let group: TestGroup;

  before(async () => {
    cluster = await startCluster({
      processes: APART_WITH_FURTHER,
      settings: { WEBHOOK_PRIVATE_ADDRESSES: 'allow' },
    });
    group = await foundGroup(cluster, { size: 3, funding: 10_000 });
  });
  after(() => cluster.stop());

  type Service = Parameters<Cluster['running']>[0];

  function probeUrl(service: Service): string {
    return /metrics on (http\S+)\/metrics/.exec(cluster.running(service).output())?.[1] ?? '';
  }

  /** Returns the values of a process's metrics, by name with labels. */
  async function metricsOf(service: Service): Promise<Map<string, number>> {
    const text = await (await fetch(`${probeUrl(service)}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    );
  }

  async function health(service: Service): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(`${probeUrl(service)}/health`);
    return { status: answer.status, body: await answer.json() };
  }

  it('count the actions, calls, batches and events of a contribution where they happen', async () => {
    const [founder, payer] = group.members;
    await done(contribute(payer!, await openedMeeting(founder!), 1_000));
    const gateway = await metricsOf('gateway');
    const route = '/association-service/api/v1/associations/:association_id/meetings/:meeting_id/contribute';
    const labels = `http_request_method="POST",http_route="${route}",http_response_status_code="201"`;
    expect(gateway.get(`http_server_request_duration_seconds_count{${labels}}`)).to.equal(1);
    expect(
      gateway.get('rpc_client_call_duration_seconds_count{rpc_method="contribution.contribute",error_type=""}'),
    ).to.equal(1);
    const contribution = await metricsOf('contribution');
    expect(
      contribution.get('rpc_server_call_duration_seconds_count{rpc_method="contribution.contribute",error_type=""}'),
    ).to.equal(1);
    expect(
      contribution.get('rpc_client_call_duration_seconds_count{rpc_method="treasury.transfer",error_type=""}'),
    ).to.equal(1);
    expect(contribution.get('group_commit_batch_items_sum{batch="contributions"}')).to.equal(1);
    const treasury = await metricsOf('treasury');
    expect(treasury.get('group_commit_batch_items_sum{batch="postings"}')).to.be.at.least(4);
    expect((await metricsOf('membership')).get('pin_attempts_total{result="right"}')).to.equal(1);
    await eventually(async () => {
      expect((await metricsOf('contribution')).get('outbox_published_events_total{outbox="contribution"}')).to.equal(2);
    });
  });

  it('count the locks of PINs', async () => {
    const member = group.members[2]!;
    const meeting_id = await openedMeeting(group.members[0]!, 'Guessed');
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const body = { wallet_id: member.wallet_id, amount: 1_000, pin: await member.http.sealedPin('9999') };
      await member.http.send('POST', `${group.path}/meetings/${meeting_id}/contribute`, body);
    }
    const membership = await metricsOf('membership');
    const counted = ['wrong', 'locks', 'locked'].map((result) =>
      membership.get(`pin_attempts_total{result="${result}"}`),
    );
    expect(counted).to.deep.equal([4, 1, 1]);
  });

  it('show the sagas that wait, the events that are not published, and dead letters', async () => {
    await eventually(async () => {
      const found = await metricsOf('contribution');
      expect(found.get('outbox_unpublished_events{outbox="contribution"}')).to.equal(0);
      expect(found.get('saga_unfinished{saga="contribution",state="pending"}')).to.equal(0);
    });
    const subscription = 'messaging_consumer_group_name="membership-cycle-completed"';
    await inDatabase(cluster, 'membership', async (client) => {
      await client.query(`INSERT INTO dead_letters (consumer, event_id, subject, event, error, deliveries, dead_at)
        VALUES ('membership-cycle-completed', gen_random_uuid(), 's', '{}', 'e', 8, now())`);
    });
    await eventually(async () => {
      const found = await metricsOf('membership');
      expect(found.get(`messaging_dead_letters{${subscription}}`), [...found.keys()].join()).to.equal(1);
      expect(found.get(`messaging_consumer_lag_seconds{${subscription}}`)).to.equal(0);
    }, 15_000);
  });

  it('count what further services are asked, and what they send', async () => {
    const { http, path } = group.members[0]!;
    await makeWebhook(http, `${path}/webhooks`);
    await http.ok('/me/notifications');
    const served = (name: string) => `rpc_server_call_duration_seconds_count{rpc_method="${name}",error_type=""}`;
    await eventually(async () => {
      const webhooks = await metricsOf('webhooks');
      expect(webhooks.get(served('webhooks.ping_webhook'))).to.equal(1);
      expect(webhooks.get('webhook_attempts_total{outcome="delivered"}')).to.equal(1);
      expect(webhooks.get('webhook_attempts_total{outcome="failed"}')).to.equal(0);
    });
    const reminders = await metricsOf('reminders');
    expect(reminders.get(served('reminders.get_preferences'))).to.equal(1);
    expect(reminders.get('reminders_oldest_due_seconds')).to.be.at.least(0);
  });

  it('say when the PIN key expires, only where membership runs', async () => {
    const day_s = 86_400;
    const expiry_s = (await metricsOf('membership')).get('pin_key_expiry_timestamp_seconds');
    expect(expiry_s).to.be.within(Date.now() / 1_000 + 89 * day_s, Date.now() / 1_000 + 90 * day_s);
    expect((await metricsOf('treasury')).has('pin_key_expiry_timestamp_seconds')).to.equal(false);
  });

  it('count from 0, so that the first increase is seen', async () => {
    const contribution = await metricsOf('contribution');
    expect(contribution.get('saga_recovered_total{saga="settlement",result="failed"}')).to.equal(0);
    expect(contribution.get('outbox_lost_events_total{outbox="contribution"}')).to.equal(0);
    expect(contribution.get('telemetry_failed_collections_total{part="sagas"}')).to.equal(0);
  });

  it('say which process can serve', async () => {
    expect(await health('treasury')).to.deep.equal({
      status: 200,
      body: { status: 'ready', services: { treasury: 'up' } },
    });
    expect(await health('gateway')).to.deep.equal({
      status: 200,
      body: { status: 'ready', services: { gateway: 'up' } },
    });
    for (const service of ['webhooks', 'reminders'] as const) {
      const ready = { status: 200, body: { status: 'ready', services: { [service]: 'up' } } };
      expect(await health(service)).to.deep.equal(ready);
    }
    expect((await metricsOf('gateway')).get('health_ready')).to.equal(1);
    await cluster.running('treasury').end();
    await eventually(async () => {
      expect(await health('gateway')).to.deep.equal({
        status: 503,
        body: { status: 'down', services: { gateway: 'down' } },
      });
    });
    expect((await health('contribution')).status).to.equal(200);
    await eventually(async () => expect((await metricsOf('gateway')).get('health_ready')).to.equal(0));
    expect((await metricsOf('contribution')).get('health_ready')).to.equal(1);
  });
});
