import { Select } from '@mantine/core';
import { stateKey } from '../../draft/flag-fields.ts';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { useCanEdit } from '../../shell/project-context.ts';
import { useAudiencesAvailable } from '../audiences/use-audiences-available.ts';
import { useAudiences } from './use-audience-names.ts';

interface AudienceChoiceProps {
  readonly environment: string;
  readonly handle: DraftHandle;
}

/** Below Teams an attached audience stays and can be taken off, and no other can be put on. */
export function AudienceChoice({ environment, handle }: AudienceChoiceProps) {
  const canEdit = useCanEdit();
  const audiences = useAudiences();
  const isAvailable = useAudiencesAvailable();
  const key = stateKey(environment, 'audienceId');
  const chosen = handle.value(key) as string | null;
  const listed = isAvailable ? audiences : audiences.filter(({ id }) => id === handle.draft.base[key]);
  const isGone = chosen !== null && !listed.some(({ id }) => id === chosen);
  const known = listed.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Select
      label="Audience"
      description={isAvailable ? undefined : 'Attaching an audience needs the Teams plan.'}
      placeholder="Everyone"
      clearable
      searchable
      disabled={!canEdit || (!isAvailable && chosen === null)}
      nothingFoundMessage="No audience is called that"
      data={isGone ? [...known, { value: chosen, label: chosen }] : known}
      value={chosen}
      clearButtonProps={{ 'aria-label': 'Everyone' }}
      onChange={(value) => handle.edit({ [key]: value })}
    />
  );
}
