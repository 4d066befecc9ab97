import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { makeCertificate } from '../support/certificate.ts';
import { debianPrograms, pathOf } from '../support/debian-programs.ts';
import { freePort } from '../support/free-port.ts';
import { idOf, type Provisioned, projectOf, tokenOf } from '../support/provisioning.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* Pastes the blocks of the pages, in their order, as a reader does who follows them on one machine. */
t.setTimeout(180_000);

const root = repositoryRoot();

const inLanguagePages = 'docs/language-pages runs it, in npm run test:interop';

/** A block that this file does not run: its page, how it begins, and why. Every other block is pasted. */
const notPasted: readonly (readonly [page: string, start: string, reason: string])[] = [
  ['README.md', '# Python', 'docs/language-pages runs it'],
  ['README.md', '// React', 'docs/language-pages runs it'],
  ['docs/browser.md', 'npm install', 'installs packages for browsers'],
  ['docs/browser.md', 'import { OpenFeature, OpenFeatureProvider', inLanguagePages],
  ['docs/go.md', '', inLanguagePages],
  ['docs/java.md', '', inLanguagePages],
  ['docs/python.md', '', inLanguagePages],
  [
    'docs/other-languages.md',
    'dotnet',
    'needs .NET: console/snippets compares it with what the console shows',
  ],
  [
    'docs/other-languages.md',
    'using',
    'needs .NET: console/snippets compares it with what the console shows',
  ],
  ['docs/other-languages.md', 'use open_feature', inLanguagePages],
  ['docs/cluster.md', 'export BURGEE_CLUSTER_URL', 'needs PostgreSQL: cluster/operate runs these commands'],
  ['docs/cluster.md', 'create role', 'needs PostgreSQL'],
  ['docs/cluster.md', '$ burgee cluster', 'needs PostgreSQL: cluster/operate runs these commands'],
  ['docs/openapi.md', 'import createClient', 'contracts/generated-client compiles and runs it'],
  [
    'docs/install.md',
    'npm run release',
    'needs two machines: packaging/release packs, unpacks and runs the archive',
  ],
  ['docs/install.md', 'docker build', 'needs a container engine: packaging/container runs these lines'],
  ['docs/install.md', 'useradd', 'needs systemd: packaging/systemd-unit checks the unit'],
  ['docs/supply-chain.md', 'npm ci', "needs npm's registry and Docker"],
  ['docs/unleash.md', 'import murmurHash3', "needs a package of Unleash's SDK"],
  ['src/sdk/package/README.md', '', 'sdk/packed-client runs them'],
];

/** Blocks in other languages are configuration, data or text. */
const languages = ['bash', 'console', 'sql', 'js', 'ts', 'jsx', 'python', 'go', 'java', 'csharp', 'rust'];

interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return Array.from(text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm), (found) => {
    const [, indent = '', language = '', code = ''] = found;
    const line = text.slice(0, found.index).split('\n').length;
    return { page, line, language, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
  });
}

/** The order in which a reader meets them; further pages follow. */
const first = [
  'start',
  'install',
  'flags-from-a-file',
  'operations',
  'sign-in',
  'api',
  'node',
  'pipelines',
].map((name) => `docs/${name}.md`);
const others = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const pages = [
  ...new Set([
    'docs/start.md',
    'README.md',
    ...first,
    ...others,
    'docs/monitoring/README.md',
    'CONTRIBUTING.md',
    'src/sdk/package/README.md',
  ]),
];
const blocks = pages.flatMap(blocksOf).filter(({ language }) => languages.includes(language));
const matches = ({ page, code }: Block, [ofPage, start]: (typeof notPasted)[number]): boolean =>
  page === ofPage && code.startsWith(start);

const programs = debianPrograms('curl', 'jq', 'openssl');
const directory = temporaryDirectory(t);
const inDirectory = (...parts: string[]): string => join(directory, ...parts);
const [port, adminPort, flagdPort] = [await freePort(), await freePort(), await freePort()];

/** `scripts/burgee` of the reader's directory: starts a server as a second terminal would, and keeps what `apply` prints. */
const burgee = `#!/bin/bash
set -euo pipefail
burgee='${join(root, 'scripts', 'burgee')}'
stop() { if [ -e server.pid ] && kill "$(cat server.pid)"; then tail --pid="$(cat server.pid)" -f /dev/null; fi; }
case "$1" in
  stop) stop ;;
  serve)
    stop
    "$burgee" "$@" >server.log 2>&1 &
    echo $! >server.pid
    until curl -sf -o answer "http://127.0.0.1:$BURGEE_PORT/health"; do kill -0 $! || { cat server.log; exit 1; }; sleep 0.1; done ;;
  apply) "$burgee" "$@" | tee -a applied.json ;;
  *) exec "$burgee" "$@" ;;
esac
`;
/** Of this checkout, which is built, and without a registry. */
const npm = `#!/bin/bash
set -euo pipefail
case "$*" in
  'run build' | test) ;;
  start)
    [ -e demo.txt ] || scripts/burgee demo | tee demo.txt
    scripts/burgee serve
    grep '^curl ' demo.txt | bash -e ;;
  'install @openfeature/server-sdk @openfeature/ofrep-provider') ;;
  'install ./burgee-client.tgz') tar -xzf burgee-client.tgz; mv package node_modules/burgee-client ;;
  *) echo "npm $* is no command of a page"; exit 1 ;;
esac
`;
const npx = `#!/bin/bash
exec '${join(root, 'node_modules', '.bin')}'/"$1" "\${@:2}"
`;

function settle(): void {
  for (const folder of ['scripts', 'bin', 'node_modules', 'tls', 'backups']) mkdirSync(inDirectory(folder));
  const scripts = { 'scripts/burgee': burgee, 'bin/burgee': burgee, 'bin/npm': npm, 'bin/npx': npx };
  for (const [path, text] of Object.entries(scripts)) writeFileSync(inDirectory(path), text, { mode: 0o755 });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.'))
      symlinkSync(join(root, 'node_modules', name), inDirectory('node_modules', name));
  }
  makeCertificate(pathOf(programs, 'openssl'), inDirectory('tls', 'tls.crt'), inDirectory('tls', 'tls.key'));
  const file = blocksOf('docs/flags-from-a-file.md').find(({ code }) =>
    code.startsWith('{\n  "organisations"'),
  );
  writeFileSync(inDirectory('shop.json'), file?.code ?? '');
  const owner = { name: 'Olivia', email: 'owner@example.com', role: 'owner' };
  const organisations = [{ name: 'Acme', plan: 'enterprise', members: [owner] }];
  writeFileSync(inDirectory('members.json'), JSON.stringify({ organisations }));
  for (const name of ['smoke-test.sh', 'migrate.sh']) {
    writeFileSync(inDirectory(name), '#!/bin/sh\n', { mode: 0o755 });
  }
  writeFileSync(inDirectory('alpha-testers.txt'), 'ada\n');
}

/** Pages whose ids and tokens are those of the demo. */
const asksDemo: ReadonlySet<string> = new Set(['docs/start.md', 'README.md']);

/** What a reader fills in: the ids and the token that `npm start`, or `apply`, has printed. */
function valuesOf(page: string): { flag: string; project: string; token: string } {
  const read = (name: string): string =>
    existsSync(inDirectory(name)) ? readFileSync(inDirectory(name), 'utf8') : '';
  if (asksDemo.has(page)) {
    const demo = read('demo.txt');
    const [, flag = ''] = /flags\/(\w{20})\?env=/.exec(demo) ?? [];
    const [, token = ''] = /write {2}(burgee_\w+)/.exec(demo) ?? [];
    return { flag, project: '', token };
  }
  const [applied = ''] = read('applied.json').split('\n');
  if (applied === '') return { flag: '', project: '', token: '' };
  const shop = projectOf(JSON.parse(applied) as Provisioned, 'shop');
  return { flag: idOf(shop.flags, 'checkout'), project: shop.id, token: tokenOf(shop, 'ci').secret };
}

/** @returns the block as a command of bash, with this machine's paths, ports and ids */
function commandOf({ page, language, code }: Block): string {
  const values = valuesOf(page);
  const filled = code
    .replaceAll('/var/lib/burgee', inDirectory('data-of-shop'))
    .replaceAll('/backups', inDirectory('backups'))
    .replaceAll('/etc/burgee', inDirectory('tls'))
    .replaceAll('https://flags.example.com', `http://127.0.0.1:${port}`)
    .replaceAll('flags.example.com', 'localhost')
    .replaceAll('8080', String(port))
    .replaceAll('9102', String(adminPort))
    .replaceAll('8015', String(flagdPort))
    .replaceAll('k3VvX0aPq7Lw2ZtR9bNd', values.flag)
    .replaceAll('Qm4ZtR9bNdk3VvX0aPq7', values.project)
    .replaceAll('FLAG=…', `FLAG=${values.flag}`)
    .replaceAll('burgee_…', values.token);
  if (language === 'console') return (filled.match(/(?<=^\$ ).*/gm) ?? []).join('\n');
  if (language !== 'js') return filled;
  // A program of a reader would go on; here its block is all.
  const program = `${filled}\nprocess.exit(0);\n`;
  return `BURGEE_TOKEN=${values.token} node --input-type=module <<'END'\n${program}END`;
}

t.test('every block that is not pasted is in the list, and every entry has a block', async (t) => {
  for (const entry of notPasted)
    t.ok(
      blocks.some((block) => matches(block, entry)),
      entry.join(': '),
    );
  const ways = blocks.map((block) => notPasted.some((entry) => matches(block, entry)));
  t.comment(`${ways.filter((isListed) => !isListed).length} of ${ways.length} blocks are pasted`);
  const unnamed = pages.flatMap(blocksOf).filter(({ language }) => language === '');
  t.same(unnamed, [], 'a block says in which language it is');
});

t.test('the blocks of the pages, pasted in order, do what they say', { skip: programs.skip }, async (t) => {
  settle();
  const inherited = Object.entries(process.env).filter(([name]) => !/^(BURGEE_|TAP|NODE_)/.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    PATH: `${inDirectory('bin')}:${process.env['PATH']}`,
    BURGEE_PORT: String(port),
    GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: inDirectory('tls', 'tls.crt'),
  };
  const paste = (commands: readonly string[]) =>
    spawnSync('bash', ['-e'], { cwd: directory, env, encoding: 'utf8', input: commands.join('\n') });
  t.teardown(() => paste(['scripts/burgee stop']));
  for (const page of pages) {
    const pasted = blocks.filter(
      (block) => block.page === page && !notPasted.some((entry) => matches(block, entry)),
    );
    // The values of these two pages are known after their first block: npm start prints them.
    const [start, ...rest] = asksDemo.has(page) ? [pasted.slice(0, 1), pasted.slice(1)] : [pasted];
    for (const part of [start, ...rest]) {
      const commands = part?.flatMap((block) => [`echo '# ${page}:${block.line}'`, commandOf(block)]) ?? [];
      const { status, stdout, stderr } = paste(commands);
      t.equal(status, 0, `${page}\n${stdout.split('\n# ').at(-1)?.slice(0, 2000)}\n${stderr}`);
      t.notMatch(stdout, /"error"|"errorCode"/, page);
    }
    if (page === 'docs/flags-from-a-file.md')
      paste(['scripts/burgee apply members.json --data-dir data-of-shop/data']);
  }
});
