import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import globals from './eslint.globals.js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'node_modules',
      'coverage',
      '.data',
      '.cache',
      'clients/typescript/{dist,src/schema.ts}',
      'packages/contracts/dist',
    ],
  },
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
  {
    // A regular expression with quadratic time, on 64 KiB that a client sends, stops the process for seconds. Those of tests
    // read only what the project itself writes.
    files: ['**/*.{ts,js,mjs}'],
    ignores: ['test/**', 'services/*/test/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    // Which file may import which: see .dependency-cruiser.js.
    files: ['services/**/*.rules.ts', 'lib/{calendar,canonical,contracts,errors,money,schema}/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'node:crypto',
              importNames: ['randomBytes', 'randomInt', 'randomUUID', 'webcrypto'],
              message: 'Randomness comes from a passed-in source.',
            },
          ],
        },
      ],
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
    files: [
      'bench/**/*.ts',
      'services/*/bench/**/*.ts',
      'cli/**/*.ts',
      'examples/**/*.{ts,mjs}',
      'clients/**/example.ts',
    ],
    // They are commands: what they print is their result. Services write to the broker's log.
    rules: { 'no-console': 'off' },
  },
  {
    // The tests of services that are built on packages/contracts.
    files: ['packages/contracts/template/test/**/*.ts', 'services/*/test/**/*.ts'],
    rules: {
      // node:test awaits them.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            {
              from: 'package',
              package: 'node:test',
              name: ['describe', 'it', 'test', 'before', 'after', 'beforeEach', 'afterEach'],
            },
          ],
        },
      ],
      // As in the tests of this project, below.
      'max-lines-per-function': 'off',
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // describe() bodies are lists of rules, not functions to be understood as one.
      'max-lines-per-function': 'off',
      // Assertions of chai such as `.empty` are expressions.
      '@typescript-eslint/no-unused-expressions': 'off',
    },
  },
  // No project of the type checker includes them, and rules with types need one.
  { files: ['**/*.{js,mjs}'], ...tseslint.configs.disableTypeChecked },
);
