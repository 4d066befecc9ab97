import { Button, Menu, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { call } from '../../client/call.ts';
import { flagQuery } from '../../client/queries.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { DangerItem } from '../../parts/danger-item.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { areSameLabels, changedLabels, type EditedLabels, LabelFields } from '../../parts/label-fields.tsx';
import { Mark } from '../../parts/mark.tsx';
import { showDone } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { CopyButton } from '../../parts/small-button.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { ProjectLink } from '../../shell/pages.tsx';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import classes from './flag.module.css';
import type { FlagEditing } from './use-flag-editing.ts';

interface EditLabelsProps {
  readonly handle: DraftHandle;
  readonly onClose: () => void;
}

/** Edits the flag's labels in the draft. */
function EditLabels({ handle, onClose }: EditLabelsProps) {
  const [begun] = useState<EditedLabels>({
    name: handle.value('name') as string,
    description: handle.value('description') as string,
    tags: handle.value('tags') as string[],
  });
  const [labels, setLabels] = useState(begun);
  const edit = (change: Partial<EditedLabels>) => setLabels((now) => ({ ...now, ...change }));
  const submit = () => {
    handle.edit(changedLabels({ ...labels, name: labels.name.trim() }, begun));
    onClose();
  };
  return (
    <FormDialog
      title="Name, description, tags"
      size="lg"
      submit="Apply to the draft"
      isDirty={!areSameLabels(labels, begun)}
      onSubmit={submit}
      onClose={onClose}
    >
      <LabelFields labels={labels} descriptionRowsMax={12} onChange={edit} />
      <Text size="sm" c="dimmed">
        Applications use the flag’s id, which stays the same.
      </Text>
    </FormDialog>
  );
}

interface DeleteFlagProps {
  readonly flag: ConsoleFlagView;
  readonly onClose: () => void;
}

function DeleteFlag({ flag, onClose }: DeleteFlagProps) {
  const { id: flagId, projectId, name, revision } = flag;
  const guarded = useProject()
    .environments.filter(({ isProtected }) => isProtected)
    .map(({ name: environment }) => environment);
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => call('delete-flag', { projectId, flagId }, { revision, name }),
    onSuccess: async () => {
      showDone(`Deleted ${name}.`);
      await navigate({ to: '/projects/$projectId/flags', params: { projectId }, ignoreBlocker: true });
      client.removeQueries({ queryKey: flagQuery(projectId, flagId).queryKey });
      await client.invalidateQueries({ queryKey: [projectId] });
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirm="Delete flag"
      isDangerous
      typedName={name}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        Applications that ask for <code>{flagId}</code> get 404 from now on, in every environment
        {guarded.length > 0 && `, also in ${guarded.join(', ')} (protected)`}. This cannot be undone.
      </Text>
    </ConfirmDialog>
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
          <Button variant="default" aria-label="More actions" px="sm">
            ⋯
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <DangerItem onClick={() => onOpen('delete')}>Delete flag …</DangerItem>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

export function FlagHeader({ editing }: { readonly editing: FlagEditing }) {
  const { flag, handle } = editing;
  const { value } = handle;
  const canEdit = useCanEdit();
  const [dialog, setDialog] = useState<Opened | null>(null);
  const description = value('description') as string;
  const tags = value('tags') as readonly string[];
  return (
    <PageHead
      title={value('name') as string}
      above={<ProjectLink to="/projects/$projectId/flags">Flags</ProjectLink>}
      actions={canEdit && <FlagActions onOpen={setDialog} />}
    >
      {description !== '' && <p className={classes.description}>{description}</p>}
      <div className={classes.facts}>
        <code>{flag.id}</code>
        <CopyButton value={flag.id} what="flag id" />
        {tags.map((tag) => (
          <Mark key={tag} tone="off">
            {tag}
          </Mark>
        ))}
        <span>
          changed <TimeAgo isInline at={flag.updatedAt} />
        </span>
      </div>
      {dialog === 'labels' && <EditLabels handle={handle} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && <DeleteFlag flag={flag} onClose={() => setDialog(null)} />}
    </PageHead>
  );
}
