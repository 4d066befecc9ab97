import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import type { Config } from '../../src/config/config.ts';
import { coresOf, cpuQuota, defaultWorkers } from '../../src/config/cores.ts';
import { type ConfigInput, type LoadedConfig, loadConfig } from '../../src/config/load-config.ts';
import { hasUnknownAddress } from '../../src/config/settings.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function load(input: Partial<ConfigInput>): LoadedConfig {
  return loadConfig({ flags: new Map(), configFile: undefined, environment: {}, ...input });
}

function configFile(t: Test, content: string): string {
  const path = join(temporaryDirectory(t), 'burgee.json');
  writeFileSync(path, content);
  return path;
}

function configOf(loaded: LoadedConfig): Config {
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}

function problemsOf(loaded: LoadedConfig): readonly string[] {
  return loaded.ok ? [] : loaded.problems;
}

t.test('without any source, the defaults hold', async (t) => {
  const config = configOf(load({}));
  t.match(config, {
    host: '127.0.0.1',
    port: 8080,
    dataDir: resolve('data'),
    baseUrl: 'http://127.0.0.1:8080',
    docsUrl: 'http://127.0.0.1:8080/docs',
    tokenPrefix: 'burgee',
    managementRateLimit: 600,
    failedAuthenticationLimit: 20,
    mapBytes: 64 * 2 ** 30,
    trustedProxies: [],
  });
  t.equal(config.workers, defaultWorkers(coresOf(availableParallelism(), cpuQuota())));
  t.equal(config.cacheBytes, config.workers * 256 * 2 ** 20);
});

t.test('a flag beats the environment, which beats the file, which beats the default', async (t) => {
  const file = configFile(t, '{"port": 1, "host": "file", "logLevel": "warn"}');
  const environment = { BURGEE_PORT: '2', BURGEE_HOST: 'environment', BURGEE_CONFIG: file };
  const loaded = load({ flags: new Map([['port', '3']]), environment });
  const config = configOf(loaded);
  t.match(config, { port: 3, host: 'environment', logLevel: 'warn', commitGroupSize: 256 });
  const sources = (['port', 'host', 'logLevel', 'commitGroupSize'] as const).map((name) =>
    loaded.ok ? loaded.sources.get(name) : null,
  );
  t.strictSame(sources, ['flag', 'environment', 'file', 'default']);
  t.equal(config.docsUrl, 'http://environment:3/docs', 'derived defaults follow the effective values');
});

t.test(
  'the default of the cache grows with the workers; a given value is for the whole process',
  async (t) => {
    t.equal(configOf(load({ environment: { BURGEE_WORKERS: '7' } })).cacheBytes, 7 * 256 * 2 ** 20);
    const environment = { BURGEE_WORKERS: '7', BURGEE_CACHE_BYTES: '64MiB' };
    t.equal(configOf(load({ environment })).cacheBytes, 64 * 2 ** 20);
    t.equal(configOf(load({ environment: { BURGEE_WORKERS: '256' } })).cacheBytes, 64 * 2 ** 30);
    for (const workers of ['0', '257', '1.5']) {
      const problems = problemsOf(load({ environment: { BURGEE_WORKERS: workers } }));
      t.match(problems, [/^BURGEE_WORKERS must be a whole number from 1 to 256/], workers);
    }
  },
);

t.test('the flag for the file beats the variable', async (t) => {
  const environment = { BURGEE_CONFIG: configFile(t, '{"port": 1}') };
  const loaded = load({ configFile: configFile(t, '{"port": 2}'), environment });
  t.equal(loaded.ok && loaded.config.port, 2);
});

t.test('every problem is reported at once', async (t) => {
  const file = configFile(t, '{"commitGroupSize": "many", "prot": 1, "inFlightMax": 0}');
  const environment = { BURGEE_PORT: 'abc', BURGEE_LOG_LEVL: 'info', BURGEE_DRAIN_TIMEOUT_MS: '-1' };
  const problems = problemsOf(
    load({ flags: new Map([['host', 'no spaces']]), environment, configFile: file }),
  );
  t.equal(problems.length, 7);
  const expected = [
    'Unknown environment variable BURGEE_LOG_LEVL; did you mean BURGEE_LOG_LEVEL?',
    `Unknown setting "prot" in ${file}; did you mean port?`,
    '--host must be a host name or IP address, but it is "no spaces"',
    'BURGEE_PORT must be a whole number from 0 to 65535, but it is "abc"',
    `"commitGroupSize" in ${file} must be a whole number from 1 to 256, but it is "many"`,
    `"inFlightMax" in ${file} must be a whole number from 1 to 1000000, but it is 0`,
    'BURGEE_DRAIN_TIMEOUT_MS must be a whole number from 0 to 600000, but it is "-1"',
  ];
  t.strictSame(problems, expected);
});

t.test('the error of an unusable file says why', async (t) => {
  t.match(problemsOf(load({ configFile: '/no/such/file.json' })), [/cannot be read: ENOENT/]);
  t.match(problemsOf(load({ configFile: configFile(t, '{"port": }') })), [/is not JSON/]);
  t.match(problemsOf(load({ configFile: configFile(t, '[1]') })), [/must hold one JSON object/]);
  t.match(problemsOf(load({ configFile: configFile(t, '{"__proto__": 1}') })), [
    /Unknown setting "__proto__"/,
  ]);
});

t.test("Kubernetes' service links are ignored, and explained if one has a setting's name", async (t) => {
  const links = {
    BURGEE_SERVICE_HOST: '10.0.0.1',
    BURGEE_SERVICE_PORT: '8080',
    BURGEE_SERVICE_PORT_HTTP: '8080',
    BURGEE_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
    BURGEE_PORT_8080_TCP_PROTO: 'tcp',
    BURGEE_PORT_8080_TCP_PORT: '8080',
    BURGEE_PORT_8080_TCP_ADDR: '10.0.0.1',
    BURGEE_CANARY_PORT: 'tcp://10.0.0.1:8080',
  };
  t.strictSame(problemsOf(load({ environment: links })), []);
  const problems = problemsOf(load({ environment: { ...links, BURGEE_PORT: 'tcp://10.0.0.1:8080' } }));
  t.equal(problems.length, 1);
  t.match(problems[0], /^BURGEE_PORT must be a whole number .*enableServiceLinks: false/);
});

t.test('sizes carry units, lists have commas, networks may be single addresses', async (t) => {
  const loaded = load({
    environment: {
      BURGEE_MAP_BYTES: '2GiB',
      BURGEE_TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.7,2001:db8::/32',
      BURGEE_TOKEN_PREFIXES_ACCEPTED: 'old,older',
    },
    configFile: configFile(t, '{"cacheBytes": "1 MiB", "storageReserveBytes": 20000005}'),
  });
  t.match(configOf(loaded), {
    mapBytes: 2 * 2 ** 30,
    cacheBytes: 2 ** 20,
    storageReserveBytes: 20_000_005,
    trustedProxies: ['10.0.0.0/8', '192.168.1.7/32', '2001:db8::/32'],
    tokenPrefixesAccepted: ['old', 'older'],
  });
});

t.test('malformed sizes, networks and addresses are refused', async (t) => {
  const environment = {
    BURGEE_MAP_BYTES: '2GB',
    BURGEE_TRUSTED_PROXIES: '10.0.0.0/33',
    BURGEE_BASE_URL: 'ftp://x',
    BURGEE_TOKEN_PREFIX: '_x',
  };
  const problems = problemsOf(load({ environment }));
  t.equal(problems.length, 4, problems.join('\n'));
});

t.test('a slash at the end of an address is dropped', async (t) => {
  const loaded = load({ environment: { BURGEE_BASE_URL: 'https://flags.example.com/' } });
  t.equal(loaded.ok && loaded.config.docsUrl, 'https://flags.example.com/docs');
});

t.test('a service that listens on every address has links without a host, or of this machine', async (t) => {
  for (const [host, baseUrl] of [
    ['0.0.0.0', 'http://127.0.0.1:8080'],
    ['::', 'http://[::1]:8080'],
  ] as const) {
    const config = configOf(load({ environment: { BURGEE_HOST: host } }));
    t.match(config, { baseUrl, docsUrl: '/docs' });
    t.ok(hasUnknownAddress(config));
    const given = { BURGEE_HOST: host, BURGEE_BASE_URL: 'http://flags.internal' };
    const known = configOf(load({ environment: given }));
    t.equal(known.docsUrl, 'http://flags.internal/docs');
    t.notOk(hasUnknownAddress(known));
  }
});

t.test('the path of the base URL goes into pages and cookies: it has no special characters', async (t) => {
  const pathOf = (path: string) => load({ environment: { BURGEE_BASE_URL: `https://example.com${path}` } });
  for (const path of ['', '/', '/burgee', '/a/b_c.d~e-1/']) t.ok(pathOf(path).ok, path);
  for (const path of ['/a;b', '/"', '/<a', '/a//b', '/..', '/a/.', "/a'", '/a&b', '/%2f'])
    t.match(problemsOf(pathOf(path)), [/BURGEE_BASE_URL must be an http/], path);
});

t.test('an empty variable counts as absent', async (t) => {
  const loaded = load({ environment: { BURGEE_PORT: '', BURGEE_CONFIG: '' } });
  t.equal(loaded.ok && loaded.sources.get('port'), 'default');
});

t.test('a provider to sign in with needs an id, a base URL and TLS', async (t) => {
  const whole = {
    BURGEE_BASE_URL: 'https://flags.example.com',
    BURGEE_OPEN_ID_ISSUER: 'https://id.example.com/realms/acme/',
    BURGEE_OPEN_ID_CLIENT_ID: 'burgee',
    BURGEE_OPEN_ID_CLIENT_SECRET: 'a secret',
  };
  const wrongSecret = problemsOf(load({ environment: whole }));
  t.match(wrongSecret, [/^BURGEE_OPEN_ID_CLIENT_SECRET must be .* but it is a secret value, not shown$/]);
  const config = configOf(load({ environment: { ...whole, BURGEE_OPEN_ID_CLIENT_SECRET: 'secret' } }));
  t.equal(config.openIdIssuer, 'https://id.example.com/realms/acme/', 'exactly as given');
  t.equal(config.openIdName, 'single sign-on');

  const { BURGEE_OPEN_ID_ISSUER } = whole;
  t.match(problemsOf(load({ environment: { BURGEE_OPEN_ID_ISSUER } })), [
    /needs --open-id-client-id \(BURGEE_OPEN_ID_CLIENT_ID\)/,
    /needs --base-url \(BURGEE_BASE_URL\): .*\/console\/api\/openid\/callback/,
  ]);
  t.match(problemsOf(load({ environment: { BURGEE_OPEN_ID_CLIENT_SECRET: 'secret' } })), [
    /--open-id-client-secret .* has no effect without an issuer/,
  ]);
  const issuerOf = (issuer: string): LoadedConfig =>
    load({ environment: { ...whole, BURGEE_OPEN_ID_CLIENT_SECRET: 'x', BURGEE_OPEN_ID_ISSUER: issuer } });
  for (const issuer of ['http://localhost:9000', 'http://127.0.0.1', 'http://[::1]:80/x', 'https://id']) {
    t.equal(configOf(issuerOf(issuer)).openIdIssuer, issuer);
  }
  const wrong = [
    'http://id.example.com',
    'https://id?x',
    'https://u:p@id',
    'id.example.com',
    'http://127.0.0.1.example',
  ];
  for (const issuer of wrong) {
    t.match(problemsOf(issuerOf(issuer)), [/^BURGEE_OPEN_ID_ISSUER must be an https:\/\/ address/], issuer);
  }
});

t.test('a node of a cluster needs a database, and one password', async (t) => {
  const BURGEE_CLUSTER_URL =
    'postgres://burgee@db1:5432,db2/flags?sslmode=verify-full&sslrootcert=/etc/ca.pem';
  t.match(configOf(load({})), {
    clusterUrl: null,
    clusterPasswordFile: null,
    clusterSchema: 'burgee',
    clusterLeaseMs: 3000,
    clusterWaitMs: 5000,
    clusterWait: 'all',
  });
  const whole = configOf(
    load({
      environment: {
        BURGEE_CLUSTER_URL,
        BURGEE_CLUSTER_PASSWORD_FILE: 'secret',
        BURGEE_CLUSTER_WAIT: 'none',
      },
    }),
  );
  t.match(whole, {
    clusterUrl: BURGEE_CLUSTER_URL,
    clusterPasswordFile: resolve('secret'),
    clusterWait: 'none',
  });
  t.equal(configOf(load({ environment: { BURGEE_CLUSTER_URL: 'off' } })).clusterUrl, null);
  for (const url of ['mysql://db/flags', 'db:5432', 'postgres://', 'postgres://db/with space']) {
    const problems = problemsOf(load({ environment: { BURGEE_CLUSTER_URL: url } }));
    t.match(problems, [/^BURGEE_CLUSTER_URL must be postgres:.* but it is a secret value, not shown$/], url);
  }
  const alone = {
    BURGEE_CLUSTER_PASSWORD_FILE: 'secret',
    BURGEE_CLUSTER_SCHEMA: 'flags',
    BURGEE_CLUSTER_LEASE_MS: '2000',
    BURGEE_CLUSTER_WAIT_MS: '2000',
    BURGEE_CLUSTER_WAIT: 'none',
  };
  const problems = problemsOf(load({ environment: alone }));
  t.equal(problems.length, 5, 'a node that is given no database does not serve alone');
  for (const problem of problems) t.match(problem, /does nothing without a cluster: set --cluster-url/);
  const twice = { ...alone, BURGEE_CLUSTER_URL: 'postgres://burgee:other@db1,db2/flags' };
  t.match(problemsOf(load({ environment: twice })), [/has a password and .*_PASSWORD_FILE is set: give one/]);
  for (const [end, problem] of [
    ['?sslmode=require&channel_binding=require', /channel_binding is not known after the \?/],
    ['?host=/cloudsql/shop', /host is not known after the \?/],
  ] as const) {
    const environment = { BURGEE_CLUSTER_URL: `postgres://burgee@db1/flags${end}` };
    t.match(problemsOf(load({ environment })), [problem], 'as when it is served');
  }
  t.same(problemsOf(load({ environment: { ...alone, BURGEE_CLUSTER_URL } })), []);
  for (const schema of ['pg_flags', 'Flags', '1st', 'a"b', 'a'.repeat(31)]) {
    const wrong = problemsOf(load({ environment: { BURGEE_CLUSTER_URL, BURGEE_CLUSTER_SCHEMA: schema } }));
    t.match(wrong, [/^BURGEE_CLUSTER_SCHEMA must be 1 to 30 lowercase letters/], schema);
  }
  for (const milliseconds of ['999', '60001']) {
    const wrong = problemsOf(
      load({ environment: { BURGEE_CLUSTER_URL, BURGEE_CLUSTER_LEASE_MS: milliseconds } }),
    );
    t.match(wrong, [/^BURGEE_CLUSTER_LEASE_MS must be a whole number from 1000 to 60000/], milliseconds);
  }
});
