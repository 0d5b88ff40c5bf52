/**
 * Passkeys: what browsers are asked, and what their answers are worth. A device proves who it is for by signing a
 * challenge of ours together with the origin that asked, so a page that looks like ours learns nothing it can use.
 */
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'

/** A key as we know it. */
export type KnownKey = {
  readonly credentialId: string
  readonly publicKey: Uint8Array
  /** How often it says it was used. One that counts backwards is a copy. */
  readonly counter: number
  readonly transports: readonly string[]
}

const timeoutMs = 300_000
/** EdDSA, ES256 and RS256, by their numbers in COSE: what devices have today. */
const algorithms = [-8, -7, -257]

/** What a browser needs to make a key for somebody. Each key says by itself whose it is. */
export function creationOptions(wish: {
  readonly url: string
  readonly person: { readonly handle: Uint8Array; readonly email: string; readonly name: string }
  readonly known: readonly string[]
}) {
  return generateRegistrationOptions({
    ...{ rpName: 'Switchyard', rpID: nameOf(wish.url), timeout: timeoutMs },
    ...{ userName: wish.person.email, userDisplayName: wish.person.name },
    userID: new Uint8Array(wish.person.handle),
    excludeCredentials: wish.known.map((id) => ({ id })),
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** The key that was made; null if the answer proves none. */
export async function readCreation(
  answer: unknown,
  { url, challenge }: { readonly url: string; readonly challenge: string },
): Promise<KnownKey | null> {
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: answer as RegistrationResponseJSON,
      expectedChallenge: challenge,
      supportedAlgorithmIDs: algorithms,
      ...expected(url),
    })
    if (!verified) return null
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential
    return { credentialId: id, publicKey, counter, transports }
  } catch {
    // Whatever does not parse, does not fit or does not verify: it is no proof.
    return null
  }
}

/** What a browser needs to prove that it has a key, whichever. */
export function requestOptions(url: string) {
  return generateAuthenticationOptions({
    ...{ rpID: nameOf(url), timeout: timeoutMs },
    userVerification: 'required',
  })
}

/** How often the key says it was used by now; null if the answer proves nothing. */
export async function readProof(
  answer: unknown,
  {
    url,
    key,
    takeChallenge,
  }: {
    readonly url: string
    readonly key: KnownKey
    /** Whether the challenge is one of ours that nobody has answered yet. */
    readonly takeChallenge: (challenge: string) => Promise<boolean>
  },
): Promise<number | null> {
  const { credentialId: id, publicKey, counter, transports } = key
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as AuthenticationResponseJSON,
      expectedChallenge: takeChallenge,
      credential: { id, publicKey: new Uint8Array(publicKey), counter, transports: [...transports] },
      ...expected(url),
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    return null
  }
}

const nameOf = (url: string) => new URL(url).hostname

const expected = (url: string) => ({
  expectedOrigin: new URL(url).origin,
  expectedRPID: nameOf(url),
  requireUserVerification: true,
})
