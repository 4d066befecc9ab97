import { Text } from '@mantine/core';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { partsOfKey } from '../../draft/flag-fields.ts';
import { ReviewBar } from '../../draft/review-bar.tsx';
import { countOf } from '../../parts/count-words.ts';
import { showNotice } from '../../parts/notices.ts';
import { useProject } from '../../shell/project-context.ts';
import { showFlagChange } from './show-flag-change.ts';
import { useAudienceName } from './use-audience-names.ts';
import type { FlagEditing } from './use-flag-editing.ts';

interface FlagReviewProps {
  readonly flag: ConsoleFlagView;
  readonly editing: FlagEditing;
}

/** Names of the protected environments that a draft touches; the flag-wide list is that of all of them. */
function useProtectedNames(editing: FlagEditing): readonly string[] {
  const { environments } = useProject();
  const touched = new Set(
    editing.handle.changes.map(({ key }) => {
      const { environment, name } = partsOfKey(key);
      return environment ?? (name === 'cohorts' ? 'every' : '');
    }),
  );
  return environments
    .filter(({ number, isProtected }) => isProtected && (touched.has(String(number)) || touched.has('every')))
    .map(({ name }) => name);
}

export function FlagReview({ flag, editing }: FlagReviewProps) {
  const project = useProject();
  const audienceName = useAudienceName();
  const names = useProtectedNames(editing);
  const { changes } = editing.handle;
  const save = async () => {
    await editing.saveDraft();
    showNotice({ tone: 'done', message: `Saved ${countOf(changes.length, 'change')} of ${flag.name}.` });
  };
  return (
    <ReviewBar
      handle={editing.handle}
      show={showFlagChange(project)}
      audienceName={audienceName}
      onSave={save}
      problem={editing.handle.value('name') === '' ? 'A flag needs a name.' : null}
      warning={
        names.length > 0 && (
          <Text size="sm">
            <strong>{names.join(', ')}</strong> {names.length === 1 ? 'is' : 'are'} protected. Saving changes
            what <strong>{flag.name}</strong> answers there at once.
          </Text>
        )
      }
    />
  );
}
