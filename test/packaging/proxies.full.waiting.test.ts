import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { get as getByTls } from 'node:https';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { oneProject } from '../lifecycle/lifecycle-fixture.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { debianPrograms, pathOf } from '../support/debian-programs.ts';
import { bearer, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { oddCohort } from './proxied-service.ts';
import { haproxyKind, nginxKind, temporaryFolders } from './proxy-kinds.ts';
import { freePorts, proxyDirectory, runProxy, startProxy } from './running-proxy.ts';

/* Proxies as people run them: Debian's, with the lines that docs/behind-a-proxy.md tells them to write, and with the
   complete examples of deploy. */
t.setTimeout(300_000);

const page = readFileSync(join(repositoryRoot(), 'docs/behind-a-proxy.md'), 'utf8');
const path = '/burgee';

/** The first block of the page in a language; for nginx's lines below a path the second. */
function blockOf(language: string, place = 0): string {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))][place]?.[1];
  if (found === undefined) throw new Error(`the page has no block ${place} of ${language}`);
  return found;
}

/** The line of the table of proxies below a path. */
function pathLineOf(proxy: string): string {
  const line = new RegExp(`^\\| ${proxy} \\| \`(.*?)\``, 'm').exec(
    page.slice(page.indexOf('id="path"')),
  )?.[1];
  if (line === undefined) throw new Error(`the page has no line for ${proxy} below a path`);
  return line;
}

function replaceOne(text: string, pattern: RegExp | string, replacement: string): string {
  const changed = text.replace(pattern, () => replacement);
  if (changed === text) throw new Error(`the page has no ${pattern}`);
  return changed;
}

/** A program with the lines of the page. `8080` and `80` in them are replaced by free ports. */
interface Row {
  readonly program: string;
  readonly lines: string;
  /** The lines below a path. */
  readonly linesBelow?: string;
  /** What Debian's configuration has around the lines, or what a program without privileges needs. */
  around(lines: string, directory: string, port: number): string;
  command(program: string, file: string, directory: string, port: number): readonly string[];
}

const rows: readonly Row[] = [
  {
    program: 'nginx',
    lines: blockOf('nginx'),
    linesBelow: `server {\n    listen 80;\n    client_max_body_size 2m;\n${blockOf('nginx', 1)}}\n`,
    around: (lines, directory) => {
      const own = `pid ${directory}/nginx.pid;\nevents {}\nhttp {\n${temporaryFolders(directory)}\n    access_log off;\n`;
      return `${own}    gzip on;\n${lines}}\n`;
    },
    command: (program, file, directory) => [
      ...[program, '-e', 'stderr', '-p', directory, '-c', file],
      ...['-g', 'daemon off;'],
    ],
  },
  {
    program: 'haproxy',
    lines: blockOf('haproxy'),
    linesBelow: replaceOne(
      blockOf('haproxy'),
      /^ {4}option httpchk$/m,
      `    ${pathLineOf('HAProxy')}\n    option httpchk`,
    ),
    around: (lines) => lines,
    command: (program, file) => [program, '-db', '-f', file],
  },
  {
    program: 'apache2',
    lines: blockOf('apache'),
    linesBelow: replaceOne(blockOf('apache'), /ProxyPass .*/, pathLineOf('Apache')),
    around: (lines, directory, port) => {
      const debian = '/etc/apache2';
      const enabled = ['mods-enabled/*.load', 'mods-enabled/*.conf'];
      const modules = ['mods-available/proxy.load', 'mods-available/proxy_http.load'];
      const includes = [...enabled, ...modules].map((name) => `IncludeOptional ${debian}/${name}\n`).join('');
      const places = `PidFile ${directory}/apache.pid\nDefaultRuntimeDir ${directory}\nErrorLog ${directory}/error.log\n`;
      return `ServerName localhost\nListen ${port}\n${places}${includes}${lines}`;
    },
    command: (program, file) => [program, '-f', file, '-DFOREGROUND'],
  },
  {
    program: 'caddy',
    lines: blockOf('caddy'),
    linesBelow: belowInCaddy(blockOf('caddy'), pathLineOf('Caddy')),
    around: (lines) => `{\n    admin off\n}\n${lines}`,
    command: (program, file) => [program, 'run', '--adapter', 'caddyfile', '--config', file],
  },
  {
    program: 'lighttpd',
    lines: blockOf('lighttpd'),
    linesBelow: `${blockOf('lighttpd')}server.modules += ( "mod_rewrite" )\n${pathLineOf('lighttpd')}\n`,
    around: (lines, directory, port) =>
      `server.document-root = "${directory}"\nserver.port = ${port}\nserver.upload-dirs = ( "${directory}" )\n${lines}`,
    command: (program, file) => [program, '-D', '-f', file],
  },
  {
    program: 'varnishd',
    lines: blockOf('vcl'),
    around: (lines) => lines,
    command: (program, file, directory, port) => [
      ...[program, '-F', '-j', 'none', '-n', join(directory, 'varnish'), '-s', 'malloc,16m'],
      ...['-a', `127.0.0.1:${port}`, '-f', file],
    ],
  },
];

/** @param line with `{ … }` around `reverse_proxy` */
function belowInCaddy(lines: string, line: string): string {
  const [, inner = ''] = /^:80 \{\n([\s\S]*)^\}$/m.exec(lines) ?? [];
  return `:80 {\n${replaceOne(line, '…', `\n${inner}`)}\n}\n`;
}

/** A Burgee, with a flag for each proxy: their changes do not meet. */
async function startBurgee(t: Test, names: readonly string[], basePath: string) {
  const dataDir = temporaryDirectory(t);
  const document = oneProject('harbour', {
    flags: names.map((name) => ({ name, enabled: true, cohorts: [oddCohort] })),
    tokens: [{ name: 'ci', permission: 'write' }],
  });
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'harbour');
  const address = { BURGEE_TRUSTED_PROXIES: '127.0.0.1', BURGEE_BASE_URL: `http://flags.example${basePath}` };
  const server = await bootServer(t, { dataDir, settings: { ...unlimited, ...address } });
  return { server, project, secret: tokenOf(project, 'ci').secret, basePath };
}
type Burgee = Awaited<ReturnType<typeof startBurgee>>;

interface Behind {
  readonly port: number;
  readonly certificate?: string;
}

async function startRow(t: Test, row: Row, lines: string, backendPort: number): Promise<Behind> {
  const directory = proxyDirectory(t);
  const [port = 0] = await freePorts(1);
  const placed = lines.replaceAll('8080', String(backendPort)).replace(/(listen |:)80\b/, `$1${port}`);
  const file = join(directory, 'proxy.conf');
  writeFileSync(file, row.around(placed, directory, port));
  await runProxy(t, row.command(pathOf(programs, row.program), file, directory, port), { directory, port });
  return { port };
}

/** What a client does, through the proxy. */
async function useThrough(t: Test, behind: Behind, burgee: Burgee, name: string): Promise<void> {
  const { server, project, secret, basePath } = burgee;
  const flag = idOf(project.flags, name);
  const client = createHttpClient(t, { ...behind, localAddress: '127.0.0.5' });
  const direct = createHttpClient(t, { port: server.port });

  const evaluation = `${basePath}/v1/flags/${flag}?cohort=`;
  const on = await client.send({ path: `${evaluation}${encodeURIComponent(oddCohort)}` });
  t.match(JSON.parse(on.text), { id: flag, enabled: true }, 'an evaluation');
  t.equal((await client.send({ path: `${evaluation}a+b` })).status, 400, 'the query arrives as it was sent');

  await expectLists(t, client, `${basePath}/projects/${project.id}/ofrep/v1/evaluate/flags`);

  const managed = { path: `${basePath}/api/v1/flags/${flag}` };
  const authorization = { ...bearer(secret), 'accept-encoding': 'gzip', 'x-forwarded-for': '203.0.113.1' };
  const read = await client.send({ ...managed, headers: authorization });
  const headers = { ...authorization, 'if-match': read.headers.get('etag') ?? '' };
  const cohorts = [oddCohort, ...Array.from({ length: 3900 }, (_, index) => String(index).padEnd(250, 'x'))];
  const body = JSON.stringify({ cohorts });
  for (const isChunked of [false, true]) {
    const changed = await client.send({ ...managed, method: 'PATCH', headers, body, isChunked });
    const expected = isChunked ? 412 : 200;
    t.equal(changed.status, expected, `a body of ${body.length} bytes${isChunked ? ' in chunks' : ''}`);
    if (expected === 200) t.ok(changed.text.includes(JSON.stringify(cohorts)), 'and its answer');
  }
  const unconditional = { method: 'PATCH', headers: authorization, body: `${body} `, isChunked: true };
  const again = await client.send({ ...managed, ...unconditional });
  t.ok(again.text.includes(JSON.stringify(cohorts)), 'a long answer to a body in chunks');

  const list = { path: '/api/v1/flags', headers: bearer(secret) };
  const proxied = await client.send({ ...list, path: `${basePath}${list.path}` });
  t.ok(proxied.body.equals((await direct.send(list)).body), 'a long list');

  await expectStream(t, behind, burgee, async () => {
    const change = { method: 'PATCH', headers: bearer(secret), body: '{"trafficPercentage": 50}' };
    t.equal((await direct.send({ ...change, path: `/api/v1/flags/${flag}` })).status, 200);
  });
  await expectConsole(t, client, basePath);
  t.equal(
    (await client.send({ path: `${basePath}/health`, method: 'HEAD' })).status,
    200,
    'it is healthy still',
  );
  t.ok(
    server.lines.some((line) => line.includes('"127.0.0.5"')),
    "the log has the client's address",
  );
  t.notMatch(server.lines.join('\n'), /203\.0\.113/, 'not the one that it claims');
}

async function expectLists(t: Test, client: HttpClient, path: string): Promise<void> {
  const body = '{"context": {"targetingKey": "ada"}}';
  const request = { method: 'POST', path, body };
  const given = { 'content-type': 'application/json', 'accept-encoding': 'gzip' };
  const first = await client.send({ ...request, headers: given });
  t.equal(first.status, 200, 'a list');
  const headers = { ...given, 'if-none-match': first.headers.get('etag') ?? '' };
  t.equal((await client.send({ ...request, headers })).status, 304, 'and nothing new');
}

/** The first event, and the one after a change, arrive while the stream is open. */
async function expectStream(
  t: Test,
  behind: Behind,
  burgee: Burgee,
  change: () => Promise<void>,
): Promise<void> {
  const { project, secret, basePath } = burgee;
  const headers = { ...bearer(secret), accept: 'text/event-stream' };
  const { port, certificate: ca } = behind;
  const place = {
    host: '127.0.0.1',
    port,
    path: `${basePath}/sync/v1/${project.id}`,
    headers,
    agent: false,
  } as const;
  let events = 0;
  await new Promise<void>((resolve, reject) => {
    const asked = ca === undefined ? get(place) : getByTls({ ...place, ca });
    t.teardown(() => asked.destroy());
    asked.on('error', reject);
    asked.on('response', (answer) => {
      t.match(answer.headers['content-type'], /^text\/event-stream/);
      answer.on('error', () => undefined);
      answer.setEncoding('utf8').on('data', (text: string) => {
        const before = events;
        events += text.split('\n\n').length - 1;
        if (before === 0 && events > 0) change().catch(reject);
        else if (events > before) resolve();
      });
    });
  });
  t.ok(events >= 2, 'a stream');
}

async function expectConsole(t: Test, client: HttpClient, basePath: string): Promise<void> {
  const home = await client.send({ path: `${basePath}/` });
  t.equal(home.headers.get('location'), `${basePath}/console/`);
  const { status, text } = await client.send({ path: `${basePath}/console/members` });
  t.equal(status, 200, 'a page');
  const script = /<script [^>]*src="([^"]+)"/.exec(text)?.[1] ?? '';
  t.ok(script.startsWith(`${basePath}/console/assets/`), script);
  const loaded = await client.send({ path: script });
  t.match(loaded.headers.get('content-type'), /^text\/javascript/, 'its script');
}

const programs = debianPrograms(...rows.map(({ program }) => program), 'openssl');

t.test('proxies as people run them', { skip: programs.skip }, async (t) => {
  const names = [...rows.map(({ program }) => program), 'deploy/nginx.conf', 'deploy/haproxy.cfg'];
  const [plain, below] = await Promise.all([startBurgee(t, names, ''), startBurgee(t, names, path)]);
  const backendPort = plain.server.port;
  const example = (kind: typeof nginxKind, program: string) =>
    startProxy(t, kind(pathOf(programs, program)), { backendPort, openssl: pathOf(programs, 'openssl') });
  const started = await Promise.all([
    ...rows.map(async (row) => {
      return { name: row.program, burgee: plain, behind: await startRow(t, row, row.lines, backendPort) };
    }),
    ...rows.flatMap((row) => {
      const { program: name, linesBelow } = row;
      if (linesBelow === undefined) return [];
      const behind = startRow(t, row, linesBelow, below.server.port);
      return [behind.then((behind) => ({ name, burgee: below, behind }))];
    }),
    example(nginxKind, 'nginx').then((behind) => ({ name: 'deploy/nginx.conf', burgee: plain, behind })),
    example(haproxyKind, 'haproxy').then((behind) => ({ name: 'deploy/haproxy.cfg', burgee: plain, behind })),
  ]);
  for (const { name, burgee, behind } of started) {
    await t.test(`${name}${burgee.basePath === '' ? '' : ' below a path'}`, (t) =>
      useThrough(t, behind, burgee, name),
    );
  }
});
