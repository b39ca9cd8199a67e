/** node test/faults/history/check.ts FILE: checks a history that a failed test has written. */
import { checkHistory, describeFaults } from './check-history.ts';
import { readHistory } from './exchange.ts';

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('Usage: node test/faults/history/check.ts FILE\n');
  process.exit(2);
}
const results = checkHistory(readHistory(file));
const faults = describeFaults(results);
const operations = results.reduce((sum, result) => sum + result.operations, 0);
process.stdout.write(`${faults === '' ? '' : `${faults}\n\n`}`);
process.stdout.write(`${String(results.length)} objects, ${String(operations)} operations\n`);
process.exitCode = faults === '' ? 0 : 1;
