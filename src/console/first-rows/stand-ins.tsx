/*
 * What the build puts in the place of libraries in the script of the first rows: as much of them as the navigation and
 * the table show before somebody has touched them. A test compares what is drawn with the console itself.
 */
import type { ReactNode } from 'react';

interface Inner {
  readonly className?: string;
  readonly children?: ReactNode;
}

/** The answers of the queries that the navigation reads, by the first part of their keys. */
export const firstValues = new Map<string, unknown>();

function firstValueOf({ queryKey: [scope] }: { readonly queryKey: readonly [string] }) {
  return { data: firstValues.get(scope), isPending: false };
}

export { firstValueOf as useQuery, firstValueOf as useSuspenseQuery };

/** In the place of `client/queries.ts`: those of the navigation. */
const [session, projects] = [{ queryKey: ['session'] }, { queryKey: ['projects'] }];

export { projects as projectsQuery, session as sessionQuery };

const noFunction = () => () => undefined;

export { noFunction as useNavigate, noFunction as useQueryClient };

/** In the place of `switching/use-flag-switch.ts`. */
const still = () => ({ pending: null, choose: noFunction });

export { still as useFlagSwitch };

/** In the place of `use-grid-keys.ts`: `Tab` leads to the first name. */
const firstCell = () => ({ row: 0, column: 1 });
const headingRow = -1;

export { firstCell as useGridKeys, headingRow };

interface IconData {
  readonly name: string;
  readonly node: readonly (readonly [string, Readonly<Record<string, string>>])[];
}

/** In the place of Lucide's own. */
function iconOf({ name, node }: IconData) {
  const look = { fill: 'none', stroke: 'currentColor', strokeWidth: 2 };
  const ends = { strokeLinecap: 'round', strokeLinejoin: 'round' } as const;
  return ({ className = '' }: Inner) => (
    <svg
      {...look}
      {...ends}
      viewBox="0 0 24 24"
      className={`lucide lucide-${name} ${className}`}
      aria-hidden="true"
    >
      {node.map(([Shape, { key, ...shape }]) => (
        <Shape key={key} {...shape} />
      ))}
    </svg>
  );
}

export { iconOf as default };

export function useLocation() {
  return { publicHref: window.location.pathname };
}

export function useParams() {
  return { projectId: window.location.pathname.split('/')[3] };
}

interface LinkProps extends Inner {
  readonly to: string;
  readonly params?: { readonly projectId: string };
}

export function Link({ to, params, className, children }: LinkProps) {
  const href = `/console${to.replace('$projectId', params?.projectId ?? '')}`;
  return (
    <a
      className={className}
      href={href}
      aria-current={href === window.location.pathname ? 'page' : undefined}
    >
      {children}
    </a>
  );
}

interface VirtualOptions {
  readonly count: number;
  readonly horizontal?: boolean;
  readonly initialRect: { readonly width: number; readonly height: number };
  readonly paddingStart: number;
  readonly estimateSize: (index: number) => number;
  readonly initialOffset: () => number;
}

/** The rows or columns that are in view at first. */
export function useVirtualizer(options: VirtualOptions) {
  const { count, horizontal = false, initialRect, paddingStart, estimateSize, initialOffset } = options;
  const from = initialOffset();
  const to = from + (horizontal ? initialRect.width : initialRect.height);
  const items: { readonly index: number; readonly start: number }[] = [];
  let end = paddingStart;
  for (let index = 0; index < count; index += 1) {
    const start = end;
    end += estimateSize(index);
    if (start < to && end > from) items.push({ index, start });
  }
  const total = end;
  return { getVirtualItems: () => items, getTotalSize: () => total, scrollToIndex: noFunction };
}

export function useMantineColorScheme() {
  return { colorScheme: localStorage.getItem('mantine-color-scheme-value') ?? 'auto' };
}

export function Box({ children }: Inner) {
  return <div>{children}</div>;
}

interface ButtonProps extends Inner {
  readonly visibleFrom?: string;
}

export function UnstyledButton({ className = '', children, visibleFrom: _, ...rest }: ButtonProps) {
  return (
    <button type="button" className={`m_87cf2631 ${className}`} {...rest}>
      {children}
    </button>
  );
}

interface IconProps extends Inner {
  readonly 'aria-label': string;
}

export function ActionIcon({ children, 'aria-label': label }: IconProps) {
  const style = { '--ai-size': 'var(--ai-size-lg)', '--ai-color': 'var(--mantine-color-gray-light-color)' };
  return (
    <button
      type="button"
      aria-label={label}
      className="m_8d3f4000 m_87cf2631"
      style={{ ...style, '--ai-bg': 'transparent' } as object}
    >
      <span className="m_8d3afb97">{children}</span>
    </button>
  );
}

export function Kbd({ children }: Inner) {
  return (
    <kbd
      className="m_dc6f14e2 mantine-Kbd-root"
      style={{ '--kbd-fz': 'var(--kbd-fz-xs)' } as object}
      data-size="xs"
    >
      {children}
    </kbd>
  );
}

const whole = ({ children }: Inner) => children;

/** Its button alone: nobody has opened it. */
export const Menu = Object.assign((props: Inner) => whole(props), {
  Target: whole,
  Dropdown: () => null,
  Divider: () => null,
  Item: () => null,
});
