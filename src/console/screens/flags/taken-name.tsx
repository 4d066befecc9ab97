import { Checkbox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '../../client/call.ts';
import { nameQuery } from '../../client/queries.ts';
import { Callout } from '../../parts/callout.tsx';
import { formatMoment } from '../../parts/format-time.ts';
import { SafeName } from '../../parts/safe-name.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { useProject } from '../../shell/project-context.ts';

/** The service is asked after this silence. */
const settleMs = 250;

type TakenName = NonNullable<AnswerOf<'find-name'>['flag']>;

/**
 * @param flagId the flag that is being renamed; null for a new one
 * @returns the other flag that has a name; undefined while that is not known
 */
export function useTakenName(name: string, flagId: string | null): TakenName | null | undefined {
  const { id: projectId } = useProject();
  const typed = name.trim();
  const [settled] = useDebouncedValue(typed, settleMs);
  const { data } = useQuery({
    ...nameQuery(projectId, settled),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  if (typed === '') return null;
  if (settled !== typed || data === undefined) return undefined;
  return data.flag?.id === flagId ? null : data.flag;
}

interface NewNameProps {
  /** As it is typed. */
  readonly name: string;
  readonly taken: TakenName | null | undefined;
  readonly takesName: boolean;
  readonly onTake: (takesName: boolean) => void;
}

/** Whether a flag can have the name. While that is not known, the service decides. */
export function mayHaveName(name: string, taken: TakenName | null | undefined, takesName: boolean): boolean {
  return taken === null || taken === undefined || (taken.name !== name.trim() && takesName);
}

/** Says that another flag has the name, and asks whether it may be taken, if that flag was renamed since. */
export function NewName({ name, taken, takesName, onTake }: NewNameProps) {
  if (taken === null || taken === undefined) return null;
  const isFormer = taken.name !== name.trim();
  return (
    <Callout tone="warn">
      {isFormer ? 'This is a former name of ' : 'This name is taken by '}
      <FlagLink flag={taken} />
      {isFormer ? ', and programs that still ask for it get that flag.' : '. Choose another one.'}
      {isFormer && <LastUse hour={taken.lastEvaluatedHour} />}
      {isFormer && (
        <Checkbox
          mt="xs"
          label="Take the name: these programs get this flag from now on"
          checked={takesName}
          onChange={(event) => onTake(event.currentTarget.checked)}
        />
      )}
    </Callout>
  );
}

/** Evaluations are counted for a flag, not for each of its names. @param hour its beginning; null: none is counted */
function LastUse({ hour }: { readonly hour: number | null }) {
  return hour === null ? (
    <> It has not been evaluated, under any of its names, in the last 48 hours.</>
  ) : (
    <> It was last evaluated, under any of its names, in the hour that began at {formatMoment(hour)}.</>
  );
}

/** The last use of a flag that answers to a name. */
export function LastUseOf({ name }: { readonly name: string }) {
  const { data } = useQuery(nameQuery(useProject().id, name));
  return data?.flag?.answers === true ? <LastUse hour={data.flag.lastEvaluatedHour} /> : null;
}

interface LostNameProps {
  readonly name: string;
  readonly canEdit: boolean;
  readonly onTake: () => void;
  readonly onRename: () => void;
}

/** Of a flag that does not answer to its name: which flag does, and what can be done. */
export function LostName({ name, canEdit, onTake, onRename }: LostNameProps) {
  const { data } = useQuery(nameQuery(useProject().id, name));
  if (data === undefined) return null;
  const other = data.flag?.answers === true ? data.flag : null;
  const isFree = other?.name !== name;
  return (
    <Callout tone="warn">
      This flag answers to its id only:{' '}
      {other === null ? 'no flag answers to the name' : 'programs that ask for the name get '}
      {other !== null && <FlagLink flag={other} />}
      {other !== null && isFree && ', whose former name it is'}.{' '}
      {canEdit && isFree && <SmallButton onClick={onTake}>Let this flag answer to the name</SmallButton>}
      {canEdit && !isFree && <SmallButton onClick={onRename}>Rename this flag</SmallButton>}
    </Callout>
  );
}

function FlagLink({ flag: { id: flagId, name } }: { readonly flag: TakenName }) {
  const { id: projectId } = useProject();
  return (
    <Link to="/projects/$projectId/flags/$flagId" params={{ projectId, flagId }}>
      <SafeName name={name} /> (<code>{flagId}</code>)
    </Link>
  );
}
