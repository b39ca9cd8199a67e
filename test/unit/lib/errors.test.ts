import { expect } from 'chai';
import { Errors } from 'moleculer';
import { ERRORS } from '../../../lib/errors/codes.ts';
import { callFailure, errorType, problem, problemCode, problemExtras } from '../../../lib/errors/problem.ts';
import { LANGUAGES } from '../../../lib/language/languages.ts';

/** Returns what is left of an error after it was sent over NATS. */
function overTheWire(error: Error): Error {
  const { name, message, code, type, data } = error as Error & Record<'code' | 'type' | 'data', unknown>;
  const plain = JSON.parse(JSON.stringify({ name, message, code, type, data })) as object;
  return Object.assign(new Error(message), plain);
}

describe('problems', () => {
  it('keep their code and extras when they are sent over NATS', () => {
    const error = overTheWire(problem('contribution_exceeds_due', { outstanding: 5 }));
    expect(problemCode(error)).to.equal('contribution_exceeds_due');
    expect(problemExtras(error)).to.deep.equal({ outstanding: 5 });
  });

  it('are not recognized in values without a known code', () => {
    for (const error of [new Error('x'), null, undefined, { type: 'toString' }, { type: 7 }]) {
      expect([problemCode(error), problemExtras(error)]).to.deep.equal([undefined, {}]);
    }
  });

  it('have a status of 4xx or 5xx, and a title and a detail in every language', () => {
    // Names of members and headers, which are the same in both languages.
    const names = (text: string) => (text.match(/`[\w-]+`/g) ?? []).toSorted();
    for (const [code, entry] of Object.entries(ERRORS)) {
      expect(code).to.match(/^[a-z][a-z_]+$/);
      expect(entry.status).to.be.within(400, 503);
      for (const { title, detail } of LANGUAGES.map((language) => entry[language])) {
        expect(title, code).to.match(/^\S.*[^.\s]$/);
        expect(detail, code).to.match(/^\S.*\.$/);
      }
      expect(entry.fr.title, code).to.not.equal(entry.en.title);
      expect(names(entry.fr.detail), code).to.deep.equal(names(entry.en.detail));
    }
  });
});

describe('the type of an error in metrics', () => {
  it('is the code of a problem, or the type of an error of Moleculer, also of another service', () => {
    const timeout = new Errors.RequestTimeoutError({ action: 'treasury.transfer', nodeID: 'n' });
    for (const error of [timeout, overTheWire(timeout)]) expect(errorType(error)).to.equal('REQUEST_TIMEOUT');
    expect(errorType(overTheWire(problem('insufficient_funds')))).to.equal('insufficient_funds');
    for (const error of [new Error('x'), null, undefined, { type: 7 }])
      expect(errorType(error)).to.equal('internal_error');
  });

  it('is `other` for any other type, so that texts of other services make no time series', () => {
    const types = [
      'toString',
      '',
      'ECONNRESET',
      ...Array.from({ length: 100 }, (_, index) => `made_up_${String(index)}`),
    ];
    expect(new Set(types.map((type) => errorType({ type })))).to.deep.equal(new Set(['other']));
  });

  it('is known for each error of Moleculer that a call may end with', () => {
    const about = { action: 'treasury.transfer', nodeID: 'n' };
    const errors = [
      new Errors.ServiceNotFoundError(about),
      new Errors.ServiceNotAvailableError(about),
      new Errors.ValidationError('invalid'),
      new Errors.RequestTimeoutError(about),
      new Errors.RequestSkippedError(about),
      new Errors.RequestRejectedError(about),
      new Errors.QueueIsFullError(about),
      new Errors.MaxCallLevelError({ nodeID: 'n', level: 9 }),
    ];
    for (const error of errors) expect(errorType(error), error.name).to.equal(error.type).and.not.equal('other');
  });
});

describe('a failed call', () => {
  const action = 'treasury.transfer';
  const failures: [string, unknown, ReturnType<typeof callFailure>][] = [
    ['a refusal', problem('insufficient_funds'), 'refused'],
    ['a refusal of another service', overTheWire(problem('not_found')), 'refused'],
    ['a service that was not found', new Errors.ServiceNotFoundError({ action }), 'not_run'],
    ['a timeout', new Errors.RequestTimeoutError({ action, nodeID: 'n' }), 'unknown'],
    ['a fault', problem('internal_error'), 'unknown'],
    ['a fault of another service', overTheWire(problem('service_unavailable')), 'unknown'],
    ['any other error', new Error('?'), 'unknown'],
  ];
  for (const [name, error, meaning] of failures) {
    it(`is classified as ${meaning} after ${name}`, () => {
      expect(callFailure(error)).to.equal(meaning);
    });
  }
});
