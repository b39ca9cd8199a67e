/** Which file may import which (ADR 20). Type imports count like any other. `npm run check` runs it. */

/** What of lib is pure: no I/O, no clock, no randomness. The rest of lib may do I/O. */
const PURE_LIB = '^lib/(calendar|canonical|contracts|errors|language|money|schema)/';

/** Packages and modules of Node with which rules could do I/O. `node:crypto` hashes. */
const IO_PACKAGES = ['typeorm', 'pg', 'nats', 'moleculer-web', 'pino'];

/** The wiring of a service. */
const WIRING = ['\\.service\\.ts$', '^services/[^/]+/src/service\\.ts$'];

/** The contracts of a further service. */
const CONTRACTS = '^services/[^/]+/src/contracts\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'lib-below-all',
      comment: 'lib never imports a service, a command, a test or the benchmark.',
      severity: 'error',
      from: { path: '^lib/' },
      to: { path: '^(services|cli|test|bench|examples|packages|moleculer\\.config)' },
    },
    {
      name: 'pure-lib',
      comment: 'Contracts, errors, money and the schema are pure: they import only one another.',
      severity: 'error',
      from: { path: PURE_LIB },
      to: { path: '^lib/', pathNot: PURE_LIB },
    },
    {
      name: 'services-apart',
      comment: 'Services know of one another only what is in lib/contracts.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'further-services-on-the-package',
      comment: 'Further services know of this project what another team knows of it.',
      severity: 'error',
      from: { path: '^services/(webhooks|reminders)/' },
      to: { path: '^(lib|cli|packages|moleculer\\.config)', pathNot: '^packages/contracts/src/[a-z]+\\.ts$' },
    },
    {
      name: 'services-without-tests',
      severity: 'error',
      from: { path: '^services/' },
      to: { path: '^(cli|test|bench|examples)/' },
    },
    {
      name: 'rules-are-pure',
      comment: 'Rules import rules, declarations of tables, and what of lib is pure.',
      severity: 'error',
      from: { path: '\\.rules\\.ts$' },
      to: {
        path: '^(lib|services)/',
        pathNot: ['\\.(rules|table)\\.ts$', PURE_LIB, '^lib/saga/states\\.ts$'],
      },
    },
    {
      name: 'rules-do-no-io',
      severity: 'error',
      from: { path: ['\\.rules\\.ts$', PURE_LIB] },
      to: {
        path: [
          ...IO_PACKAGES.map((name) => `node_modules/${name}/`),
          '^(node:)?(fs|net|http|https|child_process|timers)',
        ],
      },
    },
    {
      name: 'tables-are-declarations',
      severity: 'error',
      from: { path: '\\.table\\.ts$' },
      to: { path: '^services/', pathNot: '\\.(table|rules)\\.ts$' },
    },
    {
      name: 'stores-know-no-user',
      comment: 'Stores and views are imported by actions, sagas and subscriptions, not the other way round.',
      severity: 'error',
      from: { path: '\\.(store|view)\\.ts$' },
      to: { path: '^services/', pathNot: ['\\.(store|view|table|rules)\\.ts$', CONTRACTS] },
    },
    {
      name: 'wiring-on-top',
      comment: 'Only the wiring imports event handlers, and nothing of a service imports its wiring.',
      severity: 'error',
      from: {
        path: '^services/',
        pathNot: [...WIRING, '^services/[^/]+/(test|bench)/', 'src/(main|dev|dead-letters)\\.ts$'],
      },
      to: { path: ['^services/.*/on-[^/]+\\.ts$', ...WIRING] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(node_modules|clients|coverage|packages/contracts/dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
