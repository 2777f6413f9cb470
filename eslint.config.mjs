// Lint with types. A rule is here because it finds mistakes or keeps the code readable; layout is prettier's job.
import tseslint from 'typescript-eslint';

const typescriptFiles = ['**/*.ts'];
const testFiles = ['**/*.spec.ts', 'test/**/*.ts', 'libs/**/test/**/*.ts', 'libs/testing/**/*.ts'];

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'libs/clients/client/dist*/',
      'libs/clients/verify/dist*/',
      'examples/chat/dist/',
      'coverage/',
      '.parley/',
      '**/generated/**',
      'test/{bench,conformance,generators,runtimes,ai-sdk-7}/node_modules/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    rules: {
      'array-callback-return': 'error',
      complexity: ['error', 15],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-depth': ['error', 3],
      'no-constant-binary-expression': 'error',
      'no-constant-condition': ['error', { checkLoops: 'allExceptWhileTrue' }],
      'no-empty': 'error',
      // Like max-params with 6, but a constructor may take as many parameters as Nest injects.
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':matches(FunctionDeclaration, ArrowFunctionExpression, MethodDefinition[kind=method] > FunctionExpression)[params.length>6]',
          message: 'At most 6 parameters.',
        },
        {
          selector:
            ':matches(SpreadElement, SpreadProperty) > :matches(ObjectExpression, ArrayExpression), SpreadElement > TSAsExpression > :matches(ObjectExpression, ArrayExpression)',
          message: 'Write the members out: a spread of a literal only saves lines.',
        },
      ],
      'no-self-compare': 'error',
      'no-unsafe-finally': 'error',
      'no-unused-vars': 'error',
      'no-useless-escape': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: typescriptFiles,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'no-unused-vars': 'off', // the typed rule of the same name knows types
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        {
          allowDefaultCaseForExhaustiveSwitch: true,
          considerDefaultExhaustiveForUnions: false,
          requireDefaultForNonUnion: true,
        },
      ],
      // Ignores classes that Nest injects by their type: it sees emitDecoratorMetadata and skips files with decorators.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-nullish-coalescing': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/require-await': 'off', // a port may return at once in one of its implementations
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // Texts of others reach a terminal only through output.ts, which removes what a terminal obeys; lost-output.ts notices output that
    // could not be written.
    files: ['apps/cli/src/**/*.ts'],
    ignores: ['apps/cli/src/terminal/output.ts', 'apps/cli/src/terminal/lost-output.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        ...['stdout', 'stderr'].map((property) => ({
          object: 'process',
          property,
          message: 'Write by say, note, print or sayJson of output.ts.',
        })),
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: ['process', 'node:process', 'console', 'node:console'].map((name) => ({
            name,
            message: 'Write by say, note, print or sayJson of output.ts.',
          })),
        },
      ],
    },
  },
  {
    files: testFiles,
    rules: {
      // Answers are read as JSON here, and a missing member fails the test anyway.
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off', // expect(part.method)
      'max-lines-per-function': 'off', // a describe is one function
    },
  },
  {
    // JavaScript whose types are in comments: partners copy it, so it must run as it is.
    files: ['examples/**/*.{js,jsx}'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs' } },
);
