import { expect } from 'chai';
import { continuedTrace, newTrace, readTrace, traceIdOf, type Trace } from '../../../lib/tracing/trace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

const randomUUID = () => '6f1c2bd0-51a3-4c8e-9b7d-0123456789ab';
const SPAN = '6f1c2bd051a34c8e';
const NEW = `00-${SPAN}9b7d0123456789ab-${SPAN}-00`;

describe('a trace', () => {
  /** Returns the trace of a request with these headers, as the gateway makes it. */
  function traceOf(traceparent: unknown, tracestate?: unknown): Trace {
    const parent = readTrace(traceparent, tracestate);
    return parent === undefined ? newTrace(randomUUID) : continuedTrace(parent, randomUUID);
  }
  const parentOf = (header: unknown) => traceOf(header).traceparent;
  const stateOf = (header: unknown) => traceOf(PARENT, header).tracestate;

  it('continues with its id and flags in a new span, even from later versions of the header', () => {
    const later = [PARENT.replace(/^00/, '01'), `${PARENT.replace(/^00/, 'cc')}-more`];
    for (const parent of [PARENT, ...later]) expect(parentOf(parent)).to.equal(`00-${TRACE}-${SPAN}-01`);
    expect(parentOf(PARENT.replace(/01$/, 'ff'))).to.equal(`00-${TRACE}-${SPAN}-ff`);
  });

  it('is new, not sampled and without a state if the header is malformed', () => {
    for (const header of [
      undefined,
      '',
      [PARENT],
      PARENT.toUpperCase(),
      PARENT.replace(TRACE, '0'.repeat(32)),
      PARENT.replace('00f067aa0ba902b7', '0'.repeat(16)),
      PARENT.replace(/^00/, 'ff'),
      `${PARENT}-more`,
      `${PARENT}0`,
      `${PARENT}, ${PARENT}`,
      ` ${PARENT}`,
    ]) {
      const trace = traceOf(header, 'a=1');
      expect(trace, String(header)).to.deep.equal({ traceparent: NEW });
    }
  });

  it('passes on a well-formed state only', () => {
    for (const state of ['a=1', 'rojo=00f067aa0ba902b7, congo=t61', 'fw529a3039@dt=x y', 'a=1,,b=2', '0a/b*c-d_e=~']) {
      expect(stateOf(state), state).to.equal(state);
    }
    const many = (count: number) => Array.from({ length: count }, (_, index) => `k${String(index)}=v`).join(',');
    expect(stateOf(many(32))).to.equal(many(32));
    for (const state of [undefined, '', ',', 'a', 'a=', '=1', 'A=1', 'a=1=2', 'a=1,a=2', 'a=é', many(33), ['a=1']]) {
      expect(stateOf(state), String(state)).to.equal(undefined);
    }
    expect(stateOf(`a=${'x'.repeat(250)},b=${'x'.repeat(250)},c=${'x'.repeat(250)}`)).to.equal(undefined);
  });

  it('is identified in logs by its trace id', () => {
    expect(traceIdOf(PARENT)).to.equal(TRACE);
    expect(traceIdOf(undefined)).to.equal(undefined);
  });
});
