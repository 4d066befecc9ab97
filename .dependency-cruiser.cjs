// Who may import whom. The folders of src are layers: support <- domain <- contracts, storage <- operations <- actors <- worker
// <- front <- supervisor <- cli, main. A conversation asks the writer by its client. Beside front stands admin, which knows metrics as data and no actor.

const actors = '(writer|notifier|operator)';

/** A folder and the folders of src that it may import, itself included. */
const layers = [
  ['support', []],
  ['domain', ['support']],
  ['config', ['support']],
  ['observability', ['support', 'config']],
  ['contracts', ['support', 'domain']],
  ['storage', ['support', 'domain']],
  // What a cluster says to PostgreSQL, and nothing of what it means.
  ['cluster/sql', ['support', 'config']],
  ['http', ['support', 'config', 'observability']],
  ['operations', ['support', 'domain', 'contracts', 'storage', 'observability', 'http', 'writer']],
  ['cluster', ['support', 'domain', 'config', 'storage', 'observability']],
  [
    actors,
    ['support', 'domain', 'contracts', 'storage', 'observability', 'operations', 'cluster/client', actors],
  ],
  ['streams', ['support', 'domain', 'storage', 'observability', 'http', 'operations']],
  // It reads environments as the workers do for sync.
  ['flagd', ['support', 'domain', 'storage', 'observability', 'http', 'worker/limits', 'streams']],
  // Parts of the worker that know less than it does: evaluation no request and no thread, answers no store.
  ['worker/evaluation', ['support', 'domain', 'contracts', 'storage', 'observability']],
  [
    'worker/answers',
    [
      ...['support', 'domain', 'contracts', 'observability', 'http', 'operations'],
      ...['worker/evaluation', 'worker/limits', actors],
    ],
  ],
  ['worker/pages', ['support', 'domain', 'contracts', 'observability', 'http', 'worker/answers']],
  [
    'worker/ofrep',
    [
      ...['support', 'domain', 'contracts', 'observability', 'http', 'operations'],
      ...['worker/evaluation', 'worker/answers', 'worker/limits', 'streams'],
    ],
  ],
  [
    'worker',
    ['support', 'domain', 'contracts', 'storage', 'observability', 'http', 'operations', 'streams', actors],
  ],
  [
    'front',
    [
      ...[
        'support',
        'domain',
        'config',
        'contracts',
        'observability',
        'http',
        'operations',
        'worker',
        'streams',
      ],
      ...['passwords', actors],
    ],
  ],
  ['passwords', ['support']],
  ['admin', ['support', 'observability', 'http']],
  // The package burgee-client: it is a program of its own, and runs where there is no Burgee.
  ['sdk', ['support', 'domain']],
  [
    'supervisor',
    [
      'admin',
      'cluster',
      'flagd',
      'support',
      'domain',
      'config',
      'contracts',
      'storage',
      'observability',
      actors,
      'operations',
      'http',
      'worker',
      'streams',
      'front',
    ],
  ],
];

const layerRules = layers.map(([folder, allowed]) => ({
  name: `${folder}-imports-only-below`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...allowed].join('|')})/|^src/entry-files[.]ts$` },
}));

/** The web app: its parts import one another, and of the rest what is pure. */
const consoleRules = [
  {
    name: 'console-imports-contracts-and-domain-only',
    severity: 'error',
    from: { path: '^src/console/' },
    to: { path: '^src/', pathNot: '^src/(console|domain|contracts/console|operations)/' },
  },
  {
    name: 'no-schemas-in-the-browser',
    comment:
      'Of the operations the web app has the routes; everything else of them, and of the contracts, are types.',
    severity: 'error',
    from: { path: '^src/console/' },
    to: {
      path: '^src/(contracts|operations)/',
      pathNot: '^src/operations/console-routes[.]ts$',
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'nothing-imports-the-console',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/console/' },
    to: { path: '^src/console/' },
  },
  {
    name: 'nothing-imports-the-client',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/sdk/' },
    to: { path: '^src/sdk/' },
  },
  {
    name: 'the-client-has-one-dependency',
    comment: 'And what only users of OpenFeature have, in an entry of its own.',
    severity: 'error',
    from: { path: '^src/sdk/' },
    to: {
      path: 'node_modules/',
      pathNot: 'node_modules/(eventsource-parser|@types/node|@openfeature/(server-sdk|core))/',
    },
  },
  {
    name: 'openfeature-only-in-its-entry',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/sdk/openfeature[.]ts$' },
    to: { path: 'node_modules/@openfeature/' },
  },
];

/** The scripts of the documentation are small, and alone. */
const docsPageRules = [
  {
    name: 'docs-page-imports-minisearch-alone',
    severity: 'error',
    from: { path: '^src/docs-page/' },
    to: { pathNot: '^(src/docs-page/|node_modules/minisearch/)' },
  },
  {
    name: 'nothing-imports-the-docs-page',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/docs-page/' },
    to: { path: '^src/docs-page/' },
  },
];

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    { name: 'no-barrels', severity: 'error', from: {}, to: { path: '^src/.*/index[.]ts$' } },
    ...layerRules,
    ...consoleRules,
    ...docsPageRules,
    {
      name: 'actors-through-client-or-protocol',
      comment: 'Others hold an actor by its client and speak its protocol; what it does inside is its own.',
      severity: 'error',
      from: { path: `^src/(${actors}|operations|worker|front)/` },
      to: {
        path: `^src/${actors}/`,
        // The operator's verbs are declared with the thread that runs them, the writer's: see operator/operator.ts.
        pathNot: [
          `^src/${actors}/.*-(client|protocol)[.]ts$`,
          '^src/writer/thread/operator-verbs[.]ts$',
          '^src/$1/',
        ],
      },
    },
    {
      name: 'domain-runs-anywhere',
      comment: 'The same rules run in a thread, in a test and in a browser: no Node, no packages.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer'] },
    },
    {
      name: 'lmdb-only-in-storage',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/storage/' },
      to: { path: 'node_modules/(lmdb|msgpackr)/' },
    },
    {
      name: 'prom-client-only-in-admin',
      comment:
        'It makes the text that Prometheus reads; what is counted on the way of a request are plain cells.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/admin/' },
      to: { path: 'node_modules/prom-client/' },
    },
    {
      name: 'openid-client-only-in-open-id',
      comment: 'It is loaded only where a provider is configured, and what it throws can hold tokens.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/operations/sessions/open-id/' },
      to: { path: 'node_modules/openid-client/' },
    },
    {
      name: 'pg-only-in-cluster-sql',
      comment: 'It is loaded with the first connection of a cluster; all SQL is in one folder.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cluster/sql/' },
      to: { path: 'node_modules/pg/' },
    },
    {
      name: 'grpc-only-in-flagd',
      comment: 'It is loaded in one thread, which runs only where a port of flagd’s sync is configured.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/flagd/' },
      to: { path: 'node_modules/@grpc/' },
    },
    {
      name: 'uwebsockets-only-in-http',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/http/' },
      to: { path: 'node_modules/uWebSockets[.]js/' },
    },
    {
      name: 'no-dev-tools-in-the-product',
      severity: 'error',
      // What browsers run is bundled when it is built, and brings what it uses along; the client's package names its own.
      from: { path: '^src/', pathNot: '^src/(console|docs-page|sdk)/' },
      to: { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/@types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Programs of the client's users.
    exclude: { path: '^src/sdk/package/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
    moduleSystems: ['es6', 'cjs'],
  },
};
