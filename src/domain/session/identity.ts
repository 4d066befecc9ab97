/** A person as an OpenID provider knows them: (issuer, subject) is the identity, the email never is. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly memberId: string;
  readonly createdAt: number;
}
