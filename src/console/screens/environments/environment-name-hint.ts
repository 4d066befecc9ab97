/** What a name of an environment is made of (decisions). */
export const environmentNameHint = 'Up to 64 lower-case letters, digits and - _ .';
