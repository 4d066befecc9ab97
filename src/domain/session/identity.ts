/** A person as an OpenID provider knows them: (issuer, subject) is the identity, never the email. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly memberId: string;
  readonly createdAt: number;
}
