import { Text } from '@mantine/core';
import type { AudienceView } from '../../../contracts/console/audience-views.ts';
import type { EnvironmentView } from '../../../contracts/console/project-views.ts';
import { countOf } from '../../parts/count-words.ts';

const listedMax = 10;

interface ProtectedUsesProps {
  readonly audience: AudienceView;
  readonly environments: readonly EnvironmentView[];
}

interface ProtectedUse {
  readonly flagId: string;
  readonly flagName: string;
  readonly names: readonly string[];
}

function protectedUses({ audience, environments }: ProtectedUsesProps): readonly ProtectedUse[] {
  const guarded = environments.filter(({ isProtected }) => isProtected);
  return audience.uses
    .map(({ flagId, flagName, environmentNumbers }) => {
      const names = guarded.filter(({ number }) => environmentNumbers.includes(number));
      return { flagId, flagName, names: names.map(({ name }) => name) };
    })
    .filter(({ names }) => names.length > 0);
}

/** What a change of the rules does on protected environments, by the names of flags and environments; null for nothing. */
export function protectedUsesWarning(props: ProtectedUsesProps) {
  const uses = protectedUses(props);
  if (uses.length === 0) return null;
  const unlisted = props.audience.useCount - props.audience.uses.length;
  const more = Math.max(0, uses.length - listedMax) + unlisted;
  return (
    <>
      <Text size="sm">Saving changes at once what these flags answer on protected environments:</Text>
      <ul>
        {uses.slice(0, listedMax).map(({ flagId, flagName, names }) => (
          <li key={flagId}>
            <strong>{flagName}</strong> in <strong>{names.join(', ')}</strong>
          </li>
        ))}
        {more > 0 && <li>and up to {countOf(more, 'other flag')}</li>}
      </ul>
    </>
  );
}
