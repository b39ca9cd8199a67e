import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { FURTHER_SERVICES, TABLE_SERVICES } from '../../../lib/config/service-names.ts';
import { CONSUMERS } from '../../../lib/contracts/events.ts';
import type { Subscription } from '../../../lib/events/handle-events.ts';
import {
  natsPermissions,
  permissionsFile,
  requireFreeLogin,
  type OtherService,
} from '../../../lib/transport/nats-permissions.ts';
import { parseOtherServices } from '../../../lib/transport/other-services.ts';
import { onEvent } from '../../../services/reminders/src/groups/on-event.ts';
import { onAnyEvent } from '../../../services/webhooks/src/events/on-any-event.ts';
import { ROOT } from '../../harness/process.ts';

/** The subscriptions of the further services, which are not run here. */
const SUBSCRIPTIONS: Record<(typeof FURTHER_SERVICES)[number], Subscription[]> = {
  webhooks: [onAnyEvent({} as never)],
  reminders: [onEvent({} as never)],
};

describe('deploy/nats/permissions.conf', () => {
  const read = (file: string) => readFile(join(ROOT, 'deploy', 'nats', file), 'utf8');

  const readOthers = async () => parseOtherServices(await read('other-services.json'));

  it('is what `npm run nats:permissions` writes', async () => {
    expect(await read('permissions.conf')).to.equal(permissionsFile(await readOthers()));
  });

  it('has each further service of this project, which gateways call, with the consumers of its code', async () => {
    const others = await readOthers();
    expect(others.map(({ name }) => name)).to.include.members([...FURTHER_SERVICES]);
    for (const service of FURTHER_SERVICES) {
      const { consumers, called_by } = others.find(({ name }) => name === service) ?? {};
      const own = SUBSCRIPTIONS[service].map(({ durable, type }) => [durable, type]);
      expect(consumers, service).to.deep.equal(Object.fromEntries(own));
      expect(called_by, service).to.include('gateway');
    }
  });

  it('keeps the names of the further services from those of other teams', () => {
    requireFreeLogin('payroll');
    for (const name of [...FURTHER_SERVICES, ...TABLE_SERVICES, 'gateway', 'association', 'operator', 'route'])
      expect(() => requireFreeLogin(name)).to.throw(StartupError, 'this project uses it at NATS');
  });

  it('lets webhooks tell users through reminders, and neither of them ask the treasury', async () => {
    const { webhooks, reminders, treasury } = natsPermissions(await readOthers());
    expect(webhooks?.publish).to.include('MOL.REQ.reminders.>');
    expect(reminders?.publish).to.include('MOL.RES.webhooks.>').and.not.include('MOL.REQ.webhooks.>');
    for (const { publish = [] } of [webhooks ?? {}, reminders ?? {}] as { publish?: string[] }[]) {
      expect(publish).not.to.include('MOL.REQ.treasury.>');
      expect(publish.filter((subject) => /^(ledger|outbox)\./.test(subject))).to.deep.equal([]);
    }
    expect(treasury?.publish.filter((subject) => /webhooks|reminders/.test(subject))).to.deep.equal([]);
  });

  it('names each consumer after the service that owns it', () => {
    for (const durable of Object.keys(CONSUMERS)) {
      expect(TABLE_SERVICES.filter((service) => durable.startsWith(`${service}-`))).to.have.length(1);
    }
  });

  const payroll: OtherService = {
    name: 'payroll',
    calls: ['membership'],
    consumers: { 'payroll-member-joined': 'member.joined' },
    streams: ['PAYROLL'],
    publishes: ['payroll.v1.>'],
  };

  it('lets the service of another team call what it names, follow events, and publish its own', () => {
    const { payroll: own, membership, treasury } = natsPermissions([payroll]);
    expect(own?.publish).to.include.members([
      'MOL.REQ.membership.>',
      '$JS.API.CONSUMER.MSG.NEXT.LEDGER.payroll-member-joined',
      '$JS.ACK.LEDGER.payroll-member-joined.>',
      'payroll.v1.>',
    ]);
    expect(own?.publish.filter((subject) => /^(ledger|outbox|MOL\.(REQ\.(?!membership)|RES))/.test(subject))).to.be
      .empty;
    expect(own?.subscribe).to.include.members(['MOL.RES.payroll.>', '_INBOX.payroll.>']);
    expect(membership?.publish).to.include('MOL.RES.payroll.>');
    expect(treasury?.publish).not.to.include('MOL.RES.payroll.>');
  });

  it('lets the service of another team read streams, and create none: one may record and send any subject', () => {
    const streams = natsPermissions([payroll]).payroll?.publish.filter((each) => each.startsWith('$JS.API.STREAM.'));
    const read = (stream: string) => [`$JS.API.STREAM.INFO.${stream}`, `$JS.API.STREAM.MSG.GET.${stream}`];
    expect(streams).to.have.members([...read('LEDGER'), ...read('PAYROLL')]);
  });

  it('lets the services that the service of another team names call it', () => {
    const called: OtherService = { name: 'rates', called_by: ['gateway', 'payroll'] };
    const { rates, gateway, payroll: caller, treasury } = natsPermissions([payroll, called]);
    expect(rates?.publish).to.include.members(['MOL.RES.gateway.>', 'MOL.RES.payroll.>']);
    for (const each of [gateway, caller]) expect(each?.publish).to.include('MOL.REQ.rates.>');
    expect(treasury?.publish).not.to.include('MOL.REQ.rates.>');
  });

  for (const [what, changed] of [
    ["a service's name", { name: 'treasury' }],
    ['the consumer of a further service', { consumers: { 'webhooks-events': '*' } }],
    ["the name of this project's subjects", { name: 'ledger', consumers: {}, publishes: ['ledger.v1.>'] }],
    ['a service to call that does not exist', { calls: ['tresury' as 'treasury'] }],
    ['a caller that does not exist', { called_by: ['gatway'] }],
    ['a name with a dot', { name: 'pay.roll' }],
    ["another service's consumer", { consumers: { 'treasury-member-joined': 'member.joined' } }],
    ['events of this project', { publishes: ['ledger.v1.>'] }],
    ['the stream of this project', { streams: ['LEDGER'] }],
  ] satisfies [string, Partial<OtherService>][]) {
    it(`is not written for another team's service with ${what}`, () => {
      expect(() => permissionsFile([{ ...payroll, ...changed }])).to.throw(StartupError);
    });
  }

  for (const [what, content, message] of [
    ['no JSON', '[{', /is not JSON/],
    ['no list', '{}', /array/],
    ['an entry without a name', [{}], /name/],
    ['a misspelled member', [{ ...payroll, consumer: {} }], /consumer/],
    ['a type of event that does not exist', [{ ...payroll, consumers: { 'payroll-x': 'member.join' } }], /payroll-x/],
    ['a name twice', [payroll, payroll], /"payroll" twice/],
  ] as const) {
    it(`is not written from ${what}`, () => {
      const json = typeof content === 'string' ? content : JSON.stringify(content);
      expect(() => parseOtherServices(json)).to.throw(StartupError, message);
    });
  }
});
