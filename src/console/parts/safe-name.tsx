import { Fragment } from 'react';
import classes from './safe-name.module.css';
import { nameParts } from './visible-name.ts';

/** A text of several lines, with links, in an element that keeps line breaks. Hidden characters are shown as marks. */
export function SafeText({ text }: { readonly text: string }) {
  return text.split(/(\r\n|[\n\r]|https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/).map((part, index) => {
    if (/^[\r\n]/.test(part)) return '\n';
    const shown = <SafeName name={part} />;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no state, and change only with the text.
      <Fragment key={index}>
        {/^https?:/.test(part) ? (
          <a href={part} target="_blank" rel="noreferrer">
            {shown}
          </a>
        ) : (
          shown
        )}
      </Fragment>
    );
  });
}

/**
 * The name of a flag, project, member, token, audience or tag, or another text that a member has chosen. Hidden
 * characters are shown as marks, and the name does not change the direction of the text around it.
 */
export function SafeName({ name }: { readonly name: string }) {
  return (
    <bdi>
      {nameParts(name).map(({ text, isMark }, index) =>
        isMark ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no state, and change only with the name.
          <span key={index} className={classes.mark} title="A character that cannot be seen">
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </bdi>
  );
}
