import { NativeSelect, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AudienceView } from '../../../contracts/console/audience-views.ts';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { audiencesQuery } from '../../client/queries.ts';
import { Callout } from '../../parts/callout.tsx';
import { PageUnread } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { CopyButton } from '../../parts/small-button.tsx';
import { ProjectLink } from '../../shell/pages.tsx';
import { useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';
import { placeWords } from '../../switching/effect-words.ts';
import { environmentOf, shownEnvironments } from './card-state.ts';
import { type ExampleCaller, exampleCaller } from './example-caller.ts';
import classes from './flag.module.css';
import { type Snippet, snippetsOf } from './snippets.ts';

const storageKey = 'burgee.snippet';

/** The kind of application that was opened last: it is shown first for the next flag. */
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

/** What the code answers now, so that a disabled flag is not taken for a fault. */
function AnswerNote({ caller, environment }: AnswerNoteProps) {
  const { evaluationAccess } = useProject();
  const { docsUrl } = useSession();
  const where = placeWords(environment);
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

const off = { enabled: false, trafficPercentage: 0, cohortOverride: null, audienceId: null };

/** The example caller of each state that the flag has; those of production come first. */
function useCallers(flag: ConsoleFlagView, audiences: readonly AudienceView[]) {
  const numbers = shownEnvironments(useProject(), flag.states);
  return new Map(
    (numbers.length === 0 ? ['0'] : numbers).map((number) => {
      const state = flag.states[number] ?? off;
      const audience = audiences.find(({ id }) => id === state.audienceId) ?? null;
      return [number, exampleCaller(flag, state, audience)] as const;
    }),
  );
}

interface SnippetTabsProps {
  readonly flag: ConsoleFlagView;
  readonly environment: string | null;
  readonly caller: ExampleCaller;
}

function SnippetTabs({ flag, environment, caller }: SnippetTabsProps) {
  const { id: projectId, slugs, isSlugPublic, isPersonal } = useProject();
  const { baseUrl } = useSession();
  const { id: flagId, name: flagName } = flag;
  const flagKey = flag.answersToName ? flag.name : flag.id;
  // A personal project has no tokens.
  const tokenProject = slugs[0] ?? projectId;
  const project = isSlugPublic ? tokenProject : projectId;
  const asked = { baseUrl, project, tokenProject, environment, flagId, flagName, flagKey, caller };
  const snippets = snippetsOf(asked).filter(({ id }) => !(isPersonal && id === 'burgee-client'));
  const [chosen, choose] = useChosenKind(snippets);
  return (
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
  );
}

/** How applications ask for this flag, ready to paste, by the attributes of the audience that is attached. */
function LoadedCode({ flag, audiences }: CodeTabProps & { readonly audiences: readonly AudienceView[] }) {
  const project = useProject();
  const callers = useCallers(flag, audiences);
  const numbers = [...callers.keys()];
  const [chosen, setChosen] = useState<string | null>(null);
  // Where the flag is on for any caller, the example is one of them.
  const number =
    chosen ?? numbers.find((each) => callers.get(each)?.offBecause === null) ?? numbers[0] ?? '0';
  const environment = environmentOf(project, number)?.name ?? null;
  const caller = callers.get(number) ?? exampleCaller(flag, off, null);
  return (
    <Stack gap="md">
      {project.environments.length > 0 && (
        <NativeSelect
          label="Environment"
          w={240}
          value={number}
          data={numbers.map((value) => ({ value, label: environmentOf(project, value)?.name ?? '' }))}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      <SnippetTabs flag={flag} environment={environment} caller={caller} />
      <AnswerNote caller={caller} environment={environment} />
    </Stack>
  );
}

interface CodeTabProps {
  readonly flag: ConsoleFlagView;
}

export function CodeTab({ flag }: CodeTabProps) {
  const audiences = useQuery(audiencesQuery(flag.projectId));
  const isNeeded = Object.values(flag.states).some(({ audienceId }) => audienceId !== null);
  if (isNeeded && (audiences.isPending || isUnreadable(audiences))) {
    return <PageUnread of={audiences} what="the code" />;
  }
  return <LoadedCode flag={flag} audiences={audiences.data?.audiences ?? []} />;
}
