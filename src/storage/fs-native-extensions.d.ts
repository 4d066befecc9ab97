/** The two functions of the package that Burgee uses; it publishes no types. */
declare module 'fs-native-extensions' {
  /** An exclusive lock of the whole file, held by this descriptor. @returns whether it was granted. */
  export function tryLock(descriptor: number): boolean;
  export function unlock(descriptor: number): void;
}
