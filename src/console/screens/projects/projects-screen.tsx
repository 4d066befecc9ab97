import { Button, Checkbox, Radio, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { hasRole } from '../../../domain/console/console-principal.ts';
import { isProduction } from '../../../domain/project/production.ts';
import { proposedSlug } from '../../../domain/project/project-slug.ts';
import type { CreateProjectBody } from '../../../operations/projects/create-project.ts';
import { call } from '../../client/call.ts';
import { projectsQuery } from '../../client/queries.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { Avatar } from '../../parts/avatar.tsx';
import { EnvironmentName } from '../../parts/environment-name.tsx';
import { environmentList, nameRule, slugField, uniqueNameRule } from '../../parts/field-rules.ts';
import { Mark } from '../../parts/mark.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageEmpty, PageUnread } from '../../parts/page-states.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { ListField, TextField } from '../../parts/text-field.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { countOf, environmentNameHint, roleWord, searchedWords } from '../../parts/words.ts';
import { useSession } from '../../shell/use-session.ts';
import classes from './projects.module.css';

const offeredEnvironments = ['production', 'staging'] as const;

function useCreateProject(onClose: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: CreateProjectBody) => call('create-project', {}, body),
    onSuccess: async (project) => {
      await client.invalidateQueries({ queryKey: projectsQuery.queryKey });
      onClose();
      await navigate({ to: '/projects/$projectId/flags', params: { projectId: project.id } });
    },
  });
}

function CreateProject({ onClose }: { readonly onClose: () => void }) {
  const { organisation, member } = useSession();
  const mayShare = organisation !== null && hasRole(member.role, 'admin');
  const [name, setName] = useState('');
  const [typedSlug, setSlug] = useState<string | null>(null);
  const [kind, setKind] = useState('multi');
  const [environments, setEnvironments] = useState<string[]>([...offeredEnvironments]);
  const [isProtected, setProtected] = useState(true);
  const [isPersonal, setPersonal] = useState(!mayShare);
  const create = useCreateProject(onClose);
  const guarded = environments.filter((each) => isProduction({ name: each, isProtected: false }));
  const projects = useQuery(projectsQuery).data?.projects ?? [];
  const neighbours = projects.filter((other) => other.isPersonal === isPersonal).map((other) => other.name);
  const takenSlugs = projects.flatMap(({ slugs }) => slugs);
  const proposed = proposedSlug(name);
  const slug = typedSlug ?? (takenSlugs.includes(proposed) ? '' : proposed);
  const submit = () => {
    const isMultiEnvironment = kind === 'multi';
    const protectedEnvironments = isProtected ? guarded : [];
    const states = isMultiEnvironment ? { environments, protectedEnvironments } : { isProtected };
    const named = slug === '' ? { name } : { name, slug };
    create.mutate({ ...named, isPersonal, isMultiEnvironment, ...states });
  };
  return (
    <FormDialog
      title="Create project"
      size="lg"
      submit="Create project"
      isDirty={name !== '' || kind !== 'multi' || environments.join() !== offeredEnvironments.join()}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        data-autofocus
        rule={uniqueNameRule(
          nameRule,
          neighbours,
          isPersonal ? 'among your personal projects' : 'in this organisation',
        )}
        value={name}
        onText={setName}
      />
      <TextField
        label="Slug"
        description="Names the project in addresses, as its random id does. Optional."
        rule={slugField(takenSlugs, null)}
        value={slug}
        onText={setSlug}
      />
      <Radio.Group label="Environments" value={kind} onChange={setKind}>
        <Stack gap="xs" mt="xs">
          <Radio
            value="multi"
            label="Several"
            description="Each flag has its own state in each environment."
          />
          <Radio
            value="single"
            label="Single environment"
            description="Each flag has one state. This cannot be changed later."
          />
        </Stack>
      </Radio.Group>
      {kind === 'multi' && (
        <ListField
          label="Environment names"
          description={`${environmentNameHint} Press Enter after each.`}
          items={environmentList}
          value={environments}
          onChange={(names) => setEnvironments(names.map((each) => each.toLowerCase()))}
        />
      )}
      {(kind === 'single' || guarded.length > 0) && (
        <Checkbox
          label={kind === 'single' ? 'Protected' : `Protect ${guarded.join(', ')}`}
          description="Changes of flags there ask for confirmation."
          checked={isProtected}
          onChange={(event) => setProtected(event.currentTarget.checked)}
        />
      )}
      {organisation !== null && (
        <Checkbox
          label="Personal project"
          description={
            mayShare
              ? `Only you see it. It is not part of ${visibleName(organisation.name)}, and has no API tokens.`
              : `Only you see it. Admins create projects of ${visibleName(organisation.name)}.`
          }
          checked={isPersonal}
          disabled={!mayShare}
          onChange={(event) => setPersonal(event.currentTarget.checked)}
        />
      )}
    </FormDialog>
  );
}

/** Above this number a field searches them. */
const searchedFrom = 8;
/** More environments are counted. */
const environmentsShownMax = 6;

function Environments({ project }: { readonly project: ProjectView }) {
  const { isMultiEnvironment, environments } = project;
  if (!isMultiEnvironment) return <span>Single environment</span>;
  if (environments.length === 0) return <span>No environments yet</span>;
  const more = environments.length - environmentsShownMax;
  return (
    <>
      {environments.slice(0, environmentsShownMax).map((environment) => (
        <EnvironmentName key={environment.number} environment={environment} isBrief />
      ))}
      {more > 0 && <span>and {more} more</span>}
    </>
  );
}

function ProjectCard({ project }: { readonly project: ProjectView }) {
  const { id, name, role, isPersonal, evaluationAccess, flagCount, changedAt = null } = project;
  return (
    <li className={classes.card}>
      <h2 className={classes.name} title={visibleName(name)}>
        <Avatar name={name} of={id} />
        <Link className={classes.link} to="/projects/$projectId/flags" params={{ projectId: id }}>
          <SafeName name={name} />
        </Link>
      </h2>
      <div className={classes.environments}>
        <Environments project={project} />
      </div>
      <div className={classes.activity}>
        {flagCount !== undefined && <strong>{countOf(flagCount, 'flag')}</strong>}
        {changedAt !== null && (
          <span>
            changed <TimeAgo isBrief at={changedAt} />
          </span>
        )}
      </div>
      <div className={classes.facts}>
        {isPersonal ? <Mark tone="info">Personal</Mark> : <span>You are {roleWord(role)}</span>}
        {!evaluationAccess && <Mark tone="warn">Evaluation API off</Mark>}
      </div>
    </li>
  );
}

function Projects({ projects }: { readonly projects: readonly ProjectView[] }) {
  const [wanted, setWanted] = useState('');
  const words = searchedWords(wanted);
  const found = projects.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  return (
    <>
      {projects.length > searchedFrom && (
        <div className={classes.search}>
          <TextField
            type="search"
            aria-label="Search projects"
            placeholder="Search projects"
            data-page-search
            value={wanted}
            onText={setWanted}
          />
          <span role="status">
            {found.length === projects.length
              ? countOf(projects.length, 'project')
              : `${found.length} of ${countOf(projects.length, 'project')}`}
          </span>
        </div>
      )}
      {found.length === 0 && <PageEmpty title="No projects match" />}
      <ul className={classes.cards} aria-label="Projects">
        {found.map((project) => (
          <ProjectCard key={project.id} project={project} />
        ))}
      </ul>
    </>
  );
}

export function ProjectsScreen() {
  const [isCreating, create] = useDisclosure(false);
  const { organisation } = useSession();
  // The stream of changes does not report what changes within other projects.
  const projects = useQuery({ ...projectsQuery, refetchOnMount: 'always' });
  const all = projects.data?.projects ?? [];
  const button = <Button onClick={create.open}>Create project</Button>;
  return (
    <>
      <PageHead title="Projects" actions={all.length > 0 ? button : null}>
        {organisation !== null && all.length > 0 && (
          <>
            Projects of <SafeName name={organisation.name} />, and your personal ones.
          </>
        )}
      </PageHead>
      <PageUnread of={projects} what="projects" />
      {projects.data !== undefined && all.length === 0 && (
        <PageEmpty title="No project yet" action={button}>
          A project holds the flags of one application, with a state for each environment.
        </PageEmpty>
      )}
      {all.length > 0 && <Projects projects={all} />}
      {isCreating && <CreateProject onClose={create.close} />}
    </>
  );
}
