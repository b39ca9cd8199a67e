import { expect } from 'chai';
import { problem } from '../../../lib/errors/problem.ts';
import type { GatewayBench } from '../../harness/gateway.ts';
import { NEW, StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: languages of a problem', () => {
  let gateway: StubbedGateway;
  let bench: GatewayBench;

  before(async () => {
    gateway = await StubbedGateway.start();
    ({ bench } = gateway);
  });
  after(() => bench.stop());
  afterEach(() => {
    gateway.reset();
  });

  const inFrench = { 'Accept-Language': 'fr-CM, fr;q=0.9, en;q=0.5' };

  it('are English where the client asks for none that we have', async () => {
    for (const headers of [{}, { 'Accept-Language': 'de' }, { 'Accept-Language': '*' }, { 'Accept-Language': ';;' }]) {
      const reply = await bench.send('GET /nothing', { headers });
      expect(reply.body).to.include({ title: 'Not found' });
      expect(reply.headers).to.include({ 'content-language': 'en', vary: 'Accept-Language' });
    }
  });

  it('are French for who likes that better', async () => {
    for (const accept of ['fr', 'fr-FR', 'FR', 'en;q=0.3, fr;q=0.8', 'de, fr;q=0.1', 'en;q=0, *']) {
      const reply = await bench.send('GET /nothing', { headers: { 'Accept-Language': accept } });
      expect([accept, reply.body.title, reply.body.code]).to.deep.equal([accept, 'Introuvable', 'not_found']);
      expect(reply.headers).to.include({ 'content-language': 'fr', vary: 'Accept-Language' });
    }
  });

  it('hold for what is wrong with each field', async () => {
    const reply = await bench.send('POST /associations', {
      body: { ...NEW, name: '', currency: 'XAU', max_members: 1, more: 1 },
      headers: inFrench,
    });
    const details = Object.fromEntries(
      (reply.body.errors as { pointer: string; detail: string }[]).map(({ pointer, detail }) => [pointer, detail]),
    );
    expect(details).to.deep.equal({
      '/name': 'Ce champ doit compter au moins 1 caractère.',
      '/currency': 'Ce champ doit être le code ISO 4217 d’une devise ayant une unité divisionnaire.',
      '/max_members': 'Ce champ doit être au moins égal à 2.',
      '/more': 'Ce champ n’existe pas ici.',
    });
  });

  it('hold for what a service says about a field, as far as its code tells', async () => {
    const errors = [
      { pointer: '/a', code: 'required', detail: 'The order `manual` needs member_order.' },
      { pointer: '/b', code: 'made_up', detail: 'Made up.' },
    ];
    gateway.fails(() => problem('validation_failed', { errors }));
    const reply = await bench.send('POST /associations', { body: NEW, headers: inFrench });
    expect(reply.body.errors).to.deep.equal([
      { pointer: '/a', code: 'required', detail: 'Une valeur est requise ici pour cette requête.' },
      { pointer: '/b', code: 'made_up', detail: 'Made up.' },
    ]);
    expect((await bench.send('POST /associations', { body: NEW })).body.errors).to.deep.equal(errors);
  });

  it('leave the challenge of a refused token in ASCII', async () => {
    const reply = await bench.send('GET /associations/my', { token: 'x', headers: inFrench });
    expect(reply.body.title).to.equal('Jeton d’accès invalide');
    expect(reply.headers['www-authenticate']).to.match(/^[\x20-\x7e]+$/);
  });
});
