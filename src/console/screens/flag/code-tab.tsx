import { NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { Panel } from '../../parts/panel.tsx';
import { CopyButton } from '../../parts/small-button.tsx';
import { useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';
import classes from './flag.module.css';

interface CodePlace {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly flagId: string;
  /** Null in a single-environment project. */
  readonly environment: string | null;
}

/** Environment names need no escape: they are `a-z 0-9 - _ .` (decisions). */
function curlCode({ baseUrl, flagId, environment }: CodePlace): string {
  const env = environment === null ? '' : `env=${environment}&`;
  return `curl '${baseUrl}/v1/flags/${flagId}?${env}targetingKey=user-42'`;
}

function javaScriptCode({ baseUrl, flagId, environment }: CodePlace): string {
  const env = environment === null ? '' : `env=${environment}&`;
  return `// A stable id of the caller: the same key always gets the same answer.
async function isEnabled(targetingKey) {
  const query = \`${env}targetingKey=\${encodeURIComponent(targetingKey)}\`;
  const response = await fetch(\`${baseUrl}/v1/flags/${flagId}?\${query}\`);
  if (!response.ok) return false; // What to do without an answer is yours to decide.
  const { enabled } = await response.json();
  return enabled;
}`;
}

function Code({ title, code }: { readonly title: string; readonly code: string }) {
  return (
    <Panel title={title} aside={<CopyButton value={code} what={title} />}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className={classes.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
    </Panel>
  );
}

/** How an application evaluates this flag, ready to paste. */
export function CodeTab({ flag }: { readonly flag: ConsoleFlagView }) {
  const { environments } = useProject();
  const { baseUrl } = useSession();
  const [chosen, setChosen] = useState(environments[0]?.name ?? null);
  const place = { baseUrl, flagId: flag.id, environment: chosen };
  return (
    <Stack gap="md">
      {environments.length > 0 && (
        <NativeSelect
          label="Environment"
          w={240}
          value={chosen ?? ''}
          data={environments.map(({ name }) => name)}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      <Code title="curl" code={curlCode(place)} />
      <Code title="JavaScript" code={javaScriptCode(place)} />
    </Stack>
  );
}
