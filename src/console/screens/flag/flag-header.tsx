import { Button, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { DeleteFlag } from './delete-flag.tsx';
import { EditLabels } from './edit-labels.tsx';
import classes from './flag.module.css';
import type { FlagEditing } from './use-flag-editing.ts';

interface FlagHeaderProps {
  readonly flag: ConsoleFlagView;
  readonly editing: FlagEditing;
}

type Dialog = 'labels' | 'delete';

function FlagActions({ onOpen }: { readonly onOpen: (dialog: Dialog) => void }) {
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
          <Menu.Item c="var(--removed)" onClick={() => onOpen('delete')}>
            Delete flag …
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

export function FlagHeader({ flag, editing }: FlagHeaderProps) {
  const { id: projectId } = useProject();
  const canEdit = useCanEdit();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const { value } = editing.handle;
  const description = value('description') as string;
  const tags = value('tags') as readonly string[];
  return (
    <PageHeader
      title={value('name') as string}
      above={
        <Link to="/projects/$projectId/flags" params={{ projectId }}>
          Flags
        </Link>
      }
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
          changed <TimeAgo at={flag.updatedAt} />
        </span>
      </div>
      {dialog === 'labels' && <EditLabels handle={editing.handle} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && <DeleteFlag flag={flag} onClose={() => setDialog(null)} />}
    </PageHeader>
  );
}
