import { useNavigate } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import { consolePath } from '../../client/base-path.ts';
import type { FlagItem } from '../../client/flag-list.ts';
import { Mark } from '../../parts/mark.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import classes from './flags.module.css';

interface FlagLinkProps {
  readonly projectId: string;
  readonly flag: FlagItem;
  readonly tabIndex?: number;
}

/** A link without what the router's own does on each rendering: dozens of these come and go while a list scrolls. */
export function FlagLink({ projectId, flag: { id: flagId, name }, tabIndex = 0 }: FlagLinkProps) {
  const navigate = useNavigate();
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate({ to: '/projects/$projectId/flags/$flagId', params: { projectId, flagId } });
  };
  return (
    <a
      className={classes.name}
      title={visibleName(name)}
      href={`${consolePath}projects/${projectId}/flags/${flagId}`}
      tabIndex={tabIndex}
      onClick={open}
    >
      <SafeName name={name} />
    </a>
  );
}

interface FlagNotesProps {
  readonly flag: FlagItem;
}

const tagsShownMax = 3;

/** What is below a flag's name: the description first, and tags in the room that it leaves. */
export function FlagNotes({ flag: { id, answersToName, tags, description } }: FlagNotesProps) {
  const line = description.replace(/\s*[\r\n]\s*/g, ' ');
  const all = [line, tags.join(', ')].filter((text) => text !== '').map(visibleName);
  return (
    <div className={classes.below} title={all.join('\n')}>
      {!answersToName && (
        <span title="It does not answer to its name">
          answers to its id only: <code className={classes.id}>{id}</code>
        </span>
      )}
      {line !== '' && (
        <span className={classes.description}>
          <SafeName name={line} />
        </span>
      )}
      {tags.length > 0 && (
        <span className={classes.tags}>
          {tags.slice(0, tagsShownMax).map((tag) => (
            <Mark key={tag} tone="tag">
              <SafeName name={tag} />
            </Mark>
          ))}
          {tags.length > tagsShownMax && <span>+{tags.length - tagsShownMax}</span>}
        </span>
      )}
    </div>
  );
}
