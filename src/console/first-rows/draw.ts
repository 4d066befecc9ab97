/*
 * What the build puts in the place of React in the script of the first rows: components are drawn once, as they are at
 * first. States keep their first values, effects and handlers wait for the console itself.
 */

type Component = (props: Props) => unknown;
type Props = Readonly<Record<string, unknown>>;

/** What JSX makes; its children are in `props`. */
export interface Drawing {
  readonly type: string | Component;
  readonly props: Props;
}

const svg = 'http://www.w3.org/2000/svg';
/** Of the events only those are followed that say where the list was left. */
const events: Readonly<Record<string, string>> = { onScroll: 'scroll' };

export function Fragment({ children }: Props): unknown {
  return children;
}

export function jsx(type: Drawing['type'], props: Props): Drawing {
  return { type, props };
}

export { jsx as jsxs };

export function createElement(
  type: Drawing['type'],
  props: Props | null,
  ...children: readonly unknown[]
): Drawing {
  return { type, props: children.length === 0 ? { ...props } : { ...props, children } };
}

export function memo(component: Component): Component {
  return component;
}

export { memo as forwardRef };

export function useState<Value>(first: Value | (() => Value)): readonly [Value, () => void] {
  return [typeof first === 'function' ? (first as () => Value)() : first, nothing];
}

export function useMemo<Value>(make: () => Value): Value {
  return make();
}

export function useCallback<Function_>(callback: Function_): Function_ {
  return callback;
}

export function useRef<Value>(current: Value): { current: Value } {
  return { current };
}

export function useSyncExternalStore<Value>(_subscribe: unknown, see: () => Value): Value {
  return see();
}

interface Context {
  readonly value: unknown;
}

export function createContext(value: unknown): Context {
  return { value };
}

export function useContext({ value }: Context): unknown {
  return value;
}

function nothing(): void {}

export { nothing as startTransition, nothing as useEffect, nothing as useLayoutEffect };

function isDrawing(node: unknown): node is Drawing {
  return typeof node === 'object' && node !== null && 'type' in node;
}

/** Appends what a component returned to an element. */
export function draw(node: unknown, into: Element): void {
  if (Array.isArray(node)) for (const each of node) draw(each, into);
  else if (typeof node === 'string' || typeof node === 'number') into.append(String(node));
  else if (isDrawing(node)) {
    const { type, props } = node;
    if (typeof type === 'string') into.append(elementOf(type, props, into));
    else draw(type(props), into);
  }
}

function elementOf(tag: string, props: Props, parent: Element): Element {
  const isPicture = tag === 'svg' || parent.namespaceURI === svg;
  const element = isPicture ? document.createElementNS(svg, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProperty(element, name, value);
  draw(props['children'], element);
  return element;
}

function setProperty(element: Element, name: string, value: unknown): void {
  const event = events[name];
  if (event !== undefined) element.addEventListener(event, value as EventListener);
  else if (name === 'style') setStyle(element as HTMLElement, value as Props);
  else if (name === 'className') element.setAttribute('class', String(value));
  else if (!isNoAttribute(name, value)) element.setAttribute(attributeOf(name), String(value));
}

function isNoAttribute(name: string, value: unknown): boolean {
  if (name === 'children' || value === undefined || value === null) return true;
  return typeof value === 'function' || typeof value === 'object';
}

/** An element of HTML takes its attributes in any case. */
function attributeOf(name: string): string {
  return name.startsWith('stroke') ? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) : name;
}

/** One by one, because the content security policy forbids an attribute with styles. */
function setStyle({ style }: HTMLElement, values: Props): void {
  for (const [name, value] of Object.entries(values)) {
    style.setProperty(name, typeof value === 'number' ? `${value}px` : String(value));
  }
}
