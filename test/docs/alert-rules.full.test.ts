import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { debianPrograms, pathOf } from '../support/debian-programs.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/*
 * Prometheus's own tool evaluates each alert rule, on a service in the state that the rule is about, and on a healthy
 * one.
 */
t.setTimeout(120_000);

const rules = join(repositoryRoot(), 'docs/monitoring/alerts.yml');
const programs = debianPrograms('promtool');
const { skip } = programs;

/** One value for each minute; longer than any rule looks back. */
const minutes = 90;
const evaluatedAt = `${minutes - 10}m`;
const steady = (value: number): string => `${value}x${minutes}`;
/** A counter that grows by `perSecond` each second. */
const rising = (perSecond: number): string => `0+${perSecond * 60}x${minutes}`;

/** A counter that grows by one every five minutes, as a client's whose token is refused. */
const every5Minutes = Array.from({ length: minutes / 5 }, (_, count) => `${count}x4`).join(' ');

type Series = Readonly<Record<string, string>>;

/** @returns a histogram of one event a second, all between two bounds */
function slowHistogram(name: string, labels: string, bound: string, next: string): Series {
  return {
    [`${name}{${labels},le="${bound}"}`]: steady(0),
    [`${name}{${labels},le="${next}"}`]: rising(1),
    [`${name}{${labels},le="+Inf"}`]: rising(1),
  };
}

/** The exported metrics that make each alert fire. Each service is an `instance` of its own of `job` burgee. */
const troubles: Readonly<Record<string, Series>> = {
  BurgeeDown: { up: steady(0) },
  BurgeeNotReady: { burgee_ready: steady(0) },
  BurgeeRestarts: { process_start_time_seconds: rising(1) },
  BurgeeServerErrors: {
    'burgee_http_request_duration_seconds_count{api="evaluation",status="200"}': rising(60),
    'burgee_http_request_duration_seconds_count{api="evaluation",status="503"}': rising(1),
  },
  BurgeeSlowEvaluations: slowHistogram(
    'burgee_http_request_duration_seconds_bucket',
    'route="evaluate-flag"',
    '0.05',
    '0.1',
  ),
  BurgeeClientsGoAway: { 'burgee_http_requests_unanswered_total{by="service"}': rising(1) },
  BurgeeWorkersMissing: { burgee_workers: steady(1), burgee_workers_configured: steady(2) },
  BurgeeWorkersReplaced: { burgee_worker_replacements_total: `0x${minutes - 30} 1x30` },
  BurgeeWorkersBusy: {
    'burgee_event_loop_active_seconds_total{thread="worker"}': rising(2),
    burgee_workers: steady(2),
  },
  BurgeeWorkerSteps: {
    'burgee_worker_step_duration_seconds_bucket{le="0.001"}': `0+50x${minutes}`,
    burgee_worker_step_duration_seconds_count: rising(1),
  },
  BurgeeConnectionsRefused: { burgee_connections_refused_total: rising(1) },
  BurgeeSyncStreamsRefused: { 'burgee_sync_streams_refused_total{share="project"}': rising(1) },
  BurgeeSyncSlowReaders: { 'burgee_sync_streams_ended_total{why="slow"}': rising(1) },
  BurgeeSyncTokensRefused: {
    'burgee_http_request_duration_seconds_count{api="sync",route="sync-stream",status="401"}': every5Minutes,
  },
  BurgeeFlagdSlowReaders: { 'burgee_flagd_cut_total{reason="slow"}': rising(1) },
  BurgeeFlagdRefused: { 'burgee_flagd_refused_total{status="resource-exhausted"}': rising(1) },
  BurgeeConnectionsUneven: {
    burgee_workers: steady(4),
    burgee_connections: steady(1000),
    burgee_worker_connections_max: steady(501),
  },
  BurgeeFrontBusy: { 'burgee_event_loop_active_seconds_total{thread="front"}': rising(1) },
  BurgeeEventLoopDelay: slowHistogram(
    'burgee_event_loop_delay_seconds_bucket',
    'thread="writer"',
    '0.25',
    '0.5',
  ),
  BurgeeWriterQueue: { burgee_writer_queue_depth: steady(1001) },
  BurgeeSlowCommits: slowHistogram(
    'burgee_writer_commit_duration_seconds_bucket',
    'source="api"',
    '0.5',
    '1',
  ),
  BurgeeFailedCommits: { 'burgee_writer_failed_commits_total{source="api"}': rising(1) },
  BurgeeMailsFailed: { burgee_outbox_failed: steady(1) },
  BurgeeOutboxStuck: {
    burgee_outbox_depth: steady(3),
    'burgee_mails_total{outcome="accepted"}': steady(4),
    'burgee_mails_total{outcome="postponed"}': rising(1),
  },
  BurgeeDiskNearReserve: { burgee_storage_free_bytes: steady(255), burgee_storage_reserve_bytes: steady(64) },
  BurgeeStoreNearMapSize: { burgee_store_used_bytes: steady(81), burgee_store_map_bytes: steady(100) },
  BurgeeOldReader: { burgee_store_oldest_reader_lag_commits: steady(10_001) },
  BurgeeFailedAuthentications: { burgee_failed_authentications_total: rising(2) },
  BurgeeRateLimited: { 'burgee_rate_limited_requests_total{limit="management-requests"}': rising(2) },
  BurgeeWriteQuotaReached: { burgee_write_quota_refusals_total: rising(1) },
  BurgeeUnrecordedDenials: { burgee_unrecorded_denials_total: rising(1) },
  BurgeeNodeDetached: { burgee_cluster_attached: steady(0) },
  BurgeeNodeLags: { burgee_cluster_lag_positions: steady(0), burgee_cluster_lag_seconds: steady(61) },
  BurgeeNodeSilent: { burgee_cluster_silent_nodes: steady(1) },
  BurgeeSlowConfirmations: {
    ...slowHistogram('burgee_cluster_wait_duration_seconds_bucket', 'end="everywhere"', '2.5', '5'),
    burgee_cluster_wait_limit_seconds: steady(5),
  },
  BurgeeUnconfirmedChanges: { 'burgee_cluster_wait_duration_seconds_count{end="unconfirmed"}': rising(1) },
  BurgeeClusterReconnects: { 'burgee_cluster_reconnects_total{link="commits"}': rising(1) },
  BurgeeTakeOvers: { burgee_cluster_take_overs_total: rising(1) },
  BurgeeClockSkew: { burgee_cluster_clock_skew_seconds: steady(-2) },
};

/** A busy, healthy service. */
const well: Series = {
  up: steady(1),
  burgee_ready: steady(1),
  process_start_time_seconds: steady(1e9),
  'burgee_http_request_duration_seconds_count{api="evaluation",status="200"}': rising(1000),
  'burgee_http_request_duration_seconds_count{api="evaluation",status="503"}': rising(1),
  'burgee_http_request_duration_seconds_bucket{route="evaluate-flag",le="0.005"}': rising(1000),
  'burgee_http_request_duration_seconds_bucket{route="evaluate-flag",le="+Inf"}': rising(1000),
  'burgee_http_requests_unanswered_total{by="client"}': rising(1),
  burgee_workers: steady(2),
  burgee_workers_configured: steady(2),
  burgee_worker_replacements_total: steady(0),
  burgee_connections: steady(1000),
  burgee_connections_refused_total: steady(0),
  burgee_worker_connections_max: steady(502),
  'burgee_worker_step_duration_seconds_bucket{le="0.001"}': rising(1000),
  burgee_worker_step_duration_seconds_count: rising(1000),
  'burgee_event_loop_active_seconds_total{thread="worker"}': rising(1),
  'burgee_event_loop_active_seconds_total{thread="front"}': `0+30x${minutes}`,
  burgee_writer_queue_depth: steady(40),
  'burgee_writer_failed_commits_total{source="api"}': steady(0),
  burgee_outbox_failed: steady(0),
  burgee_outbox_depth: steady(3),
  'burgee_mails_total{outcome="accepted"}': rising(1),
  burgee_storage_free_bytes: steady(1000),
  burgee_storage_reserve_bytes: steady(64),
  burgee_store_used_bytes: steady(10),
  burgee_store_map_bytes: steady(100),
  burgee_store_oldest_reader_lag_commits: steady(100),
  burgee_failed_authentications_total: `0+6x${minutes}`,
  'burgee_rate_limited_requests_total{limit="management-requests"}': `0+6x${minutes}`,
  'burgee_http_request_duration_seconds_count{api="sync",route="sync-stream",status="200"}': rising(1),
  'burgee_http_request_duration_seconds_count{api="sync",route="sync-stream",status="401"}': `0x${minutes - 20} 2x20`,
  'burgee_flagd_refused_total{status="permission-denied"}': steady(5),
  'burgee_sync_streams_ended_total{why="slow"}': steady(1),
  'burgee_flagd_cut_total{reason="slow"}': steady(1),
  burgee_write_quota_refusals_total: steady(0),
  burgee_unrecorded_denials_total: steady(0),
  burgee_cluster_attached: steady(1),
  burgee_cluster_lag_positions: steady(2),
  burgee_cluster_lag_seconds: steady(1),
  burgee_cluster_silent_nodes: steady(0),
  'burgee_cluster_wait_duration_seconds_bucket{end="everywhere",le="0.01"}': rising(100),
  'burgee_cluster_wait_duration_seconds_bucket{end="everywhere",le="+Inf"}': rising(100),
  burgee_cluster_wait_limit_seconds: steady(5),
  'burgee_cluster_wait_duration_seconds_count{end="unconfirmed"}': steady(0),
  'burgee_cluster_reconnects_total{link="commits"}': steady(1),
  burgee_cluster_take_overs_total: steady(1),
  burgee_cluster_clock_skew_seconds: steady(0.02),
};

/** An install without one, where denials wait in the outbox. */
const noMailServer: Series = {
  'burgee_mails_total{outcome="accepted"}': steady(0),
  'burgee_mails_total{outcome="postponed"}': steady(0),
};

function scraped(instance: string, series: string): string {
  const [name, labels] = series.split('{');
  return `${name}{job="burgee",instance="${instance}"${labels === undefined ? '}' : `,${labels}`}`;
}

/** @param firing the alerts that fire, each for the service of its name */
function testOf(name: string, services: Readonly<Record<string, Series>>, firing: readonly string[]): object {
  return {
    name,
    interval: '1m',
    input_series: Object.entries(services).flatMap(([instance, series]) =>
      Object.entries(series).map(([name, values]) => ({ series: scraped(instance, name), values })),
    ),
    promql_expr_test: [
      {
        expr: 'count by (alertname, instance) (ALERTS{alertstate="firing"})',
        eval_time: evaluatedAt,
        exp_samples: firing.map((alert) => ({
          labels: `{alertname="${alert}",instance="${alert}"}`,
          value: 1,
        })),
      },
    ],
  };
}

t.test('every alert has a state of the service in which it fires', async (t) => {
  const names = [...readFileSync(rules, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  t.same(Object.keys(troubles).sort(), names.sort());
});

t.test('only the right alert fires in each state, and none for a healthy service', { skip }, async (t) => {
  const tests = [
    testOf('services in trouble', troubles, Object.keys(troubles)),
    testOf('a healthy service', { healthy: well }, []),
    testOf('no mail server', { unmailed: { ...well, ...noMailServer } }, []),
  ];
  const file = join(temporaryDirectory(t), 'test.json');
  writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }));
  const arguments_ = ['test', 'rules', file];
  const { status, stdout, stderr } = spawnSync(pathOf(programs, 'promtool'), arguments_, {
    encoding: 'utf8',
  });
  t.equal(status, 0, `${stdout}${stderr}`);
});
