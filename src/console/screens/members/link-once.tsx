import { formatMoment } from '../../parts/format-time.ts';
import { SecretOnce } from '../../parts/secret-once.tsx';
import type { ShownLink } from './shown-link.ts';

/** A one-time link, for whoever made it to hand over. */
export function LinkOnce({ title, link, onClose }: ShownLink & { readonly onClose: () => void }) {
  return (
    <SecretOnce
      title={title}
      what="link"
      secret={link.url}
      note={`Hand this link over yourself. It works once, until ${formatMoment(link.expiresAt)}, and is not shown again.`}
      onClose={onClose}
    />
  );
}
