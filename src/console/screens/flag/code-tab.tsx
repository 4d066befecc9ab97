import { NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';
import classes from './code-tab.module.css';
import { curlCode, javaScriptCode } from './flag-code.ts';

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

/** How an application asks for this flag, ready to paste. */
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
