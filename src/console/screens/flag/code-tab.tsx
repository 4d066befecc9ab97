import { NativeSelect, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { flagsQuery } from '../../client/queries.ts';
import { Callout } from '../../parts/callout.tsx';
import { Panel } from '../../parts/panel.tsx';
import { CopyButton } from '../../parts/small-button.tsx';
import { ProjectLink } from '../../shell/pages.tsx';
import { useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';
import { type ExampleCaller, exampleCaller } from './example-caller.ts';
import classes from './flag.module.css';
import { type Snippet, snippetsOf } from './snippets.ts';
import { useAudiences } from './use-flag-editing.ts';

const storageKey = 'burgee.snippet';

/** The kind of application that was looked at last: of the next flag it is shown first. */
function useChosenKind(snippets: readonly Snippet[]) {
  const [chosen, setChosen] = useState(() => {
    try {
      return window.localStorage.getItem(storageKey);
    } catch {
      return null;
    }
  });
  const choose = (id: string | null) => {
    setChosen(id);
    try {
      window.localStorage.setItem(storageKey, id ?? '');
    } catch {
      // A browser may refuse to store anything.
    }
  };
  return [snippets.find(({ id }) => id === chosen)?.id ?? snippets[0]?.id ?? null, choose] as const;
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

function SnippetView({ snippet }: { readonly snippet: Snippet }) {
  const { id, title, about, install, code } = snippet;
  return (
    <Stack gap="md">
      <p className={classes.hint}>
        {about} {id === 'burgee-client' && <ProjectLink to="/projects/$projectId/tokens">Tokens</ProjectLink>}
      </p>
      {install !== null && <Code title="Install" code={install} />}
      <Code title={title} code={code} />
    </Stack>
  );
}

interface AnswerNoteProps {
  readonly caller: ExampleCaller;
  readonly environment: string | null;
}

/** What the code answers now: somebody who tries it should not take the flag's state for a fault. */
function AnswerNote({ caller, environment }: AnswerNoteProps) {
  const { evaluationAccess } = useProject();
  const { docsUrl } = useSession();
  const where = environment === null ? '' : ` in ${environment}`;
  return (
    <Stack gap="xs">
      {!evaluationAccess && (
        <Callout tone="warn">
          Evaluation access of this project is off: only burgee-client, which has a token, is answered.
        </Callout>
      )}
      <p className={classes.hint}>
        {caller.offBecause === null
          ? `For this example caller the flag is on${where}.`
          : `The flag is off${where} for every caller: ${caller.offBecause}.`}{' '}
        <a href={`${docsUrl}/clients`}>Which client for whom</a>
      </p>
    </Stack>
  );
}

/** Browsers read all flags at once, by name; a name that several flags have is no key. */
function useFlagKey({ id, name, projectId }: ConsoleFlagView): string {
  const flags = useQuery(flagsQuery(projectId)).data?.flags ?? [];
  return flags.some((other) => other.name === name && other.id !== id) ? id : name;
}

/** How applications ask for this flag, ready to paste. */
export function CodeTab({ flag }: { readonly flag: ConsoleFlagView }) {
  const { id: projectId, environments, isPersonal } = useProject();
  const { baseUrl } = useSession();
  const audiences = useAudiences();
  const [number, setNumber] = useState(environments[0]?.number ?? 0);
  const environment = environments.find((each) => each.number === number)?.name ?? null;
  const state = flag.states[String(number)];
  const audience = audiences.find(({ id }) => id === state?.audienceId) ?? null;
  const off = { enabled: false, trafficPercentage: 0, cohortOverride: null, audienceId: null };
  const caller = exampleCaller(flag, state ?? off, audience);
  const { id: flagId, name: flagName } = flag;
  const flagKey = useFlagKey(flag);
  // A personal project has no tokens.
  const snippets = snippetsOf({ baseUrl, projectId, environment, flagId, flagName, flagKey, caller }).filter(
    ({ id }) => !(isPersonal && id === 'burgee-client'),
  );
  const [chosen, choose] = useChosenKind(snippets);
  return (
    <Stack gap="md">
      {environments.length > 0 && (
        <NativeSelect
          label="Environment"
          w={240}
          value={String(number)}
          data={environments.map((each) => ({ value: String(each.number), label: each.name }))}
          onChange={(event) => setNumber(Number(event.currentTarget.value))}
        />
      )}
      <Tabs variant="pills" value={chosen} onChange={choose} keepMounted={false}>
        <Tabs.List mb="sm" className={classes.kinds} aria-label="Kind of application">
          {snippets.map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map((snippet) => (
          <Tabs.Panel key={snippet.id} value={snippet.id}>
            <SnippetView snippet={snippet} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <AnswerNote caller={caller} environment={environment} />
    </Stack>
  );
}
