import { chromium, type Browser } from 'playwright-core';
import { installedProgram } from './installed-program.ts';

/** Chromium as Debian, some other distributions and Google name it. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

const findChromium = () => PROGRAMS.map(installedProgram).find((path) => path !== undefined);

/** Returns what the tests with a browser lack here, with the command that installs it; undefined if they can run. */
export function missingForBrowser(): string | undefined {
  const install = 'apt-get install --no-install-recommends chromium';
  return findChromium() === undefined ? `there is no Chromium here: ${install}` : undefined;
}

/** Starts the installed Chromium without a window. */
export function startBrowser(): Promise<Browser> {
  // Chromium's sandbox does not start as root, nor in most containers. The pages are this repository's own.
  return chromium.launch({ executablePath: findChromium()!, chromiumSandbox: false });
}
