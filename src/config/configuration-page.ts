import { configFileFlag, configFileVariable, flagName, type Setting, variableName } from './setting.ts';
import { type SettingName, settingNames, settings } from './settings.ts';

const introduction = `# Configuration

Every setting can be given in four places. The first of these that has it wins:

1. a command-line flag (\`burgee serve --port 9000\`)
2. an environment variable (\`BURGEE_PORT=9000\`)
3. a JSON file named by \`${configFileFlag} FILE\` or \`${configFileVariable}\`
4. the default

\`burgee config\` prints the settings in effect and where each comes from. A wrong value, an unknown key in the file or an
unknown \`BURGEE_*\` variable ends the start; all problems are reported together. An empty variable counts as absent.
Lists are separated by commas in options and variables and are arrays in the file. Sizes are a number of bytes or carry a
unit: \`64GiB\`, \`256MiB\`. In the file, \`BURGEE_BASE_URL\` is \`baseUrl\`.

\`\`\`json
{ "host": "0.0.0.0", "port": 8080, "baseUrl": "https://flags.example.com", "trustedProxies": ["10.0.0.0/8"] }
\`\`\`

In Kubernetes, a service called \`burgee\` puts variables such as \`BURGEE_PORT=tcp://10.0.0.1:8080\` into every container of
its namespace. Set \`enableServiceLinks: false\` in the pod. Variables that are not settings are ignored.

## Five that matter first

| Setting | Give it |
|---|---|
| \`BURGEE_DATA_DIR\` | a directory on a local disk. The default depends on where the command runs |
| \`BURGEE_HOST\` | \`0.0.0.0\` if the proxy is on another machine or in another container |
| \`BURGEE_BASE_URL\` | the address that people see, such as \`https://flags.example.com\` |
| \`BURGEE_TRUSTED_PROXIES\` | the networks of your proxies |
| \`BURGEE_ADMIN_PORT\` | a private port for \`/ready\` and \`/metrics\`, such as \`9102\` |
`;

/** Titles of the groups, by the setting that begins each. */
const groupTitles: Readonly<Partial<Record<SettingName, string>>> = {
  host: 'Addresses and data',
  tokenPrefix: 'Tokens',
  workers: 'Threads, memory and store',
  managementRateLimit: 'Limits of clients, and proxies',
  smtpUrl: 'Mail',
  openIdIssuer: 'Sign-in with OpenID Connect',
  adminPort: 'Metrics, logs and stop',
  auditRetentionDays: 'Disk',
  flagdSyncPort: 'Providers of flagd',
  clusterUrl: 'Cluster',
};

/** @returns `docs/configuration.md`, whole; `npm run build` writes it and a test pins it. */
export function renderConfigurationPage(): string {
  const heading = '| Flag | Variable | Default | Meaning |\n|---|---|---|---|';
  const rows = settingNames.map((name) => {
    const title = groupTitles[name];
    return `${title === undefined ? '' : `\n## ${title}\n\n${heading}\n`}${renderRow(name, settings[name])}`;
  });
  return `${introduction}${rows.join('\n')}\n`;
}

function renderRow(name: SettingName, setting: Setting): string {
  const meaning = `${setting.description} Must be ${setting.expected}.`;
  const cells = [`\`${flagName(name)}\``, `\`${variableName(name)}\``, defaultText(setting), meaning];
  return `| ${cells.join(' | ')} |`;
}

/** @returns the default, described or as a user would write it, in Markdown. */
export function defaultText(setting: Setting): string {
  if ('text' in setting.fallback) return setting.fallback.text;
  const { value } = setting.fallback;
  const text = setting.toText(value);
  return text === '' ? 'none' : `\`${text}\``;
}
