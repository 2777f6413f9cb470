// The import rules of docs/architecture.md, "Who may import whom". test/architecture/import-rules.spec.ts plants a violation of each rule.
const { builtinModules } = require('node:module');

/**
 * The rooms of libs/, from the ground up. `on` names the rooms that a room depends on; the list of each library is complete: it may import
 * nothing else of ours, except what its whole room may.
 */
const rooms = {
  platform: {
    on: [],
    libraries: {
      kernel: [],
      canonical: ['kernel'],
      // The formats and trees of the log of all events, as others specified them; a browser runs them as well.
      transparency: ['kernel'],
      runtime: ['kernel'],
      // The protocol's messages as bytes, for the client's side (event-store) and the server's (event-store-server).
      'event-store-wire': [],
      // Words of persons as ciphertexts, and the keys that open them.
      sealing: ['kernel'],
      'event-store': ['kernel', 'runtime', 'sealing', 'event-store-wire'],
      // Its projection runner follows the subscriptions of event-store.
      'read-store': ['kernel', 'runtime', 'sealing', 'event-store'],
      timers: ['kernel', 'runtime', 'read-store'],
      schema: ['kernel'],
      http: ['kernel', 'canonical', 'runtime', 'schema'],
      reference: ['kernel', 'runtime', 'http', 'schema'],
    },
  },
  stores: {
    on: ['platform'],
    libraries: {
      'event-store-server': ['kernel', 'runtime', 'event-store-wire'],
      'embedded-postgres': ['kernel'],
      'data-folder': ['kernel'],
      'database-copies': ['kernel', 'data-folder', 'embedded-postgres'],
      // Copies every event of one store into another, byte by byte, which is below the level of event-store.
      'event-migration': ['kernel', 'runtime', 'event-store', 'event-store-wire', 'read-store'],
    },
  },
  others: {
    on: ['platform', 'stores'],
    libraries: {
      // Locks its folder with the lock of embedded-postgres.
      witness: ['kernel', 'transparency', 'data-folder', 'embedded-postgres'],
    },
  },
  // The slices, in an order in which each imports only earlier ones.
  product: {
    on: ['platform'],
    everyone: [
      'kernel',
      'canonical',
      'transparency',
      'runtime',
      'sealing',
      'event-store',
      'read-store',
      'timers',
      'schema',
      'http',
      // The product's variables, those of every slice and adapter.
      'settings',
    ],
    libraries: {
      settings: [],
      partners: [],
      users: [],
      deployment: [],
      audit: [],
      budget: [],
      consent: [],
      quotas: [],
      conversations: ['consent', 'quotas'],
      // Operators pause withdrawals through the deployment's controls (docs/adr/0006).
      wallets: ['consent', 'deployment', 'quotas'],
      artifacts: ['conversations', 'quotas'],
      runs: ['conversations', 'budget', 'deployment', 'consent'],
      // A firing starts a run in a conversation, and a deployment's controls stop it (docs/adr/0008).
      automations: ['budget', 'conversations', 'deployment', 'runs', 'wallets', 'consent', 'quotas'],
      approvals: ['runs', 'wallets', 'automations', 'conversations', 'consent'],
      // Proves approvals and what was done with them by the log of all events.
      receipts: ['approvals', 'audit', 'automations', 'conversations', 'consent', 'wallets'],
      // Notices for partners are made from the events of these.
      notices: ['users', 'budget', 'conversations', 'wallets', 'automations', 'approvals', 'consent'],
      // The endpoints to which partners have notices delivered, and the delivery.
      webhooks: ['notices'],
      // The feed is sent on the journal's sockets.
      feed: ['notices', 'journal'],
      // Exports, ends and removes everything of a user, in every slice that has something.
      privacy: ['audit', 'users', 'budget', 'conversations', 'wallets', 'runs', 'automations', 'artifacts'],
      // Operators can change the state of any slice.
      operators: [
        'audit',
        'deployment',
        'partners',
        'users',
        'budget',
        'conversations',
        'wallets',
        'runs',
        'automations',
        'consent',
        'approvals',
        'receipts',
        'notices',
        'webhooks',
        'privacy',
      ],
      // The engine draws on budgets segment by segment, and publishes live frames through the journal (docs/adr/0003).
      engine: [
        'conversations',
        'runs',
        'budget',
        'deployment',
        'journal',
        'wallets',
        'automations',
        'artifacts',
        'consent',
        'quotas',
      ],
    },
  },
};
/** Libraries in the product's room that read the event types of any slice; at run time they import only the queries of conversations. */
const eventReaders = ['journal', 'activity'];
/** The room of the libraries that implement ports of slices for one outside world or another. */
const adapters = ['sandbox', 'near-intents', 'rules-model'];
/**
 * The library that tests share: doubles of other people's products, stages, the specification of deciders. It imports anything; only tests
 * import it.
 */
const testing = 'testing';

const foundation = rooms.product.everyone;
const sliceNames = Object.keys(rooms.product.libraries).filter((name) => !foundation.includes(name));

const product = '^(apps|libs)/';
const spec = '\\.spec\\.ts$';
const pureFile = '\\.(decider|events|upcasters)\\.ts$|/condition-evaluator\\.ts$';
const room = `(?:${[...Object.keys(rooms), 'adapters', 'clients'].join('|')})`;
/** Any library's folder, as one group. */
const library = `^libs/(${room}/[^/]+|composition|${testing})/`;
const lib = (...names) => `^libs/(?:${room}/)?(${names.join('|')})/`;
const npm = (...packages) => `(^|/)node_modules/(${packages.join('|')})(/|$)`;
/** The index by which others import a library. */
const entry = `^libs/(?:(?:${room}/[^/]+|composition)/src|${testing}/src/[^/]+)/index\\.ts$`;
/** Modules that a pure file must not reach. TypeBox is data about data: it describes events. */
const platform = `(^|/)node_modules/(?!@sinclair/typebox/)|^(node:)?(${builtinModules.join('|')})$`;

const clientPackages = npm('openapi-fetch', 'openapi-typescript-helpers', 'eventsource-parser', 'standardwebhooks');
/** Front ends that the client fits. It uses only their types, because the page has the code. */
const frontEnds = npm('ai', '@ag-ui/core');
/** SDKs of models, providers and collectors. */
const sdkScopes = 'ai-sdk|anthropic-ai|modelcontextprotocol|defuse-protocol|aws-sdk|opentelemetry';
const sdks = npm('ai', 'openai', 'near-api-js', `@(?:${sdkScopes})/[^/]+`);

/** The libraries of a room, each with all that it may import. @throws Error for an import from a room that this one does not depend on */
function listsOf({ on, everyone = [], libraries }) {
  const under = on.flatMap((name) => Object.keys(rooms[name].libraries));
  const known = ['kernel', ...under, ...Object.keys(libraries), ...eventReaders];
  const strangers = Object.values(libraries)
    .flat()
    .filter((name) => !known.includes(name));
  if (strangers.length > 0) throw new Error(`${strangers.join(', ')}: in no room below this one`);
  return Object.fromEntries(Object.entries(libraries).map(([name, allowed]) => [name, [...everyone, ...allowed]]));
}

/** The kernel has a rule of its own. */
const { kernel, ...overKernel } = rooms.platform.libraries;
const lists = {
  ...listsOf({ ...rooms.platform, everyone: kernel, libraries: overKernel }),
  ...listsOf(rooms.stores),
  ...listsOf(rooms.others),
  ...listsOf(rooms.product),
};
/** Packages that are published with parts of the product in them; they have builds of their own (scripts/verify-package.mjs). */
const published = { verify: ['receipts', 'transparency'] };
const readersLists = Object.fromEntries(eventReaders.map((name) => [name, [...foundation, ...sliceNames]]));

/** One rule for each library with a fixed list: it may import no other library of ours. */
const alongTheList = (entries) =>
  Object.entries(entries).map(([name, allowed]) => ({
    name: `along-the-list:${name}`,
    comment: `libs/${name} may import ${allowed.join(', ') || 'no other library of ours'}.`,
    from: { path: lib(name), pathNot: spec },
    to: { path: '^libs/', pathNot: lib(name, testing, ...allowed) },
  }));

/** `composition` has no list: it puts the slices together for the apps. It is in no list, so only apps and tests import it. */
const listed = [
  'kernel',
  ...Object.keys({ ...lists, ...readersLists, ...published }),
  ...adapters,
  'composition',
  testing,
  'client',
];

const rules = [
  {
    name: 'kernel-imports-nothing',
    comment: 'The kernel is pure: nothing but its own files.',
    from: { path: lib('kernel'), pathNot: spec },
    to: { pathNot: lib('kernel') },
  },
  {
    name: 'pure-files-import-pure-files',
    comment: 'Deciders, events, upcasters and the condition evaluator import kernel, schema, consent and their slice.',
    from: { path: `${library}src/.*(${pureFile})` },
    to: { pathNot: ['^libs/$1/', lib('kernel', 'schema', 'consent')] },
  },
  {
    name: 'pure-files-reach-no-platform',
    comment: 'What a pure file imports is pure as well, to the end: no Nest, no node:*, nothing of npm but TypeBox.',
    from: { path: pureFile },
    to: { path: platform, reachable: true },
  },
  {
    name: 'listed-libraries',
    comment: 'A new library is entered in the list above before it imports anything.',
    from: { path: '^libs/', pathNot: lib(...listed) },
    to: {},
  },
  {
    name: 'testing-in-tests',
    comment: 'The product never meets a double: only specs, test/ and test folders of libraries import @app/testing.',
    from: { path: product, pathNot: [lib(testing), `${library}test/`, spec] },
    to: { path: lib(testing) },
  },
  ...alongTheList(lists),
  {
    name: 'event-readers-import-types',
    comment: 'journal and activity know event types of any slice; what runs, they import of conversations alone.',
    from: { path: lib(...eventReaders), pathNot: spec },
    to: { path: lib(...sliceNames.filter((name) => name !== 'conversations')), dependencyTypesNot: ['type-only'] },
  },
  ...alongTheList(readersLists),
  ...alongTheList(published),
  {
    name: 'adapters-bind-ports',
    comment: 'Adapters implement ports: of slices they import types, and what consent, wallets, runs and engine offer.',
    from: { path: lib(...adapters), pathNot: spec },
    to: {
      path: '^libs/',
      pathNot: lib(...adapters, ...foundation, 'consent', 'wallets', 'runs', 'engine'),
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'client-stands-alone',
    comment: 'The published client uses its own few packages, and nothing of the service.',
    from: { path: lib('client') },
    to: { pathNot: [lib('client'), clientPackages, frontEnds] },
  },
  {
    name: 'front-ends-by-type',
    comment: 'The published client runs nothing of a front end: it is an optional peer, and a page has its own.',
    from: { path: lib('client') },
    to: { path: frontEnds, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'entered-by-index',
    comment: 'A library is entered by its index.ts only; testing by that of a folder, since no test needs them all.',
    from: { path: `${library}|^(?:apps|test)/` },
    to: { path: '^libs/', pathNot: ['^libs/$1/', entry] },
  },
  {
    name: 'entered-by-name',
    comment: 'Another library is @app/<library>; a relative path is for the setup of jest, which knows no such names.',
    from: { path: `${library}|^apps/` },
    to: { path: entry, pathNot: '^libs/$1/', dependencyTypesNot: ['aliased'] },
  },
  {
    name: 'event-store-client',
    comment:
      'Only event-store, its wire, event-store-server and event-migration speak to the store, and its double as it does.',
    from: {
      path: product,
      pathNot: lib('event-store', 'event-store-wire', 'event-store-server', 'event-migration', testing),
    },
    to: { path: npm('@eventstore/db-client') },
  },
  {
    name: 'typeorm-in-read-models',
    comment: 'TypeORM in rows, projections, queries, read-store, and in modules that register rows.',
    from: { path: product, pathNot: ['\\.(row|projection|queries|module)\\.ts$', spec, lib('read-store')] },
    to: { path: npm('typeorm', '@nestjs/typeorm') },
  },
  {
    name: 'sdks-in-adapters',
    comment: 'SDKs of models, providers and collectors in *.adapter.ts only.',
    from: { path: product, pathNot: ['\\.adapter\\.ts$', spec, lib(testing, 'client')] },
    to: { path: sdks },
  },
  {
    name: 'nobody-imports-apps',
    // The main of a child process may be a test.
    comment: 'Apps are composition roots: nothing imports them, not even another app.',
    from: { path: '^(?:apps/([^/]+)/|libs/|test/)', pathNot: '-main\\.cjs$' },
    to: { path: '^apps/', pathNot: '^apps/$1/' },
  },
  { name: 'no-cycles', comment: 'No cycles, not even of types.', from: {}, to: { circular: true } },
  {
    name: 'no-orphans',
    comment: 'A file that nothing imports and that imports nothing is left over.',
    // A .cjs is the program of a child process; the examples of the client's pages begin with its package.
    from: {
      orphan: true,
      path: product,
      pathNot: ['/main\\.ts$', '/src/index\\.ts$', '\\.d\\.ts$', '\\.cjs$', '^libs/clients/client/examples/'],
    },
    to: {},
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: rules.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: '^(dist|coverage|libs/clients/(client|verify)/dist[^/]*)/|^test/(bench|conformance|generators|runtimes)/node_modules/',
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
