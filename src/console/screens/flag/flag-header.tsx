import { ActionIcon, Button, CloseButton, Menu, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import Ellipsis from 'lucide-react/icons/ellipsis';
import { useState } from 'react';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { isProductionState } from '../../../domain/project/production.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { DangerItem } from '../../parts/danger-item.tsx';
import { useIsNarrow } from '../../parts/data-list.tsx';
import { EnvironmentName } from '../../parts/environment-name.tsx';
import { areSameLabels, changedLabels, type EditedLabels, LabelFields } from '../../parts/label-fields.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SafeName, SafeText } from '../../parts/safe-name.tsx';
import { CopyButton, SmallButton } from '../../parts/small-button.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { StateMark } from '../../switching/state-mark.tsx';
import { storedSwitch } from '../../switching/switch-rules.ts';
import { lastFlagsSearch } from '../flags/list-view.ts';
import { LastUseOf, LostName, mayHaveName, NewName, useTakenName } from '../flags/taken-name.tsx';
import { environmentOf, isGuarded, shownEnvironments } from './card-state.ts';
import { DeleteFlag } from './delete-flag.tsx';
import classes from './flag.module.css';
import type { FlagEditing } from './use-flag-editing.ts';

interface EditLabelsProps {
  readonly flag: ConsoleFlagView;
  readonly handle: DraftHandle;
  readonly onClose: () => void;
}

/** Edits the flag's labels in the draft. */
function EditLabels({ flag, handle, onClose }: EditLabelsProps) {
  const [begun] = useState<EditedLabels>({
    name: handle.value('name') as string,
    description: handle.value('description') as string,
    tags: handle.value('tags') as string[],
  });
  const [labels, setLabels] = useState(begun);
  const [takesName, setTakesName] = useState(handle.value('takesName') === true);
  const taken = useTakenName(labels.name === flag.name ? '' : labels.name, flag.id);
  const edit = (change: Partial<EditedLabels>) => {
    if (change.name !== undefined) setTakesName(false);
    setLabels((now) => ({ ...now, ...change }));
  };
  const submit = () => {
    handle.edit({ ...changedLabels({ ...labels, name: labels.name.trim() }, begun), takesName });
    onClose();
  };
  return (
    <FormDialog
      title="Name, description, tags"
      size="lg"
      submit="Add to draft"
      isDirty={!areSameLabels(labels, begun)}
      isReady={mayHaveName(labels.name, taken, takesName)}
      onSubmit={submit}
      onClose={onClose}
    >
      <LabelFields
        labels={labels}
        descriptionRowsMax={12}
        presentName={begun.name}
        nameNote={<NewName name={labels.name} taken={taken} takesName={takesName} onTake={setTakesName} />}
        onChange={edit}
      />
      <Text size="sm" c="dimmed">
        {flag.answersToName
          ? 'Programs that ask for the present name keep getting this flag: it stays a former name, until you remove it. '
          : 'Programs get this flag by its id only, until it has a name of its own. '}
        The flag’s id stays the same.
      </Text>
    </FormDialog>
  );
}

type Opened = 'labels' | 'delete';

function FlagActions({ onOpen }: { readonly onOpen: (dialog: Opened) => void }) {
  return (
    <>
      <Button variant="default" onClick={() => onOpen('labels')}>
        Edit name, description, tags
      </Button>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions">
            <Ellipsis aria-hidden="true" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <DangerItem onClick={() => onOpen('delete')}>Delete flag …</DangerItem>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** Of more environments of production, these come first and the others are counted. */
const productionShownMax = 3;

/** What is stored for production, for a member in a hurry. */
function ProductionSummary({ editing: { flag } }: { readonly editing: FlagEditing }) {
  const project = useProject();
  const live = shownEnvironments(project, flag.states).filter((number) => isProductionState(project, number));
  if (live.length === 0) return null;
  const { id: flagId, projectId, name: flagName } = flag;
  return (
    <>
      {live.slice(0, productionShownMax).map((number) => {
        const environment = environmentOf(project, number) ?? null;
        const isProtected = isGuarded(project, number);
        const stored = storedSwitch(flag, { projectId, flagId, flagName, environment, isProtected });
        return (
          <span key={number} className={classes.summaryPart}>
            {environment !== null && <EnvironmentName environment={environment} isBrief />}
            {stored !== null && <StateMark {...stored} />}
          </span>
        );
      })}
      {live.length > productionShownMax && (
        <span className={classes.quiet}>and {live.length - productionShownMax} more</span>
      )}
    </>
  );
}

/** A text of more lines or characters is folded: the switches are below it. */
const foldedFrom = { lines: 4, chars: 300 };

function Description({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > foldedFrom.chars || text.split('\n').length > foldedFrom.lines;
  return (
    <div className={classes.descriptionPlace}>
      <p className={classes.description} data-folded={(isLong && !isOpen) || undefined}>
        <SafeText text={text} />
      </p>
      {isLong && (
        <SmallButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : 'Show more'}
        </SmallButton>
      )}
    </div>
  );
}

export function FlagHeader({ editing }: { readonly editing: FlagEditing }) {
  const { flag, handle } = editing;
  const { value } = handle;
  const canEdit = useCanEdit();
  const [dialog, setDialog] = useState<Opened | null>(null);
  const isNarrow = useIsNarrow();
  const [isOpen, setOpen] = useState(false);
  // On a phone the switches come first.
  const isFolded = isNarrow && !isOpen;
  const description = value('description') as string;
  const tags = value('tags') as readonly string[];
  const aliases = value('aliases') as readonly string[];
  const { projectId } = flag;
  return (
    <PageHead
      title={visibleName(value('name') as string)}
      above={
        <Link to="/projects/$projectId/flags" params={{ projectId }} search={lastFlagsSearch(projectId)}>
          Flags
        </Link>
      }
      actions={canEdit && !isFolded && <FlagActions onOpen={setDialog} />}
    >
      <div className={classes.summary}>
        <ProductionSummary editing={editing} />
        {isNarrow && (
          <SmallButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Details
          </SmallButton>
        )}
      </div>
      {!isFolded && description !== '' && <Description text={description} />}
      {!isFolded && (
        <div className={classes.facts}>
          <code>{flag.id}</code>
          <CopyButton value={flag.id} what="flag id" />
          {tags.map((tag) => (
            <Mark key={tag} tone="tag">
              <SafeName name={tag} />
            </Mark>
          ))}
          <span>
            changed <TimeAgo isInline at={flag.updatedAt} />
          </span>
        </div>
      )}
      {!isFolded && aliases.length > 0 && (
        <div className={classes.facts}>
          Also answers to
          {aliases.map((alias) => (
            <Mark key={alias} tone="tag">
              <SafeName name={alias} />
              {canEdit && (
                <CloseButton
                  size="xs"
                  aria-label={`Stop answering to ${visibleName(alias)}`}
                  onClick={() => handle.edit({ aliases: aliases.filter((other) => other !== alias) })}
                />
              )}
            </Mark>
          ))}
          <span>
            <LastUseOf name={aliases[0] ?? ''} />
          </span>
        </div>
      )}
      {!flag.answersToName && value('name') === flag.name && value('takesName') !== true && (
        <div className={classes.note}>
          <LostName
            name={flag.name}
            canEdit={canEdit}
            onTake={() => handle.edit({ takesName: true })}
            onRename={() => setDialog('labels')}
          />
        </div>
      )}
      {dialog === 'labels' && <EditLabels flag={flag} handle={handle} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && <DeleteFlag flag={flag} onClose={() => setDialog(null)} />}
    </PageHead>
  );
}
