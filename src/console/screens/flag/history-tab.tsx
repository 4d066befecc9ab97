import type { AuditEntryView } from '../../../contracts/console/audit-views.ts';
import { undoingEdits } from '../../draft/flag-fields.ts';
import { formatMoment } from '../../parts/format-time.ts';
import { showDone } from '../../parts/notices.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { AuditEntries } from '../audit/audit-entries.tsx';
import type { FlagEditing } from './use-flag-editing.ts';

interface HistoryTabProps {
  readonly editing: FlagEditing;
  /** Shows the draft. */
  readonly onDrafted: () => void;
}

/** The flag's changes. Each entry but the newest has a button that puts the settings after it into the draft. */
export function HistoryTab({ editing: { flag, handle }, onDrafted }: HistoryTabProps) {
  const { environments } = useProject();
  const canEdit = useCanEdit();
  const numberOf = (wanted: string) => {
    const number = environments.find(({ name }) => name === wanted)?.number;
    return number === undefined ? undefined : String(number);
  };
  const goBack = ({ at }: AuditEntryView, newer: readonly AuditEntryView[]) => {
    const changes = newer.flatMap(({ environment, changes }) =>
      changes.map((change) => ({ environment, ...change })),
    );
    const edits = Object.entries(undoingEdits(changes, numberOf));
    handle.edit(Object.fromEntries(edits.filter(([key]) => Object.hasOwn(handle.draft.base, key))));
    showDone(`The settings of ${formatMoment(at)} are in the draft. Not saved yet.`);
    onDrafted();
  };
  return (
    <AuditEntries
      projectId={flag.projectId}
      filter={{ flag: flag.id }}
      isOfOneThing
      actionOf={(entry, newer) =>
        canEdit &&
        newer.length > 0 && (
          <SmallButton
            title="Put the settings as they were after this change into the draft"
            onClick={() => goBack(entry, newer)}
          >
            Back to this
          </SmallButton>
        )
      }
    />
  );
}
