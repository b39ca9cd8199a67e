/** npm run audit: fails if a production dependency has a known vulnerability. */
import { spawnSync } from 'node:child_process';
import { judgeAudit } from './audit-report.ts';

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
const { line, failed } = judgeAudit(stdout);
console.log(line);
if (failed) {
  spawnSync('npm', ['audit', '--omit=dev'], { stdio: 'inherit' });
  process.exitCode = 1;
}
