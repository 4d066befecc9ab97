import { Menu, type MenuItemProps } from '@mantine/core';
import Trash2 from 'lucide-react/icons/trash-2';
import type { ReactNode } from 'react';

interface DangerItemProps extends Pick<MenuItemProps, 'leftSection' | 'disabled'> {
  readonly children: ReactNode;
  readonly onClick: () => void;
}

/**
 * A menu's item that destroys something. It is the menu's last item, below a `Menu.Divider`. A button that destroys is
 * `<Button variant="danger">`; the one that confirms it in a dialog is `danger-filled`.
 */
export function DangerItem({ leftSection = <Trash2 aria-hidden="true" />, ...props }: DangerItemProps) {
  return <Menu.Item c="var(--danger)" leftSection={leftSection} {...props} />;
}
