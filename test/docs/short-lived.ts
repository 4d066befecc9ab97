/**
 * Collections of `src` that need no row in the section «Collections» of docs/limits.md, by the reason and by file. A
 * collection that is neither here nor there fails the test.
 */
export const shortLived: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'filled once, when the module is loaded, from what stands in the code': {
    'src/cluster/sql/connect.ts': 'parsers',
    'src/http/answer-writing.ts': 'lines',
    'src/http/request-end.ts': 'commonMethods',
    'src/notifier/send-mail.ts': 'unreachableCodes',
    'src/operations/answer-console-read.ts': 'operations',
    'src/operations/answer-console-write.ts': 'operations',
    'src/operations/answer-headers.ts': 'detachedBlocks',
    'src/operations/audit/audit-export.ts': 'formats',
    'src/operations/reads.ts': 'searching',
    'src/operator/operator-server.ts': 'shapes',
    'src/storage/check/check-data-file.ts': 'histories',
    'src/storage/keys.ts': 'laterDatabases',
    'src/storage/migrations/migrate-store.ts': 'storeMigrations',
    'src/storage/records/record-codec.ts': 'storableTypes',
    'src/storage/replica/replicated.ts': 'nodeLocal',
    'src/storage/replica/state.ts': 'indexes',
    'src/worker/evaluation/evaluate-list.ts': 'noPlaces',
    'src/worker/pages/docs-pages.ts': 'contentTypes',
    'src/worker/pages/web-app.ts': 'contentTypes',
    'src/worker/route-names.ts': 'indexes',
    'src/worker/sync-door.ts': 'reports',
    'src/worker/token-use-of.ts': 'refusalStatuses',
  },
  'of one request and its answer': {
    'src/operations/flags/list-console-flags.ts': '#indexes list',
    'src/worker/answers/answer-encoder.ts': '#coded',
    'src/worker/ofrep/ofrep-flags.ts': '#whole',
  },
  'of one reading of a flag, of a list or of an environment’s configuration': {
    'src/worker/evaluation/audience-reading.ts': '#read',
    'src/worker/evaluation/project-list.ts': '#audiences',
    'src/worker/sync/sync-events.ts': 'chunks',
  },
  'of one transaction of the writer': {
    'src/storage/replica/captured-writes.ts': '#writes',
    'src/writer/thread/decide-group.ts': 'changing told',
    'src/writer/thread/provision/declare-flag.ts': 'states',
    'src/writer/thread/provision/provision-scope.ts': '#pending',
  },
  'of one command of the operator: its file, its answer, or its walk through the store': {
    'src/cluster/upkeep/check-cluster.ts': '#left listed',
    'src/cluster/upkeep/log-walk.ts': '#checksums damaged writes',
    'src/operator/document-check.ts': '#names',
    'src/operator/operator-client.ts': '#document',
    'src/operator/provision-outline.ts': '#flags',
    'src/operator/provisioning.ts': '#flagNames #secrets',
    'src/storage/check/check-data-file.ts': '#indexes',
    'src/storage/check/store-walk.ts': 'counts',
  },
};
