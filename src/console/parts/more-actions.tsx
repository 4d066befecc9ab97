import { ActionIcon, Menu } from '@mantine/core';
import Ellipsis from 'lucide-react/icons/ellipsis';
import type { ReactNode } from 'react';
import { contentId } from './dialog.tsx';

interface MoreActionsProps {
  /** Names the row, for screen readers: `More actions for deploy`. */
  readonly label: string;
  /** Items of a menu, the dangerous ones last. */
  readonly children: ReactNode;
}

/** The actions of a row that are rarely used, or that must not be pressed by mistake. */
export function MoreActions({ label, children }: MoreActionsProps) {
  return (
    // A table clips what is larger than itself. The menu is outside it, but within the page's content, for its landmark.
    <Menu position="bottom-end" shadow="md" withinPortal portalProps={{ target: `#${contentId}` }}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label}>
          <Ellipsis aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
