import js from '@eslint/js';
import importX from 'eslint-plugin-import-x';
import globals from './eslint.globals.js';
import tseslint from 'typescript-eslint';

const services = ['gateway', 'membership', 'contribution', 'treasury', 'governance'];

/** The one-way street of the house: wiring -> actions, on -> domain, persistence -> lib. See CONTRIBUTING.md. */
const zones = [
  { target: './lib', from: './services', message: 'lib never imports a service.' },
  { target: './lib', from: './cli', message: 'lib never imports a command.' },
  { target: './lib', from: './test', message: 'lib never imports test support.' },
  { target: './services', from: './cli', message: 'services never import a command.' },
  { target: './services', from: './test', message: 'services never import test support.' },
  ...services.map((name) => ({
    target: `./services/${name}`,
    from: './services',
    except: [`./${name}`],
    message: 'services know of each other only through lib/contracts.',
  })),
  ...services.flatMap((name) => [
    {
      target: `./services/${name}/domain`,
      from: [
        `./services/${name}/actions`,
        `./services/${name}/on`,
        `./services/${name}/persistence`,
        './lib/persistence',
        './lib/events',
        './lib/embedded',
        './lib/config',
        './lib/runtime',
      ],
      message: 'domain rules are pure: no I/O, no clock, no randomness that is not passed in.',
    },
    {
      target: `./services/${name}/persistence`,
      from: [`./services/${name}/actions`, `./services/${name}/on`],
      message: 'persistence does not know the actions.',
    },
    {
      target: `./services/${name}/actions`,
      from: [`./services/${name}/on`],
      message: 'actions do not import event handlers.',
    },
  ]),
];

export default tseslint.config(
  { ignores: ['node_modules', 'coverage', '.data', '.cache'] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  },
  {
    files: ['**/*.{ts,js,mjs}'],
    plugins: { 'import-x': importX },
    languageOptions: { globals },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      'import-x/no-cycle': 'error',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
    },
  },
  {
    files: ['services/*/domain/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'fetch', 'setTimeout', 'setInterval'],
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
    files: ['cli/**/*.ts', 'examples/**/*.{ts,mjs}', 'bench/**/*.ts'],
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
