import { expect } from 'chai';
import type { Logger } from 'pino';
import { problem } from '../../../lib/errors/problem.ts';
import { faultOf } from '../../../lib/errors/fault.ts';
import { logMethod } from '../../../lib/node/log.ts';

describe('the log', () => {
  it('contains the code, message, stack and causes of an error, and no other member', () => {
    const cause = Object.assign(new Error('column "x" does not exist'), { code: '42703' });
    const failure = new Error('the plan was not stored', { cause });
    const fault = faultOf(Object.assign(failure, { code: '42703', parameters: ['1234'], query: 'SELECT $1' }));
    expect(fault).to.have.all.keys('message', 'code', 'stack');
    expect(fault).to.include({ message: 'the plan was not stored: column "x" does not exist', code: '42703' });
    expect(fault.stack).to.match(/^Error: the plan.*\n +at [^]*\ncaused by: Error: column "x".*\n +at /);
  });

  it('contains no stack of a problem, and the addresses of a refused connection', () => {
    const { message } = problem('not_found');
    expect(faultOf(problem('not_found'))).to.deep.equal({ message, code: 'not_found' });
    const refused = new AggregateError([new Error('connect ECONNREFUSED ::1:5432')]);
    expect(faultOf(refused).message).to.equal('connect ECONNREFUSED ::1:5432');
    expect(faultOf('nothing thrown')).to.deep.equal({ message: 'nothing thrown' });
  });

  it('passes the fields of Moleculer messages to Pino before the text, with the request id as request_id', () => {
    const written = (...args: unknown[]) => {
      let line: unknown[] = [];
      // The hook only passes the logger on.
      logMethod.call({} as Logger, args, (...given: unknown[]) => (line = given));
      return line;
    };
    expect(written('timed out', { requestID: 'r-1', timeout: 5 })).to.deep.equal([
      { request_id: 'r-1', timeout: 5 },
      'timed out',
    ]);
    expect(written('100 %d', 'two')).to.deep.equal([{}, '100 %d two']);
    const [fields, text] = written(new Error('a fault'));
    expect(text).to.equal('a fault');
    expect(fields).to.have.all.keys('message', 'stack');
  });
});
