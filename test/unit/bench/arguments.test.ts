import { expect } from 'chai';
import { readArguments } from '../../../bench/arguments.ts';
import type { Section } from '../../../bench/section.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';

const measure = () => Promise.resolve([]);
const sections: Section[] = [
  { id: 'one', title: 'the first', measure },
  { id: 'two', title: 'the second', measure },
];

describe("the benchmark's options", () => {
  const bench = { rounds: 3, round_ms: 2_000, history: 1_000_000, pgledgerDir: undefined };

  it('select all sections unless sections are named', () => {
    expect(readArguments([], sections)).to.deep.equal({ bench, sections, beside: undefined });
    for (const args of [['two'], ['--only', 'two']]) {
      expect(readArguments(args, sections)).to.have.property('sections').that.deep.equals([sections[1]]);
    }
  });

  it('select a section that is only measured on request if it is named', () => {
    const all = [...sections, { id: 'long', title: 'the third', measure, isOnRequest: true }];
    expect(readArguments([], all)).to.have.property('sections').that.deep.equals(sections);
    expect(readArguments(['long'], all))
      .to.have.property('sections')
      .that.deep.equals([all[2]]);
  });

  it('set the number of rounds, the length of a round and the size of the history', () => {
    const args = ['--rounds', '5', '--round-ms=300', '--history', '20000', 'one'];
    const wanted = { ...bench, rounds: 5, round_ms: 300, history: 20_000 };
    expect(readArguments(args, sections)).to.have.property('bench').that.deep.equals(wanted);
  });

  it('are refused with a message of one line if they are unknown or have a wrong value', () => {
    for (const [args, line] of [
      [['--round', '3'], '--round'],
      [['three'], 'There is no section three; there are one, two.'],
      [['--rounds', '0'], '--rounds takes a whole number'],
      [['--round-ms', '2s'], '--round-ms takes a whole number'],
      [['--pgledger', 'nowhere'], '--pgledger takes a directory'],
      [['--beside', 'nowhere'], '--beside takes a directory'],
    ] as const) {
      expect(() => readArguments([...args], sections), args.join(' '))
        .to.throw(StartupError, /^[^\n]+$/)
        .with.property('message')
        .that.includes(line);
    }
  });

  it('include --help, which lists the sections', () => {
    expect(readArguments(['--help'], sections)).to.match(/^ {2}two +the second$/m);
  });
});
