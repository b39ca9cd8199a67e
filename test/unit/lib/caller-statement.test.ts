import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { signingKeys } from '../../../lib/config/caller-keys.ts';
import { TABLE_SERVICES } from '../../../lib/config/service-names.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { ACTING } from '../../../lib/contracts/acting.ts';
import type { Command } from '../../../lib/contracts/action.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { problemCode } from '../../../lib/errors/problem.ts';
import { readStatement, signStatement, type CallerStatement } from '../../../lib/service/caller-statement.ts';
import { callerCheck, STATEMENT_VALID_MS } from '../../../lib/service/check-caller.ts';
import type { CallContext, Statements } from '../../../lib/service/implement.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';
import { callerStatements } from '../../../services/gateway/tokens/state-caller.ts';

const keyOf = (service: string) => createSecretKey(Buffer.from(`the key of ${service}`));
const KEYS = signingKeys((service) => [keyOf(service)]);
const NOW = new Date('2026-10-05T12:00:00Z');
const AWA = { user_id: 'awa', name: 'Awa', scopes: ['wallets:fund'] };
const OPERATION = '0192f0c0-0000-7000-8000-000000000001';

const statement: fc.Arbitrary<CallerStatement> = fc.record({
  user_id: fc.string({ unit: 'binary' }),
  name: fc.option(fc.string({ unit: 'binary' })),
  scopes: fc.array(fc.string()),
  action: fc.string(),
  operation_id: fc.uuid(),
  issued_at_ms: fc.nat(),
});

const key = fc.uint8Array({ minLength: 32, maxLength: 64 }).map((bytes) => createSecretKey(Buffer.from(bytes)));

describe('a statement of the caller', () => {
  it('is read unchanged with the key that signed it, also while another one replaces that', () => {
    fc.assert(
      fc.property(statement, key, key, (stated, one, other) => {
        const signed = signStatement(one, stated);
        expect(readStatement([one], signed)).to.deep.equal(stated);
        expect(readStatement([other, one], signed)).to.deep.equal(stated);
      }),
    );
  });

  it('is not read with the key of another service', () => {
    fc.assert(
      fc.property(statement, key, key, (stated, one, other) => {
        fc.pre(!one.equals(other));
        expect(readStatement([other], signStatement(one, stated))).to.equal(undefined);
      }),
    );
  });

  it('is not read after any change of its text', () => {
    fc.assert(
      fc.property(statement, key, fc.nat(), fc.string({ maxLength: 2 }), (stated, signing, at, by) => {
        const signed = signStatement(signing, stated);
        const place = at % signed.length;
        const changed = signed.slice(0, place) + by + signed.slice(place + 1);
        fc.pre(changed !== signed);
        expect(readStatement([signing], changed)).to.equal(undefined);
        expect(readStatement([signing], signed.slice(0, place))).to.equal(undefined);
      }),
    );
  });

  it('is not read from anything but a text', () => {
    for (const given of [undefined, null, 1, {}, [], '', 'x'.repeat(43)]) {
      expect(readStatement([keyOf('treasury')], given)).to.equal(undefined);
    }
  });
});

describe('the key for callers', () => {
  it('of each service differs from all keys of the others', () => {
    const same = createSecretKey(Buffer.from('same'));
    const own = (service: string) => createSecretKey(Buffer.from(service));
    const keysOf = (service: string) => [own(service), ...(['treasury', 'governance'].includes(service) ? [same] : [])];
    expect(() => signingKeys(keysOf)).to.throw(StartupError, 'GOVERNANCE_CALLER_KEY and TREASURY_CALLER_KEY');
  });

  it('signs if it is the first of two', () => {
    const keysOf = (service: string) => ['new', 'old'].map((each) => createSecretKey(Buffer.from(each + service)));
    expect(signingKeys(keysOf)('treasury')?.equals(keysOf('treasury')[0]!)).to.equal(true);
  });
});

describe('the key for callers of a further service', () => {
  const keysOf = (service: string) => [createSecretKey(Buffer.from(service))];

  it('is found for every name in development, and in production only for those with a key', () => {
    expect(signingKeys(keysOf)('payroll')?.equals(keysOf('payroll')[0]!)).to.equal(true);
    const inProduction = signingKeys(keysOf, ['payroll']);
    expect(inProduction('payroll')?.equals(keysOf('payroll')[0]!)).to.equal(true);
    expect(inProduction('other')).to.equal(undefined);
  });

  it('must differ from those of all others', () => {
    const same = () => keysOf('same');
    expect(() =>
      signingKeys((service) => (service === 'payroll' ? keysOf('treasury') : keysOf(service)), ['payroll']),
    ).to.throw(StartupError, 'PAYROLL_CALLER_KEY and TREASURY_CALLER_KEY');
    expect(() => signingKeys(same, [])).to.throw(StartupError);
  });
});

describe('the statements of a request', () => {
  const state = callerStatements(KEYS, { clock: () => NOW, newId: () => OPERATION });
  const receivers = (action: string) => Object.keys(state(AWA, action)).sort();

  it('are for the called service, and for those that it calls for the user', () => {
    expect(receivers('contribution.contribute')).to.deep.equal(['contribution', 'membership', 'treasury']);
    expect(receivers('contribution.settle')).to.deep.equal(['contribution', 'membership']);
    expect(receivers('governance.approve')).to.deep.equal(['governance', 'membership']);
    expect(receivers('treasury.deposit')).to.deep.equal(['membership', 'treasury']);
    expect(receivers('membership.set_pin')).to.deep.equal(['membership']);
    expect(receivers('membership.overview')).to.deep.equal(['membership', 'treasury']);
    expect(receivers('payroll.list_wages')).to.deep.equal(['membership', 'payroll']);
  });

  it('can be made for every route that needs a token', () => {
    for (const { endpoint } of ROUTES) {
      if (endpoint.open !== true) expect(receivers(endpoint.name)).to.include(endpoint.name.split('.')[0]);
    }
  });

  it('tell other services only the user', () => {
    const { treasury: signed } = state(AWA, 'contribution.contribute');
    expect(readStatement([keyOf('treasury')], signed)).to.deep.equal({
      user_id: 'awa',
      name: null,
      scopes: [],
      action: 'contribution.contribute',
      operation_id: OPERATION,
      issued_at_ms: NOW.getTime(),
    });
  });

  it('are made for every command whose contract acts for a user', () => {
    const contracts = [membership, contribution, treasury, governance].flatMap((service): unknown[] =>
      Object.values(service),
    ) as Partial<Command>[];
    const acting = contracts.filter(({ kind, acts_for }) => kind === 'command' && acts_for !== undefined);
    expect(new Set(acting)).to.deep.equal(new Set(ACTING));
  });
});

describe('the check of callers', () => {
  const { contribute } = contribution;
  const { transfer } = treasury;
  const state = callerStatements(KEYS, { clock: () => NOW, newId: () => OPERATION });
  const stated = (action: string = contribute.name, caller = AWA) => state(caller, action);
  const payment = { id: OPERATION, payer_user_id: 'awa' } as Parameters<
    NonNullable<typeof transfer.acts_for>['user']
  >[0];

  const contextOf = (statements?: Statements, meta = {}) =>
    ({ meta, locals: { statements }, nodeID: 'contribution.one', service: undefined }) as unknown as CallContext;
  const checkOf = (service: (typeof TABLE_SERVICES)[number], isRequired = true, now = NOW) =>
    callerCheck({ service, keys: [keyOf(service)], isRequired, clock: () => now });
  const outcome = (check: () => unknown): unknown => {
    try {
      return check() ?? 'done';
    } catch (error) {
      return problemCode(error) ?? (error as Error).message;
    }
  };
  const asEndpoint = (statements?: Statements, now = NOW) =>
    outcome(() => checkOf('contribution', true, now).ofEndpoint(contextOf(statements), contribute));
  const asCommand = (statements: Statements | undefined, input = payment, now = NOW) =>
    outcome(() => checkOf('treasury', true, now).ofCommand(contextOf(statements), transfer, input));

  it('takes the caller and the operation from the statement', () => {
    const ctx = contextOf(stated(), { caller: { user_id: 'mallory', name: null, scopes: [] } });
    expect(checkOf('contribution').ofEndpoint(ctx, contribute)).to.include({ user_id: 'awa', name: 'Awa' });
    expect(ctx.locals.operation_id).to.equal(OPERATION);
    expect(asCommand(stated())).to.equal('done');
  });

  it('lets only actions of this project check a PIN', () => {
    const ask = (action: string, more: object) =>
      outcome(() => {
        const input = { association_id: OPERATION, user_id: 'awa', permission: 'read', ...more } as const;
        checkOf('membership').ofCommand(contextOf(stated(action)), membership.authorize, input);
      });
    const pin = { pin: 'sealed' };
    expect(ask('payroll.pay_wages', {})).to.equal('done');
    expect(ask('payroll.pay_wages', pin)).to.equal('internal_error');
    expect(ask('webhooks.create_webhook', pin)).to.equal('internal_error');
    expect(ask('contribution.contribute', pin)).to.equal('done');
  });

  it('refuses a call without a statement for this service, action and user', () => {
    const { treasury: other } = stated();
    const refused: Record<string, unknown> = {
      'no statement of a request': asEndpoint(),
      'a statement for another service': asEndpoint({ contribution: other! }),
      'a statement for another action': asEndpoint(stated('contribution.settle')),
      'no statement of a command': asCommand(undefined),
      'a plain caller': outcome(() =>
        checkOf('contribution').ofEndpoint(contextOf(undefined, { caller: AWA }), contribute),
      ),
      "another user's statement": asCommand(stated(contribute.name, { ...AWA, user_id: 'binta' })),
      'a statement for an action without the command': asCommand({
        treasury: signStatement(keyOf('treasury'), {
          ...AWA,
          action: 'treasury.deposit',
          operation_id: OPERATION,
          issued_at_ms: NOW.getTime(),
        }),
      }),
    };
    expect(refused).to.deep.equal(Object.fromEntries(Object.keys(refused).map((name) => [name, 'internal_error'])));
  });

  it('refuses an old statement, and one of the future, except for the operation that it names', () => {
    const other = { ...payment, id: '0192f0c0-0000-7000-8000-000000000002' };
    for (const sign of [1, -1]) {
      const last = new Date(NOW.getTime() + sign * STATEMENT_VALID_MS);
      const past = new Date(last.getTime() + sign);
      expect([asEndpoint(stated(), past), asCommand(stated(), other, past)]).to.deep.equal(
        Array.from({ length: 2 }, () => 'internal_error'),
      );
      expect([asCommand(stated(), other, last), asCommand(stated(), payment, past)]).to.deep.equal(['done', 'done']);
      expect(asEndpoint(stated(), last)).to.deep.include(AWA);
    }
  });

  it('needs no statement for what a service does in its own name', () => {
    expect(asCommand(undefined, { ...payment, payer_user_id: null })).to.equal('done');
  });

  it('accepts a plain caller if statements are optional, and still none at all', () => {
    const check = checkOf('contribution', false);
    expect(check.ofEndpoint(contextOf(undefined, { caller: AWA }), contribute)).to.equal(AWA);
    expect(outcome(() => checkOf('treasury', false).ofCommand(contextOf(), transfer, payment))).to.equal('done');
    expect(outcome(() => check.ofEndpoint(contextOf(), contribute))).to.equal(
      'contribution.contribute was called without a caller',
    );
  });
});
