import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { install, missingTools } from '../providers/install.ts';
import { languages } from '../providers/languages.ts';
import { bootServer } from '../support/booted-server.ts';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { provision } from '../support/provisioning.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* Runs the code of the pages for Python, Go, Java, Rust and React, with the packages that test:providers installs. */
t.setTimeout(20 * 60_000);

const project = 'Qm4ZtR9bNdk3VvX0aPq7';
/** On for the caller of the pages alone, so that its attribute must have arrived. */
const document = {
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      projects: [
        {
          name: 'shop',
          id: project,
          environments: ['production'],
          audiences: [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro'] }] }],
          flags: [
            {
              name: 'checkout',
              environments: { production: { enabled: true, trafficPercentage: 100, audience: 'Pro' } },
            },
          ],
        },
      ],
    },
  ],
};
const dataDir = temporaryDirectory(t);
await provision(dataDir, temporaryDirectory(t), document);
const { port } = await bootServer(t, { dataDir });
/** The README asks the demo. */
const demoDir = temporaryDirectory(t);
await runBurgeeOrThrow(['demo', '--data-dir', demoDir]);
const demo = await bootServer(t, { dataDir: demoDir });

function block(page: string, language: string, index: number): string {
  const path = page === 'README' ? 'README.md' : join('docs', `${page}.md`);
  const text = readFileSync(join(repositoryRoot(), path), 'utf8');
  const [, code = ''] =
    [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))][index] ?? [];
  return code
    .replaceAll('https://flags.example.com', `http://127.0.0.1:${port}`)
    .replaceAll('http://127.0.0.1:8080', `http://127.0.0.1:${demo.port}`);
}

/** A program of one block of a page, which prints whether the flag is on. */
interface PageProgram {
  readonly page: string;
  readonly language: string;
  readonly index: number;
  readonly file: string;
  readonly command: readonly [string, ...string[]];
  wrap(code: string): string;
}

/** Of Java and Go: imports come before everything else. */
const isImport = (line: string): boolean => line.startsWith('import ');
const imports = (code: string): string => code.split('\n').filter(isImport).join('\n');
const statements = (code: string): string =>
  code
    .split('\n')
    .filter((line) => !isImport(line))
    .join('\n');

const programs: readonly PageProgram[] = [
  {
    ...{ page: 'README', language: 'python', index: 0, file: 'readme.py' },
    command: ['venv/bin/python', 'readme.py'],
    wrap: (code) => code.replace(/^print\((.*)\)$/m, 'print(str($1).lower())'),
  },
  {
    ...{ page: 'python', language: 'python', index: 0, file: 'page.py' },
    command: ['venv/bin/python', 'page.py'],
    wrap: (code) => `${code}\nprint(str(is_on).lower())\n`,
  },
  {
    ...{ page: 'python', language: 'python', index: 1, file: 'page_test.py' },
    command: ['venv/bin/python', 'page_test.py'],
    wrap: (code) => `${code}\nprint("true")\n`,
  },
  {
    ...{ page: 'go', language: 'go', index: 0, file: 'page/main.go' },
    command: ['go', 'run', './page'],
    wrap: (code) => code,
  },
  {
    ...{ page: 'go', language: 'go', index: 1, file: 'page-test/main.go' },
    command: ['go', 'run', './page-test'],
    wrap: (code) => `package main

import "context"
import "fmt"
import "github.com/open-feature/go-sdk/openfeature"
${imports(code)}

func main() {
${statements(code)}
	openfeature.SetProviderAndWait(provider)
	isOn, _ := openfeature.NewClient("test").BooleanValue(context.Background(), "checkout", false, openfeature.EvaluationContext{})
	fmt.Println(isOn)
}
`,
  },
  {
    ...{ page: 'java', language: 'java', index: 0, file: 'Main.java' },
    command: ['java', '-cp', 'lib/*', 'Main.java'],
    // Threads of the SDK keep the program running otherwise.
    wrap: (code) => code.replace('println(isOn);', 'println(isOn);\n        api.shutdown();'),
  },
  {
    ...{ page: 'java', language: 'java', index: 1, file: 'PageTest.java' },
    command: ['java', '-cp', 'lib/*', 'PageTest.java'],
    wrap: (code) => `${imports(code)}

public class PageTest {
    public static void main(String[] arguments) {
${statements(code)}
        System.out.println(OpenFeatureAPI.getInstance().getClient().getBooleanValue("checkout", false));
    }
}
`,
  },
  {
    ...{ page: 'other-languages', language: 'rust', index: 0, file: 'src/bin/page.rs' },
    command: ['cargo', 'run', '--locked', '--quiet', '--bin', 'page'],
    wrap: (code) => `#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
${code}
    println!("{is_on}");
    Ok(())
}
`,
  },
];

function expectTrue(t: Test, [command, ...args]: PageProgram['command'], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 5 * 60_000 });
  t.equal(status, 0, stderr);
  t.equal(stdout.trim().split('\n').at(-1), 'true', `${stdout}${stderr}`);
}

for (const { page, language: fence, index, file, command, wrap } of programs) {
  const language = languages.find(({ name }) => name === fence);
  const skip = language === undefined ? 'no such language' : (missingTools(language) ?? false);
  t.test(`block ${index + 1} in ${fence} of ${page}.md`, { skip }, async (t) => {
    if (language === undefined) return;
    const folder = await install(language, (line) => t.comment(line));
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, wrap(block(page, fence, index)));
    t.teardown(() => rmSync(path));
    expectTrue(t, command, folder);
  });
}

const reactPackages = [
  'react@18.3.1',
  'react-dom@18.3.1',
  'esbuild@0.25.12',
  '@openfeature/core@1.12.0',
  '@openfeature/web-sdk@1.10.0',
  '@openfeature/react-sdk@1.4.1',
  '@openfeature/ofrep-web-provider@0.4.3',
];

for (const [page, shown] of [
  ['browser', 'The new checkout'],
  ['README', 'Today'],
] as const)
  t.test(`the component of ${page}.md`, (t) => renderComponent(t, page, shown));

async function renderComponent(t: Test, page: string, shown: string): Promise<void> {
  const folder = join(repositoryRoot(), '.providers', 'react');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const run = (...command: readonly [string, ...string[]]) =>
    spawnSync(command[0], command.slice(1), { cwd: folder, encoding: 'utf8' });
  t.equal(run('npm', 'install', '--no-save', '--no-package-lock', '--silent', ...reactPackages).status, 0);
  writeFileSync(join(folder, 'app.jsx'), block(page, 'jsx', 0));
  const esbuild = ['node_modules/.bin/esbuild', 'app.jsx', '--jsx=automatic', '--outfile=app.js'] as const;
  t.equal(run(...esbuild).status, 0);
  const program = `import { OpenFeature, ProviderEvents } from '@openfeature/react-sdk';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { App } from './app.js';
await new Promise((resolve) => OpenFeature.addHandler(ProviderEvents.Ready, resolve));
console.log(renderToString(createElement(App)).includes('${shown}'));
process.exit(0);
`;
  writeFileSync(join(folder, 'page.js'), program);
  expectTrue(t, [process.execPath, 'page.js'], folder);
}
