import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { startCluster, inDatabase, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';
import { ask, contribute, leave, openedMeeting } from '../harness/requests.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SERVER = 2;
const CLIENT = 3;
const PRODUCER = 4;
const CONSUMER = 5;

/** A span as OTLP has it in JSON, with the service that sent it. */
interface Span {
  service: string;
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

interface Export {
  resourceSpans: { resource: Pick<Span, 'attributes'>; scopeSpans: { spans: Omit<Span, 'service'>[] }[] }[];
}

describe('traces', function () {
  this.timeout(120_000);
  const spans: Span[] = [];
  let collector: Server;
  let cluster: Cluster;
  let group: TestGroup;

  before(async () => {
    collector = createServer((request, response) => {
      void text(request).then((body) => {
        spans.push(...spansIn(JSON.parse(body) as Export));
        response.setHeader('Content-Type', 'application/json').end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    cluster = await startCluster({
      processes: [['gateway'], ['membership', 'governance'], ['contribution'], ['treasury']],
      settings: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    });
    group = await foundGroup(cluster, { size: 2, funding: 10_000 });
  });
  after(async () => {
    await cluster.stop();
    collector.close();
  });

  function spansIn({ resourceSpans }: Export): Span[] {
    return resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service })));
    });
  }

  const ofTrace = () => spans.filter(({ traceId }) => traceId === TRACE);

  /** Returns the span that the list of names leads to, from the client's down. */
  function descend(...path: [service: string, kind: number, name: string][]): Span {
    let parent = PARENT;
    let found: Span | undefined;
    for (const [service, kind, name] of path) {
      found = ofTrace().find(
        (each) => each.parentSpanId === parent && each.service === service && each.kind === kind && each.name === name,
      );
      expect(found, `${name} of ${service}`).to.not.equal(undefined);
      parent = found!.spanId;
    }
    return found!;
  }

  it('go from the request through calls and statements to the events that it causes', async () => {
    const [founder, payer] = group.members;
    const asked = contribute(payer!, await openedMeeting(founder!), 1_000);
    const headers = { 'X-Request-Id': 'traced-1', traceparent: `00-${TRACE}-${PARENT}-01` };
    const answer = await ask(asked, headers);
    expect(answer.status).to.equal(201);
    expect(answer.headers.get('traceparent')).to.match(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    const route = 'POST /association-service/api/v1/associations/:association_id/meetings/:meeting_id/contribute';
    const request = ['gateway', SERVER, route] as [string, number, string];
    const contribution = [
      request,
      ['gateway', CLIENT, 'contribution.contribute'],
      ['contribution', SERVER, 'contribution.contribute'],
    ] as (typeof request)[];
    await eventually(() => {
      descend(
        ...contribution,
        ['contribution', CLIENT, 'membership.authorize'],
        ['membership,governance', SERVER, 'membership.authorize'],
      );
      const posting = descend(
        ...contribution,
        ['contribution', CLIENT, 'treasury.transfer'],
        ['treasury', SERVER, 'treasury.transfer'],
      );
      const names = ofTrace()
        .filter(({ service }) => service === 'treasury')
        .map(({ name }) => name);
      expect(names).to.include.members(['ledger.write', 'publish transfer.posted']);
      expect(posting.attributes.map(({ key }) => key)).to.include('rpc.method');
    });
  });

  it('go on in the subscriptions that handle the events, in other services', async () => {
    const answer = await ask(leave(group.members[1]!), { traceparent: `00-${TRACE}-${PARENT}-01` });
    expect(answer.status).to.equal(204);
    await eventually(() => {
      const ids = new Set(ofTrace().map(({ spanId }) => spanId));
      for (const [kind, name] of [
        [PRODUCER, 'publish member.left'],
        [CONSUMER, 'process member.left'],
      ] as const) {
        const span = ofTrace().find((each) => each.kind === kind && each.name === name);
        expect(ids.has(span?.parentSpanId ?? ''), name).to.equal(true);
      }
    });
  });

  it('and request ids are in the events that a request causes, in each service', async () => {
    for (const [service, type] of [
      ['treasury', 'transfer.posted'],
      ['contribution', 'contribution.paid'],
    ] as const) {
      const { rows } = await inDatabase(cluster, service, (client) =>
        client.query<{ trace: string; requestid: string }>(
          `SELECT split_part(event ->> 'traceparent', '-', 2) AS trace, event ->> 'requestid' AS requestid
           FROM outbox WHERE type = $1 ORDER BY position DESC LIMIT 1`,
          [type],
        ),
      );
      expect(rows).to.deep.equal([{ trace: TRACE, requestid: 'traced-1' }]);
    }
  });

  it('have the text of statements, but no values, names, tokens or PINs', () => {
    const values = spans.flatMap(({ attributes }) => attributes.map(({ value }) => value.stringValue ?? ''));
    const all = [...values, ...spans.map(({ name }) => name)].join('\n');
    expect(all).to.contain('INSERT INTO outbox');
    const [, payer] = group.members;
    for (const secret of [payer!.http.token, payer!.user, payer!.member_id, payer!.wallet_id, 'Member 1']) {
      expect(all).to.not.contain(secret);
    }
  });
});
