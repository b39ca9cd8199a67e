import js from '@eslint/js';
import globals from './eslint.globals.js';
import tseslint from 'typescript-eslint';

const services = ['gateway', 'membership', 'contribution', 'treasury', 'governance'];

/** Imports of these folders, of whatever is not lib, are refused with the reason. */
const refuse = (folders, message) => ({ regex: `^(?!.*/lib/).*/(${folders.join('|')})/`, message });

/** Imports of these folders of lib are refused with the reason. */
const refuseLib = (folders, message) => ({ regex: `/lib/(${folders.join('|')})/`, message });

/** What of lib does I/O, or stands on what does; the rest is as pure as the domains that import it. */
const LIB_IO = [
  ...['actions', 'config', 'embedded', 'events', 'idempotency', 'paging', 'db', 'pin'],
  ...['runtime', 'saga', 'locks', 'service', 'transport'],
];

const PURE =
  'domain rules, and what of lib they import, are pure: no I/O, no clock, no randomness that is not passed in.';
const LIB_BELOW = 'lib never imports a service, a command, test support or the benchmark.';
const APART = 'services know of one another only through lib/contracts.';

/** Packages that do I/O, and sources of randomness. */
const refuseIo = [
  { regex: '^(node:(?!crypto$)|(typeorm|moleculer-web|pg|nats)(/|$))', message: PURE },
  { regex: '^node:crypto$', importNames: ['randomBytes', 'randomInt', 'randomUUID', 'webcrypto'], message: PURE },
];

/** In lib the problems and the validator extend Moleculer's classes. */
const FRAMEWORK = { regex: '^moleculer$', message: PURE };

/** The one-way street of the house: service -> actions, on -> sagas -> domain, persistence -> lib. See CONTRIBUTING.md. */
const streets = [
  {
    files: ['lib/**/*.ts'],
    patterns: [refuse(['services', 'cli', 'test', 'bench'], LIB_BELOW)],
  },
  {
    files: ['lib/{calendar,canonical,contracts,errors,language,money,schema}/**/*.ts'],
    patterns: [refuse(['services', 'cli', 'test', 'bench'], LIB_BELOW), refuse(LIB_IO, PURE), ...refuseIo],
  },
  ...services.flatMap((name) => {
    const street = [
      refuse(
        services.filter((other) => other !== name),
        APART,
      ),
      refuse(['cli', 'test', 'bench'], 'services never import a command, test support or the benchmark.'),
    ];
    const io = ['actions', 'on', 'sagas', 'persistence', 'http', 'pages', 'tokens'];
    return [
      { files: [`services/${name}/**/*.ts`], patterns: street },
      {
        files: [`services/${name}/domain/**/*.ts`],
        patterns: [...street, refuse(io, PURE), refuseLib(LIB_IO, PURE), ...refuseIo, FRAMEWORK],
      },
      {
        files: [`services/${name}/persistence/**/*.ts`],
        patterns: [...street, refuse(['actions', 'on', 'sagas'], 'persistence does not know who uses it.')],
      },
      {
        files: [`services/${name}/sagas/**/*.ts`],
        patterns: [...street, refuse(['actions', 'on'], 'a stored plan does not know which request began it.')],
      },
      {
        files: [`services/${name}/actions/**/*.ts`],
        patterns: [...street, refuse(['on'], 'actions do not import event handlers.')],
      },
    ];
  }),
].map(({ files, patterns }) => ({ files, rules: { 'no-restricted-imports': ['error', { patterns }] } }));

export default tseslint.config(
  { ignores: ['node_modules', 'coverage', '.data', '.cache', 'clients/typescript/{dist,src/schema.ts}'] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  },
  {
    files: ['**/*.{ts,js,mjs}'],
    languageOptions: { globals },
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
    },
  },
  ...streets,
  {
    files: ['services/*/domain/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'fetch', 'crypto', 'performance', 'setTimeout', 'setInterval'],
      'no-restricted-syntax': [
        'error',
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'Time comes from a passed-in clock.',
        },
        {
          selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'Time comes from a passed-in clock.',
        },
        {
          selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          message: 'Randomness comes from a passed-in source.',
        },
      ],
    },
  },
  {
    files: ['bench/**/*.ts', 'cli/**/*.ts', 'examples/**/*.{ts,mjs}', 'clients/**/example.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // describe() bodies are lists of rules, not functions to be understood as one.
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-unused-expressions': 'off',
    },
  },
  { files: ['**/*.{js,mjs}'], ...tseslint.configs.disableTypeChecked },
);
