import { useNavigate } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import classes from './flags.module.css';

interface FlagLinkProps {
  readonly projectId: string;
  readonly flagId: string;
  readonly name: string;
}

/** A link without what the router's own does for each one it draws: dozens of these come and go while a list scrolls. */
export function FlagLink({ projectId, flagId, name }: FlagLinkProps) {
  const navigate = useNavigate();
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate({ to: '/projects/$projectId/flags/$flagId', params: { projectId, flagId } });
  };
  return (
    <a
      className={classes.name}
      title={name}
      href={`/console/projects/${projectId}/flags/${flagId}`}
      onClick={open}
    >
      {name}
    </a>
  );
}
