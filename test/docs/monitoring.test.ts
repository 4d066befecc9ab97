import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { countedRoutes } from '../../src/worker/route-names.ts';
import { adminClientOf, type Scrape } from '../admin/admin-fixture.ts';
import { createCluster } from '../cluster/support/three-nodes.ts';
import { type BootedServer, bootServer } from '../support/booted-server.ts';
import { debianPrograms, pathOf } from '../support/debian-programs.ts';
import { createHttpClient } from '../support/http-client.ts';
import { findPostgres } from '../support/postgres/postgres-binaries.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* Compares the dashboard, the alert rules and the page of metrics with the metrics that a server exports. */
t.setTimeout(300_000);

const directory = join(repositoryRoot(), 'docs/monitoring');
const read = (name: string): string => readFileSync(join(directory, name), 'utf8');

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(read('grafana-dashboard.json')) as { readonly panels: readonly Panel[] };
const dashboardExpressions = dashboard.panels.flatMap(
  ({ targets }) => targets?.map(({ expr }) => expr) ?? [],
);
const alerts = read('alerts.yml');
/** The expressions of the rules, multi-line ones included. */
const alertExpressions = [...alerts.matchAll(/^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/gm)].map(
  ([, block, line]) => block ?? line ?? '',
);

/** @returns the names of metrics in an expression, without a histogram's suffixes */
function metricsIn(expression: string, scrape: Scrape): string[] {
  const names = expression.match(/\b(?:burgee|process)_[a-z0-9_]+/g) ?? [];
  return names.map((name) => {
    const bare = name.replace(/_(bucket|sum|count)$/, '');
    return scrape.types.get(bare) === 'histogram' ? bare : name;
  });
}

/** The label names of each metric, `le` excepted. */
function labelsIn(scrape: Scrape): Map<string, string[]> {
  const labels = new Map<string, string[]>();
  for (const series of scrape.samples.keys()) {
    const [name = ''] = series.split('{');
    const [metric = name] = metricsIn(name, scrape);
    const names = [...series.matchAll(/(\w+)="/g)].map(([, label]) => String(label));
    labels.set(
      metric,
      names.filter((label) => label !== 'le'),
    );
  }
  return labels;
}

/** Rows of the page's table: type and labels by name. */
const documented = new Map(
  [...read('README.md').matchAll(/^\| `((?:burgee|process)_\w+)` \| (\w+) \| (.*?) \| (.+) \|$/gm)].map(
    ([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => String(label)) },
    ],
  ),
);

const { binaries, skip: noPostgres } = findPostgres();

const settings = { BURGEE_ADMIN_PORT: '0', BURGEE_FLAGD_SYNC_PORT: '0' };

/** A node of a cluster that serves flagd's providers has all metrics that there are. */
async function bootNode(): Promise<BootedServer> {
  const dataDir = temporaryDirectory(t);
  if (binaries === null) return bootServer(t, { dataDir, settings });
  const cluster = await createCluster(t, binaries, dataDir, settings);
  return cluster.boot(dataDir);
}

const server = await bootNode();
await createHttpClient(t, { port: server.port }).send({ path: '/health' });
const scrape = await (await adminClientOf(t, server)).scrape();

t.test(
  'exactly the exported metrics are documented, with type and labels',
  { skip: noPostgres },
  async (t) => {
    t.ok(scrape.types.size > 30);
    t.same([...documented.keys()].sort(), [...scrape.types.keys()].sort());
    const labels = labelsIn(scrape);
    for (const [name, type] of scrape.types) {
      t.same(documented.get(name), { type, labels: labels.get(name) ?? [] }, name);
    }
  },
);

t.test(
  'every metric is on the dashboard, and every metric of the dashboard exists',
  { skip: noPostgres },
  async (t) => {
    const shown = new Set(dashboardExpressions.flatMap((expression) => metricsIn(expression, scrape)));
    t.same([...shown].sort(), [...scrape.types.keys()].sort());
    for (const { type, title, targets } of dashboard.panels) {
      if (type !== 'row') t.ok((targets?.length ?? 0) > 0, `${title} has an expression`);
    }
  },
);

t.test('every route by which requests are counted is in the table of labels', async (t) => {
  const valuesOf = (label: string): readonly string[] => {
    const [, row = ''] = new RegExp(`^\\| \`${label}\` \\| (.*) \\|$`, 'm').exec(read('README.md')) ?? [];
    return [...row.matchAll(/`([\w-]+)`/g)].map(([, value = '']) => value);
  };
  t.same([...new Set(countedRoutes.map(({ api }) => api))].sort(), [...valuesOf('api')].sort());
  t.same(countedRoutes.map(({ route }) => route).sort(), [...new Set(valuesOf('route'))].sort());
});

t.test('every metric of an alert exists', { skip: noPostgres }, async (t) => {
  t.equal(alertExpressions.length, alerts.match(/- alert: /g)?.length);
  t.ok(alertExpressions.length > 10);
  for (const expression of alertExpressions) {
    const names = metricsIn(expression, scrape);
    t.ok(names.length > 0 || expression.startsWith('up{'), expression);
    for (const name of names) t.ok(scrape.types.has(name), name);
  }
});

t.test('every label in an expression exists', { skip: noPostgres }, async (t) => {
  const labels = new Set([...labelsIn(scrape).values()].flat().concat('le', 'instance', 'job'));
  for (const expression of [...dashboardExpressions, ...alertExpressions]) {
    const selected = [...expression.matchAll(/(\w+)=~?"/g)].map(([, label]) => String(label));
    const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) =>
      String(list).split(', '),
    );
    for (const label of [...selected, ...grouped]) t.ok(labels.has(label), `${label} in ${expression}`);
  }
});

t.test('names follow the conventions of Prometheus', async (t) => {
  for (const [name, type] of scrape.types) {
    t.equal(name.endsWith('_total'), type === 'counter', name);
    t.notMatch(name, /(_ms|_milliseconds|_kb|_mb|_percent)(_|$)/, name);
  }
});

const programs = debianPrograms('promtool');
const { skip } = programs;

function runPromtool(
  args: readonly string[],
  input = '',
): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(pathOf(programs, 'promtool'), args, {
    input,
    encoding: 'utf8',
  });
  return { status, said: `${stdout}${stderr}` };
}

t.test('promtool accepts the rules', { skip }, async (t) => {
  const { status, said } = runPromtool(['check', 'rules', join(directory, 'alerts.yml')]);
  t.equal(status, 0, said);
});

t.test('promtool accepts the expressions of the dashboard', { skip }, async (t) => {
  const rules = dashboardExpressions.map((expression, index) => ({
    record: `dashboard:expression:${index}`,
    expr: expression.replaceAll('$__rate_interval', '5m'),
  }));
  const file = join(temporaryDirectory(t), 'rules.json');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  const { status, said } = runPromtool(['check', 'rules', file]);
  t.equal(status, 0, said);
});

t.test('promtool accepts the page', { skip }, async (t) => {
  const { status, said } = runPromtool(['check', 'metrics'], scrape.text);
  t.equal(status, 0, said);
});
