import { Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { EvaluationCounts } from '../../../contracts/console/evaluation-views.ts';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { call } from '../../client/call.ts';
import { audiencesQuery, evaluationsQuery, flagQuery } from '../../client/queries.ts';
import { dropFlag } from '../../client/read-flag-list.ts';
import { Callout } from '../../parts/callout.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { showDone } from '../../parts/notices.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { countOf } from '../../parts/words.ts';
import { useProject } from '../../shell/project-context.ts';
import { environmentOf, isGuarded, shownEnvironments } from './card-state.ts';
import { useUncounted } from './uncounted.ts';

/** The button does not wait longer than this for the number of evaluations. */
const countMsMax = 5_000;
const namedMax = 5;

function totalOf({ series }: EvaluationCounts): number {
  return series.flatMap(({ on, off }) => [...on, ...off]).reduce((total, count) => total + count, 0);
}

/** How often the flag was evaluated in the last 24 hours; null if that is not known in time. */
function useEvaluationCount({ projectId, id }: ConsoleFlagView) {
  return useQuery({
    queryKey: [...evaluationsQuery(projectId, id).queryKey, 'total'],
    queryFn: async ({ signal }): Promise<number | null> => {
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(countMsMax)]);
      const params = { projectId, flagId: id };
      try {
        return totalOf(await call('count-evaluations', params, null, { signal: bounded }));
      } catch {
        return null;
      }
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
}

/** The environments in which the flag is on, those of production first: `production (protected), staging and 3 more`. */
function useOnWords({ states }: ConsoleFlagView): string | null {
  const project = useProject();
  const on = shownEnvironments(project, states).filter((number) => states[number]?.enabled === true);
  const names = on.slice(0, namedMax).map((number) => {
    const name = environmentOf(project, number)?.name;
    return isGuarded(project, number) ? `${name} (protected)` : name;
  });
  const more = on.length > namedMax ? ` and ${on.length - namedMax} more` : '';
  return on.length === 0 ? null : `${names.join(', ')}${more}`;
}

/** @param count undefined: it is being counted; null: that failed */
export function countWords(count: number | null | undefined): string {
  if (count === undefined) return 'Counting the evaluations of the last 24 hours …';
  if (count === null) return 'The evaluations of the last 24 hours could not be counted.';
  if (count === 0) return 'No evaluations in the last 24 hours.';
  return `${countOf(count, 'evaluation')} in the last 24 hours.`;
}

interface DeleteFlagProps {
  readonly flag: ConsoleFlagView;
  readonly onClose: () => void;
}

/** Says what would be lost, in use or not, before the name is typed. */
export function DeleteFlag({ flag, onClose }: DeleteFlagProps) {
  const { id: flagId, projectId, name, revision } = flag;
  const { isMultiEnvironment, environments } = useProject();
  const guarded = environments.filter(({ isProtected }) => isProtected).map((each) => each.name);
  const { data: count } = useEvaluationCount(flag);
  const uncounted = useUncounted(projectId);
  const onWords = useOnWords(flag);
  const isOn = onWords !== null;
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => call('delete-flag', { projectId, flagId }, { revision, name }),
    onSuccess: async () => {
      showDone(`Deleted ${visibleName(name)}.`);
      await navigate({ to: '/projects/$projectId/flags', params: { projectId }, ignoreBlocker: true });
      client.removeQueries({ queryKey: flagQuery(projectId, flagId).queryKey });
      dropFlag(client, projectId, flagId);
      void client.invalidateQueries({ queryKey: audiencesQuery(projectId).queryKey });
      await client.invalidateQueries({ queryKey: [projectId, 'list-project-audit'] });
    },
  });
  const offWords = isMultiEnvironment ? 'Off in every environment.' : 'Off.';
  return (
    <ConfirmDialog
      title={`Delete ${visibleName(name)}?`}
      confirm="Delete flag"
      isDangerous
      typedName={name}
      isBusy={remove.isPending || count === undefined}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Callout tone={isOn || (count ?? 0) > 0 || uncounted.isLikely ? 'warn' : 'plain'}>
          <span role="status">{countWords(count)}</span>{' '}
          {isOn ? (isMultiEnvironment ? `On in ${onWords}.` : 'On.') : offWords}
          {(count === 0 || uncounted.isLikely) && ` ${uncounted.words}`}
        </Callout>
        <Text size="sm">
          Applications that ask for <code>{flagId}</code> get 404 from now on
          {isMultiEnvironment && ', in every environment'}
          {guarded.length > 0 && `, including ${guarded.join(', ')} (protected)`}. This cannot be undone.
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}
