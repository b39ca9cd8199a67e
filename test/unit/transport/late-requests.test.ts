import { expect } from 'chai';
import {
  clock_ms,
  hasBecomeLate,
  isLate,
  isOutdatedCopy,
  nodeClocks,
  noteSent,
} from '../../../lib/transport/late-requests.ts';

describe('a request', () => {
  const node = {};

  /** @returns what a request says that is sent at a time of the sender's clock, after a heartbeat */
  function sentAt(at_ms: number, heartbeat: { shown_ms: number; heard_ms: number }): number | undefined {
    const clocks = nodeClocks();
    clocks.heard(node, 'a', heartbeat.shown_ms, heartbeat.heard_ms);
    return clocks.timeOf(node, at_ms);
  }

  it('says when it was sent by the clock of its receiver, which may be an hour ahead or behind', () => {
    for (const ahead_ms of [3_600_000, 0, -3_600_000]) {
      expect(sentAt(10_400, { shown_ms: 10_000 + ahead_ms, heard_ms: 10_000 })).to.equal(10_400 + ahead_ms);
    }
  });

  it('seems older, never younger, after a heartbeat that was under way for long', () => {
    expect(sentAt(10_400, { shown_ms: 9_000, heard_ms: 10_000 })).to.equal(9_400);
  });

  it('does not seem older after heartbeats that have waited until its sender continued', () => {
    const clocks = nodeClocks();
    clocks.heard(node, 'a', 10_000, 10_000);
    for (const shown_ms of [11_200, 12_400]) clocks.heard(node, 'a', shown_ms, 15_000);
    expect(clocks.timeOf(node, 15_000)).to.equal(15_000);
  });

  it('says the right time again after three heartbeats of a node whose host was suspended', () => {
    const clocks = nodeClocks();
    for (const heard_ms of [10_000, 71_000, 72_000, 73_000]) {
      clocks.heard(node, 'a', heard_ms === 10_000 ? heard_ms : heard_ms - 60_000, heard_ms);
    }
    expect(clocks.timeOf(node, 73_000)).to.equal(13_000);
  });

  it('says the right time for a process that replaces another one, whose clock was ahead', () => {
    const clocks = nodeClocks();
    clocks.heard(node, 'a', 3_600_000, 10_000);
    clocks.heard(node, 'b', 11_000, 11_000);
    expect(clocks.timeOf(node, 11_000)).to.equal(11_000);
  });

  it('says nothing for a node that has not shown its clock', () => {
    expect(nodeClocks().timeOf(node, 10_000)).to.equal(undefined);
  });

  it('is late 1.5 s after it was sent', () => {
    expect(isLate(10_000, 11_500)).to.equal(false);
    expect(isLate(10_000, 11_501)).to.equal(true);
  });

  it('is late if it says a time that is still to come', () => {
    expect(isLate(10_301, 10_000)).to.equal(true);
  });

  it('is not late if clocks run a little apart', () => {
    expect(isLate(10_300, 10_000)).to.equal(false);
  });

  it('becomes late while it waits, unless it is a call within the process', () => {
    const [meta, ofLocalCall] = [{}, {}];
    const now_ms = clock_ms();
    noteSent(meta, now_ms - 1_000);
    expect(hasBecomeLate({ meta }, now_ms + 500)).to.equal(false);
    expect(hasBecomeLate({ meta }, now_ms + 501)).to.equal(true);
    expect(hasBecomeLate({ meta: ofLocalCall }, now_ms + 99_000)).to.equal(false);
  });

  it('is not late if it does not say when it was sent', () => {
    expect(isLate(undefined, 11_501)).to.equal(false);
  });

  it('is not an outdated copy when it is sent first, however late', () => {
    expect(isOutdatedCopy({ first_ms: 10_000, sent_ms: 10_000 }, 99_000)).to.equal(false);
    expect(isOutdatedCopy({}, 99_000)).to.equal(false);
  });

  it('whose copy is late, or sent when the first message may be forgotten, must be ignored', () => {
    expect(isOutdatedCopy({ first_ms: 10_000, sent_ms: 17_000 }, 18_500)).to.equal(false);
    expect(isOutdatedCopy({ first_ms: 10_000, sent_ms: 17_000 }, 18_501)).to.equal(true);
    expect(isOutdatedCopy({ first_ms: 10_000, sent_ms: 20_000 }, 20_000)).to.equal(false);
    expect(isOutdatedCopy({ first_ms: 10_000, sent_ms: 20_001 }, 20_001)).to.equal(true);
  });
});
