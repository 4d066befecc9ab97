/** The two functions of the package that Burgee uses; the package publishes no types. */
declare module 'fs-native-extensions' {
  /**
   * A lock of the file, or of `length` of its bytes, held by this descriptor; exclusive unless `shared`. It ends with
   * the descriptor.
   * @returns whether it was granted.
   */
  export function tryLock(
    descriptor: number,
    offset?: number,
    length?: number,
    options?: { readonly shared: boolean },
  ): boolean;
  export function unlock(descriptor: number, offset?: number, length?: number): void;
}
