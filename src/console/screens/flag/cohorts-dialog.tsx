import { cohortCodePointsMax } from '../../../domain/flag/state-fields.ts';
import { ListDialog, type ListedThing } from '../../draft/list-dialog.tsx';

const thing: ListedThing = { noun: 'cohort', codePointsMax: cohortCodePointsMax, mayBeEmpty: false };

interface CohortsDialogProps {
  readonly title: string;
  readonly cohorts: readonly string[];
  /** What an empty list means here. */
  readonly emptyNote: string;
  readonly onApply: (cohorts: string[]) => void;
  readonly onClose: () => void;
}

export function CohortsDialog({ cohorts, ...props }: CohortsDialogProps) {
  return <ListDialog thing={thing} items={cohorts} {...props} />;
}
