// Jest has no require(esm) on Node 20, so the ESM-only packages are transformed to CommonJS together with ours. One that is not ESM-only is
// transformed for its dynamic import, which jest does not support either.
const swc = (typescript) => [
  '@swc/jest',
  {
    sourceMaps: 'inline',
    jsc: {
      target: 'es2022',
      keepClassNames: true,
      parser: typescript ? { syntax: 'typescript', decorators: true } : { syntax: 'ecmascript' },
      transform: typescript ? { legacyDecorator: true, decoratorMetadata: true } : undefined,
    },
    module: { type: 'commonjs' },
  },
];
const esm = [
  '@nestjs',
  'jose',
  'file-type',
  '@modelcontextprotocol/client',
  'strtok3',
  'token-types',
  '@tokenizer',
  '@borewit',
  'uint8array-extras',
  'load-esm',
  '@opentelemetry/otlp-exporter-base',
];

module.exports = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/support/shared-environment.cjs',
  runtime: '<rootDir>/test/support/shared-runtime.cjs',
  setupFiles: ['reflect-metadata', '<rootDir>/test/support/random-seed.ts'],
  globalSetup: '<rootDir>/test/support/postgres-setup.ts',
  globalTeardown: '<rootDir>/test/support/postgres-teardown.ts',
  testTimeout: 180_000, // tests wait for states, however slow the machine is: this only ends hanging tests
  workerIdleMemoryLimit: '1.5GB', // what jest keeps of each file adds up: at 4 GB, garbage collection stops all servers for seconds
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  testRegex: '\\.spec\\.ts$',
  // The suite of scavenges needs an EventStoreDB on disk (docs/growing.md).
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env.EVENTSTORE_SCAVENGE_URL ? [] : ['/test/e2e/scavenges\\.spec\\.ts$']),
  ],
  modulePathIgnorePatterns: [
    '<rootDir>/dist',
    '<rootDir>/.parley',
    '<rootDir>/test/(bench|conformance|generators|runtimes|ai-sdk-7)/node_modules',
  ],
  transform: { '\\.ts$': swc(true), '\\.[cm]?js$': swc(false) },
  transformIgnorePatterns: [`/node_modules/(?!(?:.*/node_modules/)?(${esm.join('|')})/)`],
  moduleNameMapper: {
    '^@app/testing/([^/]+)$': '<rootDir>/libs/testing/src/$1',
    '^@app/composition$': '<rootDir>/libs/composition/src',
    '^@app/([^/]+)$': ['platform', 'product', 'adapters', 'stores', 'others'].map(
      (room) => `<rootDir>/libs/${room}/$1/src`,
    ),
  },
};
