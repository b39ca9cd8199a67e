import { expect } from 'chai';
import { Errors } from 'moleculer';
import { ERRORS } from '../../../lib/errors/codes.ts';
import { callFailure, problem, problemCode, problemExtras } from '../../../lib/errors/problem.ts';
import { LANGUAGES } from '../../../lib/language/languages.ts';

/** What is left of an error once it has crossed NATS. */
function overTheWire(error: Error & { code?: unknown; type?: unknown; data?: unknown }): Error {
  const plain = JSON.parse(
    JSON.stringify({ name: error.name, message: error.message, code: error.code, type: error.type, data: error.data }),
  ) as { message: string };
  return Object.assign(new Error(plain.message), plain);
}

describe('problems', () => {
  it('keep their code and extras across the wire', () => {
    const error = overTheWire(problem('contribution_exceeds_due', { outstanding: 5 }));
    expect(problemCode(error)).to.equal('contribution_exceeds_due');
    expect(problemExtras(error)).to.deep.equal({ outstanding: 5 });
  });

  it('are not seen in errors that carry another type', () => {
    for (const error of [new Error('x'), null, undefined, { type: 'toString' }, { type: 7 }]) {
      expect(problemCode(error)).to.equal(undefined);
      expect(problemExtras(error)).to.deep.equal({});
    }
  });

  it('have a status of 4xx or 5xx and, in every language, a title and advice', () => {
    for (const [code, entry] of Object.entries(ERRORS)) {
      expect(code).to.match(/^[a-z][a-z_]+$/);
      expect(entry.status).to.be.within(400, 503);
      for (const language of LANGUAGES) {
        const { title, detail } = entry[language];
        expect(title, code).to.match(/^\S.*[^.\s]$/);
        expect(detail, code).to.match(/^\S.*\.$/);
      }
      expect(entry.fr.title, code).to.not.equal(entry.en.title);
      // Members of the document and headers are named alike in both.
      const names = (text: string) => (text.match(/`[\w-]+`/g) ?? []).toSorted();
      expect(names(entry.fr.detail), code).to.deep.equal(names(entry.en.detail));
    }
  });
});

describe('a failed call', () => {
  it('is refused for good only by a refusal of the other service', () => {
    expect(callFailure(problem('insufficient_funds'))).to.equal('refused');
    expect(callFailure(overTheWire(problem('not_found')))).to.equal('refused');
  });

  it('has surely not run when nobody could take it', () => {
    expect(callFailure(new Errors.ServiceNotFoundError({ action: 'treasury.transfer' }))).to.equal('not_run');
  });

  it('is of unknown outcome after a timeout, a fault over there, or anything else', () => {
    const timeout = new Errors.RequestTimeoutError({ action: 'treasury.transfer', nodeID: 'n' });
    for (const error of [timeout, problem('internal_error'), problem('service_unavailable'), new Error('?')]) {
      expect(callFailure(error)).to.equal('unknown');
    }
  });
});
