import { expect } from 'chai';
import { readArguments } from '../../../bench/arguments.ts';
import type { Section } from '../../../bench/section.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';

const measure = () => Promise.resolve([]);
const sections: Section[] = [
  { id: 'one', title: 'the first', measure },
  { id: 'two', title: 'the second', measure },
  { id: 'shown', title: 'the third', isSimulation: true, measure },
];

/** The ids of the sections that are to be measured. */
function chosenBy(...args: string[]): string[] {
  const wanted = readArguments(args, sections);
  return 'help' in wanted ? [] : wanted.sections.map(({ id }) => id);
}

describe("the benchmark's options", () => {
  it('measure all but the simulations, if nothing else is said', () => {
    expect(chosenBy()).to.deep.equal(['one', 'two']);
    expect(chosenBy('--simulations')).to.deep.equal(['one', 'two', 'shown']);
    expect(chosenBy('--only', 'shown,one')).to.deep.equal(['one', 'shown']);
  });

  it('say how often and how long', () => {
    const bench = { rounds: 5, round_ms: 300, pgledgerDir: undefined, tenMillion: true };
    const args = ['--rounds', '5', '--round-ms=300', '--ten-million'];
    expect(readArguments(args, sections)).to.deep.equal({ bench, sections: sections.slice(0, 2) });
  });

  it('refuse in one line, with what is known, what they do not know', () => {
    const options = '--only, --simulations, --rounds, --round-ms, --pgledger, --ten-million, --help';
    for (const [args, line] of [
      [['--round', '3'], `There is no option --round; there are ${options}.`],
      [['-r'], `There is no option -r; there are ${options}.`],
      [['--only', 'one,three'], 'There is no section "three"; there are one, two, shown.'],
      [['--only', ''], 'There is no section ""; there are one, two, shown.'],
    ] as const) {
      expect(() => readArguments([...args], sections), args.join(' ')).to.throw(StartupError, line);
    }
  });

  it('refuse values that they cannot take', () => {
    for (const args of [['--rounds', '0'], ['--rounds'], ['--round-ms', '2s'], ['--pgledger', 'nowhere'], ['one']]) {
      expect(() => readArguments(args, sections), args.join(' ')).to.throw(StartupError, /^[^\n]+$/);
    }
  });

  it('are told with their units, and the sections with their titles', () => {
    const wanted = readArguments(['--help'], sections);
    expect(wanted)
      .to.have.property('help')
      .that.matches(/--round-ms N .*milliseconds/);
    expect(wanted)
      .to.have.property('help')
      .that.matches(/^ {2}shown +the third \(with --simulations\)$/m);
  });
});
